"""The bounded threads in which asynchronous code runs its database steps.

Outside Django's own request handling, asgiref runs all of them on one thread (20 calls a second at 50 ms a query), so
the bridge and the flows share this pool. A step is a whole unit of work: several queries, one transaction at most. On
SQLite the writing steps of a process run on one thread, because several writers starve each other (waits of 2.5 s were
measured).
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import close_old_connections, connection, connections

P = ParamSpec("P")
T = TypeVar("T")


async def read(step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a step that only reads."""
    return await _run("reads", partial(step, *args, **kwargs))


async def write(step: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a step that writes: on PostgreSQL beside the readers, on SQLite on the one writing thread."""
    name = "writes" if connection.vendor == "sqlite" else "reads"
    return await _run(name, partial(step, *args, **kwargs))


async def _run(name: str, step: Callable[[], T]) -> T:
    if getattr(settings, "POOL_IN_THE_TEST_THREAD", False):
        # A test's transaction is visible to its own connection only.
        return await sync_to_async(step, thread_sensitive=True)()
    context = contextvars.copy_context()
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads(name), context.run, _fresh, step)


def _fresh(step: Callable[[], T]) -> T:
    close_old_connections()
    try:
        return step()
    finally:
        close_old_connections()


@cache
def _threads(name: str) -> ThreadPoolExecutor:
    size = 1 if name == "writes" else getattr(settings, "POOL_THREADS", 8)
    return ThreadPoolExecutor(max_workers=size, thread_name_prefix=f"pool-{name}")


def close() -> None:
    """End the threads and their connections, for tests and for a process that stops."""
    for name in ("reads", "writes"):
        threads = _threads(name)
        for _ in range(threads._max_workers):
            threads.submit(connections.close_all)
        threads.shutdown(wait=True)
    _threads.cache_clear()
