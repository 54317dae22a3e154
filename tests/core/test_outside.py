"""Nobody waits for another host inside a database transaction."""

from __future__ import annotations

import asyncio

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import transaction

from lensproject.core import pool
from lensproject.core.outside import TransactionOpen, refuse_inside_transaction
from lensproject.core.stellar.rpc import Node
from tests.core.stellar.scripted import scripted
from tests.databases import Database

LATEST = {"id": "ab", "protocolVersion": 23, "sequence": 100}


async def ask() -> int:
    async with scripted({"getLatestLedger": LATEST}) as there, Node(there.url) as node:
        return (await node.latest_ledger()).sequence


def test_outside_a_transaction_a_node_is_asked(cloned_database: Database) -> None:
    assert asyncio.run(ask()) == 100
    assert async_to_sync(ask)() == 100


def test_synchronous_code_inside_a_transaction_is_refused(cloned_database: Database) -> None:
    with transaction.atomic(), pytest.raises(TransactionOpen):
        async_to_sync(ask)()


def test_also_from_a_task_of_the_flow(cloned_database: Database) -> None:
    async def flow() -> int:
        return await asyncio.create_task(ask())

    with transaction.atomic(), pytest.raises(TransactionOpen):
        async_to_sync(flow)()
    assert async_to_sync(flow)() == 100


def test_also_from_a_step_of_the_pool_and_from_a_synchronous_view(cloned_database: Database) -> None:
    def step() -> int:
        with transaction.atomic():
            return async_to_sync(ask)()

    async def serve() -> None:
        with pytest.raises(TransactionOpen):
            await pool.write(step)
        with pytest.raises(TransactionOpen):
            await sync_to_async(step)()
        assert await ask() == 100

    asyncio.run(serve())


def test_a_task_that_outlives_its_caller_is_not_hindered(cloned_database: Database) -> None:
    started: list[asyncio.Task[int]] = []
    go_on = asyncio.Event()

    async def later() -> int:
        await go_on.wait()
        return await ask()

    async def flow() -> None:
        started.append(asyncio.create_task(later()))

    async def serve() -> int:
        await sync_to_async(async_to_sync(flow))()
        go_on.set()
        return await started[0]

    assert asyncio.run(serve()) == 100


def test_a_tests_own_transaction_does_not_count(db: None) -> None:
    asyncio.run(_refused_or_not())
    with transaction.atomic(), pytest.raises(TransactionOpen):
        async_to_sync(_refused_or_not)()


async def _refused_or_not() -> None:
    await refuse_inside_transaction()
