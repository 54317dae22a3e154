"""Which jobs there are. Declaring one costs nothing: only a worker runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from inspect import Parameter, iscoroutinefunction, signature
from typing import Any, TypeVar

from django.utils.module_loading import autodiscover_modules

Function = TypeVar("Function", bound=Callable[..., Any])
Seconds = float | Callable[[], float]

LEASE_PREFIX = "job:"
LIMIT_SECONDS = 600.0


@dataclass(frozen=True)
class Job:
    """A function that the workers run every `seconds`, one worker at a time."""

    name: str
    seconds: Seconds
    function: Callable[..., Any]
    vendor: str | None = None
    limit: float = LIMIT_SECONDS

    @property
    def period(self) -> float:
        return self.seconds() if callable(self.seconds) else self.seconds

    @property
    def lease(self) -> str:
        """The name of its Lease row."""
        return f"{LEASE_PREFIX}{self.name}"

    @property
    def is_async(self) -> bool:
        return iscoroutinefunction(self.function)


_jobs: dict[str, Job] = {}


def every(
    seconds: Seconds, *, name: str | None = None, vendor: str | None = None, limit: float = LIMIT_SECONDS
) -> Callable[[Function], Function]:
    """Have a function run every `seconds` by `manage.py worker`; a callable is asked when a worker plans.

    A sync function is a short step on the database and runs in a thread. An async one is a flow, runs on the worker's
    event loop and is cancelled after `limit` seconds. Returning a number says how much was done; 0 is logged as DEBUG.
    `name` defaults to the app and the function, such as `bazaar.probe_entries`. `vendor` (`postgresql`, `sqlite`)
    leaves the job out on other databases.

    Raises ValueError when the job cannot be run like that, or when its name is taken.
    """

    def declare(function: Function) -> Function:
        label = function.__module__.partition(".")[0]
        job = Job(name or f"{label}.{function.__name__}", seconds, function, vendor, limit)
        _check(job)
        _jobs[job.name] = job
        return function

    return declare


def _check(job: Job) -> None:
    parameters = signature(job.function).parameters.values()
    if any(
        p.default is p.empty and p.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD) for p in parameters
    ):
        raise ValueError(f"job {job.name}: the worker calls it without arguments")
    if not callable(job.seconds) and job.seconds <= 0:
        raise ValueError(f"job {job.name}: it runs every {job.seconds} seconds, which must be more than 0")
    if len(job.lease) > 200:
        raise ValueError(f"job {job.name}: the name is too long for its lease")
    if job.name in _jobs:
        raise ValueError(f"job {job.name}: declared twice")


def registered(vendor: str) -> tuple[Job, ...]:
    """The jobs for a database (`postgresql`, `sqlite`), by name."""
    return tuple(job for _, job in sorted(_jobs.items()) if job.vendor in (None, vendor))


def discover() -> None:
    """Import the module `jobs` of every app, so that what it declares is registered."""
    autodiscover_modules("jobs")
    import_module("lensproject.core.jobs.orphans")


@contextmanager
def scratch() -> Iterator[None]:
    """Within the block there are the jobs that it declares and no others. For tests."""
    before = dict(_jobs)
    _jobs.clear()
    try:
        yield
    finally:
        _jobs.clear()
        _jobs.update(before)
