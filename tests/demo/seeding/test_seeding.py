from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from bazaar.catalog.entries import set_entry_state
from bazaar.catalog.networks import revise_network
from bazaar.markets.curation import create_pair, revise_pair, revise_venue
from bazaar.models import Asset, CatalogEntry, Market, Network, Pair, PaymentOption, Seller, SellerAddress, Venue
from lensproject.core.stellar.addresses import is_account
from lensproject.management.demo import seeding
from lensproject.management.demo.run_file import Secrets
from lensproject.management.demo.seeding import Seeded
from payments.budgets.limits import raise_limit
from payments.models import Agent, ApiKey, Budget, Organisation, Policy, Team
from tests.builders import make_network
from tests.demo.seeding.planted import secrets_of, seed

pytestmark = pytest.mark.django_db

MODELS = (
    *(Network, Asset, Seller, SellerAddress, CatalogEntry, PaymentOption, Pair, Venue, Market),
    *(Organisation, Team, Agent, Policy, Budget, ApiKey, User),
)


def counts() -> dict[str, int]:
    return {model.__name__: model._base_manager.count() for model in MODELS}


def test_the_first_run_makes_a_whole_small_platform(tmp_path: Path) -> None:
    seeded = seed(tmp_path)
    assert counts() == {
        **dict.fromkeys(("Network", "Seller", "SellerAddress", "CatalogEntry", "PaymentOption", "Pair", "Market"), 1),
        **dict.fromkeys(("Organisation", "Team", "Agent", "Policy", "Budget", "ApiKey", "User"), 1),
        "Asset": 2,
        "Venue": 2,
    }
    assert (seeded.network, seeded.rpc_url) == ("stellar:local", None)
    assert len(seeded.made) == 17


def test_the_local_network_is_the_default_and_enabled(tmp_path: Path) -> None:
    seed(tmp_path)
    network = Network.objects.get()
    assert (network.name, network.enabled, network.is_default) == ("stellar:local", True, True)
    assert network.passphrase == "Standalone Network ; February 2017"


def test_one_entry_is_listed_with_its_price(tmp_path: Path) -> None:
    seed(tmp_path)
    entry = CatalogEntry.objects.get()
    option = entry.options.get()
    assert (entry.method, entry.route, entry.state) == ("GET", "/weather/:city", "listed")
    assert (option.asset.code, option.amount, option.scheme) == ("USDC", 500_000, "exact")
    assert option.pay_to == SellerAddress.objects.get().address


def test_the_agent_has_a_daily_budget_of_five_and_at_most_a_tenth_a_call(tmp_path: Path) -> None:
    seed(tmp_path)
    agent = Agent.objects.get()
    budget = Budget.objects.get(agent=agent)
    policy = Policy.objects.get(agent=agent)
    usdc = Asset.objects.get(code="USDC")
    assert (budget.window, budget.limit, budget.asset) == ("day", 50_000_000, usdc)
    assert (policy.state, policy.networks) == ("published", ["stellar:local"])
    assert [(row.asset, row.per_call_maximum) for row in policy.assets.all()] == [(usdc, 1_000_000)]
    assert agent.default_asset == usdc


def test_issuer_and_seller_have_keys_of_their_own_that_only_their_owner_reads(tmp_path: Path) -> None:
    seed(tmp_path)
    issuer, pay_to = Asset.objects.get(code="USDC").issuer, SellerAddress.objects.get().address
    assert is_account(issuer)
    assert is_account(pay_to)
    assert issuer != pay_to
    files = sorted((tmp_path / "keys").iterdir())
    assert [file.name for file in files] == ["demo_issuer_seed", "demo_seller_seed"]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_the_second_run_makes_nothing_and_keeps_the_secrets(tmp_path: Path) -> None:
    first = seed(tmp_path)
    before = counts()
    second = seed(tmp_path, secrets_of(first))
    assert second.made == ()
    assert counts() == before
    assert secrets_of(second) == secrets_of(first)
    assert (first.operator.is_new, second.operator.is_new) == (True, False)


def test_what_an_operator_changed_stays_changed(tmp_path: Path) -> None:
    first = seed(tmp_path)
    pair, venue, budget = Pair.objects.get(), Venue.objects.get(key="pools"), Budget.objects.get()
    revise_pair(pair, {"enabled": False}, row_version=pair.row_version, by=None, reason="test")
    revise_venue(venue, {"enabled": True}, row_version=venue.row_version, by=None, reason="test")
    raise_limit(budget, 90_000_000, row_version=budget.row_version, by=None, reason="test")
    entry = CatalogEntry.objects.get()
    set_entry_state(entry, "delisted", row_version=entry.row_version, by=None, reason="test")
    before = counts()
    assert seed(tmp_path, secrets_of(first)).made == ()
    assert counts() == before
    assert not Pair.objects.get().enabled
    assert Venue.objects.get(key="pools").enabled
    assert Budget.objects.get().limit == 90_000_000
    assert CatalogEntry.objects.get().state == "delisted"


def test_what_an_operator_removed_stays_away(tmp_path: Path) -> None:
    first = seed(tmp_path)
    Market.objects.all().delete()
    Pair.objects.all().delete()
    Venue.objects.get(key="pools").delete()
    assert seed(tmp_path, secrets_of(first)).made == ()
    assert not Pair.objects.exists()
    assert not Venue.objects.filter(key="pools").exists()


def test_another_default_network_stays_the_default(tmp_path: Path) -> None:
    testnet = make_network("stellar:testnet", rpc_url="http://127.0.0.1:8003")
    seeded = seed(tmp_path)
    assert list(Network.objects.filter(is_default=True)) == [testnet]
    assert (seeded.network, seeded.rpc_url) == ("stellar:testnet", "http://127.0.0.1:8003")


def test_a_default_that_was_taken_off_is_not_put_back(tmp_path: Path) -> None:
    first = seed(tmp_path)
    network = Network.objects.get()
    revise_network(network, {"is_default": False}, row_version=network.row_version, by=None, reason="test")
    assert seed(tmp_path, secrets_of(first)).network is None


def test_without_its_network_nothing_of_it_is_made_and_no_key_either(tmp_path: Path) -> None:
    make_network().delete()
    seeded = seed(tmp_path)
    assert seeded.made == ("user admin",)
    assert seeded.key.token is None
    assert "removed" in seeded.key.story


def test_a_pair_that_is_there_the_other_way_round_is_enough(tmp_path: Path) -> None:
    first = seed(tmp_path)
    pair = Pair.objects.get()
    Market.objects.all().delete()
    pair.delete()
    values = {"network": pair.network, "asset_a": pair.asset_b, "asset_b": pair.asset_a}
    create_pair(values, by=None, reason="test")
    assert seed(tmp_path, secrets_of(first)).made == ()
    assert Pair.objects.count() == 1


def test_all_of_it_or_nothing(tmp_path: Path) -> None:
    before = counts()

    def break_down(seeded: Seeded) -> None:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        seeding.seed(tmp_path / "keys", Secrets(), before_commit=break_down)
    assert counts() == before


def test_the_secrets_can_be_written_down_before_anything_is_committed(tmp_path: Path) -> None:
    seen: list[Seeded] = []
    seeded = seeding.seed(tmp_path / "keys", Secrets(), before_commit=seen.append)
    assert seen == [seeded]
