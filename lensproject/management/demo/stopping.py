"""Ctrl-C, TERM and a terminal that closes: the demo is asked to end, and ends in good order."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(KeyboardInterrupt):
    """Somebody asked the demo to end. A KeyboardInterrupt, so that no `except Exception` on the way keeps it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.reason = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name.removeprefix("SIG")


@contextmanager
def by_signals() -> Iterator[None]:
    """Within the block the first of the signals raises Stopped; those that follow change nothing."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    if before[signal.SIGHUP] == signal.SIG_IGN:
        del before[signal.SIGHUP]  # Started by nohup, to outlive the terminal.

    def stop(number: int, frame: FrameType | None) -> None:
        for each in before:
            signal.signal(each, lambda *_: None)
        raise Stopped(number)

    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
