from __future__ import annotations

import signal
from collections.abc import Iterator
from types import FrameType

import pytest

from tests.conftest import heed_interruptions

SIGNALS = (signal.SIGINT, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Puts the signals' handlers back."""
    before = [(number, signal.getsignal(number)) for number in SIGNALS]
    yield
    for number, handler in before:
        signal.signal(number, handler)


def test_what_a_shell_let_us_ignore_is_heeded_again() -> None:
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    heed_interruptions()
    assert [signal.getsignal(number) for number in SIGNALS] == [signal.default_int_handler, signal.SIG_DFL]


def test_a_handler_of_somebody_else_is_left_alone() -> None:
    def own(number: int, frame: FrameType | None) -> None: ...

    for number in SIGNALS:
        signal.signal(number, own)
    heed_interruptions()
    assert [signal.getsignal(number) for number in SIGNALS] == [own, own]
