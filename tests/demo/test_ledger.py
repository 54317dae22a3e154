"""Asking the ledger as a demo does: on a real one, and on what is none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from stellar_sdk import Keypair

from lensproject.management.demo import ledger as demo_ledger
from lensproject.management.demo.faults import DemoFailed
from lensproject.management.demo.ledger import Ledger, described, open_account, open_trustline
from tests.demo.test_programs import answering
from tests.payments.sandbox.running import RunningSandbox, sandbox
from tests.servers.ports import free_port


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with sandbox(tmp_path_factory.mktemp("ledger"), ledger_seconds=0.2) as found:
        yield found


def of(running: RunningSandbox) -> Ledger:
    return described(int(running.url.rpartition(":")[2]))


def test_it_describes_itself(running: RunningSandbox) -> None:
    found = of(running)
    assert found.url == running.url
    assert (found.network, found.passphrase) == ("stellar:local", running.passphrase)
    assert (found.code, found.issuer, found.contract) == ("USDC", running.issuer, running.contract)


def test_an_account_is_made_once(running: RunningSandbox) -> None:
    address = Keypair.random().public_key
    assert open_account(of(running), address) is True
    assert open_account(of(running), address) is False
    assert running.native_balance(address) == 10_000 * 10_000_000


def test_a_trustline_is_opened_once_and_holds_the_asset(running: RunningSandbox) -> None:
    keypair = Keypair.random()
    assert open_trustline(of(running), keypair.raw_secret_key()) is True
    assert open_trustline(of(running), keypair.raw_secret_key()) is False
    running.mint(keypair.public_key, "2.5")
    assert running.balance(keypair.public_key) == 25_000_000


def test_an_address_that_is_none_is_told_with_the_ledgers_words(running: RunningSandbox) -> None:
    with pytest.raises(DemoFailed, match="The ledger answers 400 to /friendbot"):
        demo_ledger._get(of(running).port, "/friendbot?addr=nobody")


def test_nobody_at_the_port() -> None:
    with pytest.raises(DemoFailed, match="The ledger does not answer"):
        described(free_port())


def test_somebody_else_at_the_port() -> None:
    with answering(200, b"") as port, pytest.raises(DemoFailed, match="answers 404"):
        described(port)
