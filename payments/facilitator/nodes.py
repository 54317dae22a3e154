"""Nodes with their connections kept, one for each URL and event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from lensproject.core.stellar.rpc import Bounds, Node

BOUNDS = Bounds()


@dataclass(frozen=True)
class _Kept:
    node: Node
    closing: AsyncGenerator[Node, None]


_kept: dict[tuple[asyncio.AbstractEventLoop, str], _Kept] = {}


async def node_at(url: str) -> Node:
    """The node of this event loop. Its connections end with the loop."""
    key = (asyncio.get_running_loop(), url)
    found = _kept.get(key)
    if found is None:
        _forget_ended_loops()
        closing = _open(url)
        found = _kept.setdefault(key, _Kept(await anext(closing), closing))
    return found.node


async def _open(url: str) -> AsyncGenerator[Node, None]:
    """A loop that ends closes the generators that it still has: that is when the connections end."""
    node = Node(url, BOUNDS)
    try:
        yield node
    finally:
        await node.aclose()


def _forget_ended_loops() -> None:
    for key in [key for key in _kept if key[0].is_closed()]:
        del _kept[key]
