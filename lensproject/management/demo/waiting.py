"""Waiting for children: until one answers, until one ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from lensproject.management.demo.faults import DemoFailed
from lensproject.management.demo.processes import Child

Ask = Callable[[], str | None]
"""Asks a program whether it is ready. None when it is, else what it said, in words."""

PAUSE_SECONDS = 0.05
LOOK_SECONDS = 0.2


def until_ready(child: Child, ask: Ask, *, seconds: float) -> None:
    """Raises DemoFailed with the tail of the log when the child ends first or is not ready in time."""
    deadline = time.monotonic() + seconds
    while (answer := ask()) is not None:
        refuse_ended([child])
        if time.monotonic() > deadline:
            raise DemoFailed(with_tail(child, f"{child.name} is not ready after {seconds:g} s: {answer}"))
        time.sleep(PAUSE_SECONDS)


def until_ended(child: Child, *, seconds: float, others: Sequence[Child]) -> None:
    """Wait for a child that is meant to end by itself with status 0, while the others live. Raises DemoFailed."""
    deadline = time.monotonic() + seconds
    while not child.has_ended():
        refuse_ended(others)
        if time.monotonic() > deadline:
            raise DemoFailed(with_tail(child, f"{child.name} did not end within {seconds:g} s"))
        time.sleep(PAUSE_SECONDS)
    if child.process.wait() != 0:
        refuse_ended([child])


def until_one_ends(children: Sequence[Child]) -> None:
    """Return never: raises DemoFailed with the log's tail of the first child that ends."""
    while True:
        refuse_ended(children)
        time.sleep(LOOK_SECONDS)


def refuse_ended(children: Sequence[Child]) -> None:
    for child in children:
        if child.has_ended():
            raise DemoFailed(with_tail(child, f"{child.name} ended with {child.status()}"))


def with_tail(child: Child, sentence: str) -> str:
    return f"{sentence}. The end of {child.log}:\n\n{child.tail()}"
