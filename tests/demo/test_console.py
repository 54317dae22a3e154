from __future__ import annotations

import io
import os
import re

import pytest

from lensproject.management.demo.console import Console


def test_a_step_is_one_line_with_its_time() -> None:
    stream = io.StringIO()
    Console(stream).step("migrated")
    assert re.fullmatch(r" +\d+\.\d s  migrated\n", stream.getvalue())


def test_a_block_is_set_in_and_its_empty_lines_stay_empty() -> None:
    stream = io.StringIO()
    Console(stream).block("one\n\ntwo\n")
    assert stream.getvalue() == "    one\n\n    two\n"


class Unbuffered:
    """A stream on a file descriptor, that keeps nothing to itself."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def write(self, text: str) -> int:
        return os.write(self.descriptor, text.encode())

    def flush(self) -> None:
        return None


def test_a_reader_that_went_away_stops_nothing() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        with pytest.raises(BrokenPipeError):
            Unbuffered(writing).write("nobody reads this")
        Console(Unbuffered(writing)).step("nobody reads this")
        Console(Unbuffered(writing)).block("nor this")
    finally:
        os.close(writing)


def test_a_line_is_there_at_once() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as out, os.fdopen(writing, "w") as stream:
        Console(stream).line("now")
        assert out.readline() == "now\n"
