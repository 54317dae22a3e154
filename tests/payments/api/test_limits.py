from __future__ import annotations

from payments.api.limits import MOST_ADDRESSES, Limiter


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_each_address_has_its_own_count_and_a_new_window_forgets_it() -> None:
    time = Time()
    limiter = Limiter(time)

    assert [limiter.wait("a", 2) for _ in range(2)] == [None, None]
    time.now += 10
    assert limiter.wait("a", 2) == 50
    assert limiter.wait("b", 2) is None
    time.now += 50
    assert limiter.wait("a", 2) is None


def test_no_limit_counts_nothing() -> None:
    limiter = Limiter(Time())
    assert [limiter.wait("a", 0) for _ in range(5)] == [None] * 5
    assert limiter.wait("a", 1) is None


def test_memory_stays_bounded() -> None:
    limiter = Limiter(Time())
    for number in range(MOST_ADDRESSES + 2):
        limiter.wait(str(number), 1)
    assert len(limiter._counts) <= MOST_ADDRESSES
