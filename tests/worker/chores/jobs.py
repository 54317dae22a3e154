"""Jobs that a test chooses from, by the environment variable CHORES of the process."""

from __future__ import annotations

import asyncio
import os
import time

from lensproject.core import pool
from lensproject.core.jobs import every
from tests.worker.chores.marks import mark, wait_for


def exclusive() -> None:
    mark("enter")
    time.sleep(0.05)
    mark("leave")


def broken() -> None:
    mark("broken")
    raise LookupError("there is nothing")


async def endless() -> None:
    await pool.write(mark, "endless")
    try:
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        await pool.write(mark, "tidied up")
        raise


def stubborn() -> None:
    mark("stubborn")
    wait_for("for ever")


async def hanging() -> None:
    """What no flow may do: it waits without letting others run."""
    await pool.write(mark, "hanging")
    while True:
        time.sleep(10)  # noqa: ASYNC251


for _name in filter(None, os.environ.get("CHORES", "").split(",")):
    every(0.2, name=f"chores.{_name}")(globals()[_name])
