"""What is seeded when a ledger runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr
from pytest_django import Settings
from stellar_sdk import Keypair

from bazaar.catalog.networks import revise_network
from bazaar.models import Asset, Network, PaymentOption
from lensproject.core.stellar.networks import LOCAL, PASSPHRASES
from lensproject.management.demo import seeding
from lensproject.management.demo.ledger import Ledger
from lensproject.management.demo.run_file import Secrets
from lensproject.management.demo.seeding import Seeded
from payments.models import SourceAccount
from tests.builders.numbers import account

pytestmark = pytest.mark.django_db
LEDGER = Ledger(8002, LOCAL, PASSPHRASES[LOCAL], "USDC", account(9_000_001), "C" * 56)


def seed(folder: Path, ledger: Ledger | None = LEDGER) -> Seeded:
    return seeding.seed(folder / "keys", Secrets(), before_commit=lambda _: None, ledger=ledger)


def test_the_network_is_on_the_ledger_and_its_dollar_is_the_one_of_the_seller(tmp_path: Path) -> None:
    seeded = seed(tmp_path)
    usdc = Asset.objects.get(code="USDC")
    assert Network.objects.get().rpc_url == seeded.rpc_url == "http://127.0.0.1:8002"
    assert usdc.issuer == LEDGER.issuer
    assert seeded.selling is not None
    assert seeded.selling.asset == usdc.contract
    assert seeded.selling.pay_to == PaymentOption.objects.get().pay_to


def test_the_facilitator_has_an_account_whose_key_is_a_file(tmp_path: Path) -> None:
    seeded = seed(tmp_path)
    source = SourceAccount.objects.get()
    path = tmp_path / "keys" / "facilitator"
    assert path.stat().st_mode & 0o777 == 0o600
    assert source.address == Keypair.from_raw_ed25519_seed(bytes.fromhex(path.read_text())).public_key
    assert (source.key_name, source.state, source.network.name) == ("facilitator", "active", LOCAL)
    assert seeded.selling is not None
    assert seeded.selling.facilitator == source.address
    assert path.read_text() not in str(SourceAccount.objects.values())


def test_the_second_run_makes_nothing_and_follows_the_ledger_to_another_port(tmp_path: Path) -> None:
    seed(tmp_path)
    moved = Ledger(8102, *[getattr(LEDGER, name) for name in ("network", "passphrase", "code", "issuer", "contract")])
    assert [row for row in seed(tmp_path, moved).made if not row.startswith("user")] == []
    assert Network.objects.get().rpc_url == "http://127.0.0.1:8102"
    assert SourceAccount.objects.count() == 1


def test_a_node_that_an_operator_chose_elsewhere_stays(tmp_path: Path) -> None:
    seed(tmp_path)
    network = Network.objects.get()
    changes = {"rpc_url": "https://rpc.example"}
    revise_network(network, changes, row_version=network.row_version, by=None, reason="test")
    seed(tmp_path)
    assert Network.objects.get().rpc_url == "https://rpc.example"


def test_the_key_of_the_setting_takes_the_place_of_the_file(tmp_path: Path, settings: Settings) -> None:
    seed(tmp_path)
    other = Keypair.random()
    settings.LENS = settings.LENS.model_copy(update={"facilitator_key": SecretStr(other.raw_secret_key().hex())})
    seed(tmp_path)
    states = dict(SourceAccount.objects.values_list("address", "state"))
    assert states.pop(other.public_key) == "active"
    assert [*states.values()] == ["paused"]


def test_without_a_ledger_nothing_is_sold(tmp_path: Path) -> None:
    assert seed(tmp_path, None).selling is None
    assert not SourceAccount.objects.exists()
    assert not (tmp_path / "keys" / "facilitator").exists()
