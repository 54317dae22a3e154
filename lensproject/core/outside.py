"""No request to another host while a database transaction is open (architecture: rule 4): reserve, call, then record.

An open transaction holds locks and a connection for as long as a stranger likes to take. The rule is that of
`atomic(durable=True)`: a test's own wrapping transaction does not count.
"""

from __future__ import annotations

import asyncio

from asgiref.sync import AsyncToSync, sync_to_async
from django.core.exceptions import ImproperlyConfigured
from django.db import connections


class TransactionOpen(RuntimeError):
    """A programming error: the caller waits for another host inside a transaction."""


async def refuse_inside_transaction() -> None:
    """Raises TransactionOpen when this thread, or the synchronous code that waits for us, is inside a transaction."""
    if is_transaction_open() or await _is_open_in_the_waiting_thread():
        raise TransactionOpen("another host is never asked inside a database transaction")


def is_transaction_open() -> bool:
    """Whether one of this thread's connections is inside a transaction that a test did not open around itself."""
    try:
        opened = connections.all(initialized_only=True)
    except ImproperlyConfigured:  # A script without settings has no database.
        return False
    for connection in opened:
        innermost = connection.atomic_blocks[-1] if connection.atomic_blocks else None
        if connection.in_atomic_block and not getattr(innermost, "_from_testcase", False):
            return True
    return False


async def _is_open_in_the_waiting_thread() -> bool:
    """Under `async_to_sync` the caller's connections belong to a thread that is waiting for us; it is asked there."""
    waits = getattr(AsyncToSync.executors, "current", None)
    if waits is None and asyncio.get_running_loop() not in AsyncToSync.loop_thread_executors:
        return False
    try:
        return await sync_to_async(is_transaction_open)()
    except RuntimeError:  # It waits no longer: this is a task that outlived its caller.
        return False
