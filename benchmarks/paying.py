"""What the benchmarks of payments measure with: a ledger that stands still, a payment, Node, a node that replays."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from stellar_sdk import Keypair

from lensproject.core.stellar.rpc import Node as StellarNode
from lensproject.core.x402.wire import PaymentRequirements
from payments.x402.client import Unsigned, pay
from payments.x402.ledger_keys import Token
from payments.x402.resource_server import Price, payment_requirements
from tests.interop.node import SCRIPTS, install, node_command, running_node
from tests.interop.node import Node as NodeProcess
from tests.payments.sandbox.running import RunningSandbox, sandbox

TESTNET = "stellar:testnet"


@dataclass(frozen=True)
class Bench:
    """`facilitator` has lumens. `seller` has a trustline."""

    ledger: RunningSandbox
    node: NodeProcess
    facilitator: Keypair
    seller: str

    @property
    def token(self) -> Token:
        return Token(self.ledger.contract, self.ledger.code, self.ledger.issuer)

    def terms(self, amount: str = "0.001") -> PaymentRequirements:
        price = Price(self.ledger.contract, amount)
        return payment_requirements(price, network=TESTNET, pay_to=self.seller, seconds=300)

    async def payment(self, payer: Keypair) -> dict[str, Any]:
        """A payment of `terms()` by our client, as JSON."""

        async def sign(unsigned: Unsigned) -> bytes:
            return payer.sign(unsigned.digest)

        async with StellarNode(self.ledger.url) as node:
            return (await pay(self.terms(), payer=payer.public_key, sign=sign, node=node)).write()


@contextmanager
def bench(folder: Path, *, ledger_seconds: float) -> Iterator[Bench]:
    """A ledger as testnet, which closes by step when `ledger_seconds` is 0."""
    install()
    with (
        sandbox(folder, network=TESTNET, ledger_seconds=ledger_seconds) as ledger,
        running_node(folder / "node.log") as node,
    ):
        facilitator = Keypair.random()
        ledger.friendbot(facilitator.public_key)
        seller = ledger.funded(Keypair.random(), "0").public_key
        yield Bench(ledger, node, facilitator, seller)


@contextmanager
def replaying(url: str) -> Iterator[tuple[str, int]]:
    """Address and process id of a node that answers at once what the node at `url` answered the first time."""
    command = node_command(str(SCRIPTS / "replay.mjs"), url)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = int(process.stdout.readline()) if process.stdout else 0
            yield f"http://127.0.0.1:{port}", process.pid
        finally:
            process.terminate()


def memory(pid: int) -> int:
    return int(psutil.Process(pid).memory_info().rss)


def cpu_seconds(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)
