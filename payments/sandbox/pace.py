"""When ledgers close: each so many seconds, or only by step."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from payments.sandbox.node import Node

log = logging.getLogger(__name__)


class Pace:
    """`seconds` between ledgers; 0 means that somebody steps."""

    def __init__(self, node: Node, seconds: float) -> None:
        self.node = node
        self.seconds = seconds
        self._changed = asyncio.Event()

    def change(self, seconds: float) -> None:
        self.seconds = seconds
        self._changed.set()

    async def run(self) -> None:
        """Close ledgers until cancelled. A ledger that cannot be closed loses what waited, and the next one follows."""
        while True:
            self._changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), self.seconds or None)
                continue
            try:
                self.node.close()
            except Exception:
                log.exception("A ledger could not be closed; its transactions are dropped.")
                self.node.waiting.clear()
