"""Node with the locked packages, once a session, and a ledger that it may talk to over HTTPS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interop import node as nodes
from tests.interop.certificates import Certificates, make_certificates
from tests.interop.node import FOLDER, Node, running_node

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
