"""Rates, CPU time and latencies of a step that is done many times, and the table that shows them."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

MIB = 1024 * 1024


@dataclass(frozen=True)
class Measured:
    """`cpu` is the CPU time (seconds) of the measured process alone; `times` are milliseconds a step."""

    name: str
    seconds: float
    cpu: float
    times: Sequence[float] = field(repr=False)
    memory: int = 0

    @property
    def count(self) -> int:
        return len(self.times)

    @property
    def a_second(self) -> float:
        return self.count / self.seconds

    @property
    def per_core(self) -> float:
        """Steps a second of CPU time: what a core would do that has nothing else to do."""
        return self.count / self.cpu if self.cpu else float("inf")

    def percentile(self, share: int) -> float:
        return sorted(self.times)[min(self.count - 1, self.count * share // 100)]


def together(rounds: Sequence[Measured]) -> Measured:
    """Several rounds of the same as one."""
    return Measured(
        rounds[0].name,
        sum(each.seconds for each in rounds),
        sum(each.cpu for each in rounds),
        [time for each in rounds for time in each.times],
        max(each.memory for each in rounds),
    )


async def measure(
    name: str,
    step: Callable[[], Awaitable[None]],
    *,
    count: int,
    at_once: int = 1,
    cpu_clock: Callable[[], float] = time.process_time,
) -> Measured:
    """Do `step` `count` times, `at_once` of them at the same time. `cpu_clock`: seconds of the measured process."""
    left, times = iter(range(count)), []

    async def worker() -> None:
        for _ in left:
            asked = time.perf_counter()
            await step()
            times.append((time.perf_counter() - asked) * 1000)

    used, began = cpu_clock(), time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(at_once)))
    return Measured(name, time.perf_counter() - began, cpu_clock() - used, times)


def count_of(arguments: Sequence[str], usage: str | None, default: int) -> int:
    """The one argument of a benchmark. Ends the program with its usage when it is called otherwise."""
    if len(arguments) > 1 or not all(argument.isdecimal() and int(argument) for argument in arguments):
        sys.exit(usage)
    return int(arguments[0]) if arguments else default


def print_table(rows: Sequence[tuple[Measured, Measured | None]]) -> None:
    """A line for each; the ratio is to the other measurement of its pair, by CPU time."""
    print(f"{'':58} {'a second':>9} {'a core':>9} {'p50 ms':>8} {'p99 ms':>8} {'times':>6}")
    for row, other in rows:
        ratio = f"{row.per_core / other.per_core:.1f} ×" if other else ""
        print(
            f"{row.name:58} {row.a_second:9,.0f} {row.per_core:9,.0f}"
            f" {row.percentile(50):8.2f} {row.percentile(99):8.2f} {ratio:>6}"
        )


def print_memory(processes: dict[str, int]) -> None:
    print(f"\n{'memory (resident)':58} {'MiB':>9}")
    for name, size in processes.items():
        print(f"{name:58} {size / MIB:9.0f}")
