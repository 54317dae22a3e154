"""Node with the locked packages, once a session, and a ledger that it may talk to over HTTPS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from stellar_sdk import Keypair

from tests.interop import node as nodes
from tests.interop.certificates import Certificates, make_certificates
from tests.interop.node import FOLDER, Node, running_node
from tests.payments.sandbox.running import RunningSandbox, sandbox

INSTALL_S = 300
"""What a test of this folder may take when it is the one that installs the packages."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if FOLDER in item.path.parents and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(INSTALL_S))


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory, certificates: Certificates) -> Iterator[Node]:
    """A Node process for the session, which trusts `certificates`."""
    nodes.install()
    log: Path = tmp_path_factory.mktemp("node") / "node.log"
    with running_node(log, authority=certificates.authority) as process:
        yield process


@dataclass(frozen=True)
class Ledger:
    """A ledger as `stellar:testnet`, the only network besides mainnet that npm's x402 packages know.

    `https` is the same node behind a certificate of the test authority.
    """

    sandbox: RunningSandbox
    https: str
    seller: str
    """An account with a trustline, paid by every test."""

    @property
    def asset(self) -> str:
        return self.sandbox.contract

    def payer(self, amount: str = "1") -> Keypair:
        """A new account with a trustline and so much of the asset."""
        return self.sandbox.funded(Keypair.random(), amount)


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory, node: Node, certificates: Certificates) -> Iterator[Ledger]:
    """One for the session: every test makes accounts of its own. It closes four times a second."""
    with sandbox(tmp_path_factory.mktemp("ledger"), network="stellar:testnet", ledger_seconds=0.25) as running:
        to = urlsplit(running.url).port
        given = {"to": to, "key": str(certificates.key), "certificate": str(certificates.certificate)}
        seller = running.funded(Keypair.random(), "0").public_key
        yield Ledger(running, f"https://localhost:{node.call('tls', 'front', given)}", seller)
