"""The demo seller as a real process, with the facilitator that it is told."""

from __future__ import annotations

import http.client
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.interop.conftest import Ledger
from tests.servers import processes
from tests.servers.ports import free_port

PRICE, UNITS = "0.0025", 25_000


@contextmanager
def demo_seller(folder: Path, ledger: Ledger, facilitator: str) -> Iterator[str]:
    """Its URL. It is paid `PRICE` into `ledger.seller`; payments last long, as ledgers close fast here."""
    port, log = free_port(), folder / "seller.log"
    environment = processes.child_environment(
        DJANGO_SETTINGS_MODULE="payments.demo.settings",
        SELLER_NETWORK=ledger.sandbox.network,
        SELLER_ASSET=ledger.asset,
        SELLER_PAY_TO=ledger.seller,
        SELLER_FACILITATOR=facilitator,
        SELLER_PRICE=PRICE,
        SELLER_SECONDS="300",
    )
    command = [sys.executable, "-m", "daphne", "-b", "127.0.0.1", "-p", str(port), "payments.demo.asgi:application"]
    process = processes.start(command, log=log, environment=environment)
    try:
        processes.wait_until(lambda: answers(port), process=process, log=log, what="the demo seller")
        yield f"http://127.0.0.1:{port}"
    finally:
        processes.end(process)


def answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
