"""What people see: one line a step, with the seconds since the start, and no colours."""

from __future__ import annotations

import contextlib
import textwrap
from time import monotonic
from typing import Protocol


class Stream(Protocol):
    def write(self, text: str, /) -> object: ...

    def flush(self) -> object: ...


class Console:
    """Writes to a stream that may go away (`make run | head`): nothing is shown then, and nothing else changes."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._started = monotonic()

    def step(self, text: str) -> None:
        """A line with its time: what was done just now."""
        self.line(f"{monotonic() - self._started:6.1f} s  {text}")

    def line(self, text: str = "") -> None:
        with contextlib.suppress(OSError):
            self._stream.write(f"{text}\n")
            self._stream.flush()

    def block(self, text: str) -> None:
        """Somebody else's words, set in."""
        self.line(textwrap.indent(text.rstrip("\n"), "    "))
