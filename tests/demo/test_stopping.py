from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lensproject.management.demo import stopping
from lensproject.management.demo.stopping import Stopped


@pytest.fixture(autouse=True)
def handlers_as_before() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in stopping.SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("number", "reason"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "TERM"), (signal.SIGHUP, "HUP")]
)
def test_each_signal_stops_and_is_named(number: signal.Signals, reason: str) -> None:
    with pytest.raises(Stopped) as stopped, stopping.by_signals():
        os.kill(os.getpid(), number)
    assert stopped.value.reason == reason


def test_no_except_exception_on_the_way_keeps_it() -> None:
    assert not issubclass(Stopped, Exception)


def test_the_second_signal_does_not_disturb_the_ending() -> None:
    ended = []

    @contextmanager
    def impatiently() -> Iterator[None]:
        try:
            yield
        finally:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGTERM)
            ended.append(True)

    with pytest.raises(Stopped), stopping.by_signals(), impatiently():
        os.kill(os.getpid(), signal.SIGINT)
    assert ended == [True]


def test_afterwards_the_signals_mean_what_they_meant() -> None:
    before = [signal.getsignal(number) for number in stopping.SIGNALS]
    with pytest.raises(Stopped), stopping.by_signals():
        os.kill(os.getpid(), signal.SIGTERM)
    assert [signal.getsignal(number) for number in stopping.SIGNALS] == before


def test_what_nohup_ignores_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with stopping.by_signals():
        os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
