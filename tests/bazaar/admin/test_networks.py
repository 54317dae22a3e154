from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from bazaar.models import Asset, Network, Venue
from tests.builders import make_asset, make_network, make_pair, make_venue
from tests.builders.networks import PASSPHRASES
from tests.builders.numbers import account, contract
from tests.desk.forms import mistakes, send
from tests.desk.html import text
from tests.desk.people import signed_in


def page(network: Network, name: str = "change") -> str:
    return reverse(f"admin:bazaar_network_{name}", args=(network.pk,))


def test_a_network_is_made_off_and_enabled_on_its_own_page(superuser: Client) -> None:
    name = "stellar:testnet"
    send(
        superuser, "/admin/bazaar/network/add/", name=name, passphrase=PASSPHRASES[name], rpc_url="https://rpc.example"
    )
    network = Network.objects.get()
    assert network.enabled is False

    shown = text(superuser.get(page(network, "enable")))
    assert "What moves on it Test money" in shown
    send(superuser, page(network, "enable"), reason="for trying")

    assert Network.objects.get().enabled is True


def test_mainnet_stays_off_where_the_environment_says_nothing(superuser: Client) -> None:
    network = make_network("stellar:pubnet", enabled=False)

    assert "What moves on it Real money" in text(superuser.get(page(network, "enable")))
    refused = send(superuser, page(network, "enable"), reason="go")

    assert "set LENS_MAINNET_ENABLED=true" in mistakes(refused)
    assert Network.objects.get().enabled is False


def test_mainnet_is_enabled_where_the_environment_allows_it(superuser: Client, settings: Settings) -> None:
    settings.LENS = settings.LENS.model_copy(update={"mainnet_enabled": True})
    network = make_network("stellar:pubnet", enabled=False)

    send(superuser, page(network, "enable"), reason="go")

    assert Network.objects.get().enabled is True


def test_the_form_cannot_enable_a_network_past_its_page(superuser: Client) -> None:
    network = make_network("stellar:testnet", enabled=False)

    send(superuser, page(network), enabled="on", reason="x", horizon_url="https://horizon.example")

    stored = Network.objects.get()
    assert (stored.enabled, stored.horizon_url) == (False, "https://horizon.example")


def test_the_default_network_is_not_disabled_and_the_mark_moves(superuser: Client) -> None:
    first, second = make_network(), make_network("stellar:testnet", is_default=False)

    refused = send(superuser, page(first, "disable"), reason="x")
    assert "The default network must be enabled." in mistakes(refused)
    send(superuser, page(second), is_default="on", reason="testing now")

    assert dict(Network.objects.values_list("pk", "is_default")) == {first.pk: False, second.pk: True}
    assert Network.objects.get(pk=first.pk).enabled is True


def test_a_viewer_sees_hosts_of_nodes_and_never_their_keys(db: None) -> None:
    network = make_network(rpc_url="https://node.example/v1/our-key?token=t")
    venue = make_venue(source="https://user:our-key@book.example/path?token=t")
    viewer = signed_in("viewer")

    pages = [page(network), "/admin/bazaar/network/", reverse("admin:bazaar_venue_change", args=(venue.pk,))]
    shown = [viewer.get(address).content.decode() for address in pages]

    assert "https://node.example" in shown[0]
    assert "https://node.example" in shown[1]
    assert "https://book.example/path" in shown[2]
    assert all("our-key" not in html and "token=t" not in html for html in shown)


def test_assets_get_their_contract_and_never_change_what_they_are(superuser: Client) -> None:
    network, issuer = make_network(), account(7)
    send(
        superuser,
        "/admin/bazaar/asset/add/",
        network=network.pk,
        kind="classic",
        code="USDC",
        issuer=issuer,
        contract="",
    )
    asset = Asset.objects.get()
    assert (asset.contract[:1], len(asset.contract), asset.decimals) == ("C", 56, 7)

    send(superuser, f"/admin/bazaar/asset/{asset.pk}/change/", code="EVIL", enabled=None, reason="unlisted")

    stored = Asset.objects.get()
    assert (stored.code, stored.enabled) == ("USDC", False)


@pytest.mark.parametrize(
    ("typed", "mistake"),
    [
        ({"kind": "classic", "code": "USDC", "issuer": ""}, "Native is XLM without issuer"),
        ({"kind": "classic", "code": "USDC", "issuer": "G" + "A" * 55}, "checksum"),
        ({"kind": "classic", "code": "A-B", "issuer": account(7)}, "letters and digits"),
        ({"kind": "contract", "code": "TOK", "issuer": "", "contract": ""}, "contract"),
        ({"kind": "contract", "code": "TOK", "contract": contract(7), "decimals": "13"}, "12 decimals"),
        ({"kind": "nonsense", "code": "TOK"}, "not one of the available choices"),
    ],
)
def test_a_wrong_asset_is_refused_with_the_reason(superuser: Client, typed: dict[str, str], mistake: str) -> None:
    network = make_network()

    refused = send(superuser, "/admin/bazaar/asset/add/", network=network.pk, **typed)

    assert mistake in mistakes(refused)
    assert not Asset.objects.exists()


def test_an_asset_is_listed_once(superuser: Client) -> None:
    asset = make_asset("USDC")

    typed = {"network": asset.network_id, "kind": "classic", "code": "USDC", "issuer": asset.issuer, "contract": ""}
    refused = send(superuser, "/admin/bazaar/asset/add/", **typed)

    assert "already listed" in mistakes(refused)
    assert Asset.objects.count() == 1


def test_a_venue_is_tuned_and_stays_on_its_network(superuser: Client) -> None:
    venue, other = make_venue(), make_network("stellar:testnet")
    address = reverse("admin:bazaar_venue_change", args=(venue.pk,))

    send(superuser, address, network=other.pk, weight="50", enabled=None, reason="thin")
    too_heavy = send(superuser, address, weight="1001", reason="x")

    assert mistakes(too_heavy) == "A weight is 0 to 1000 percent."
    stored = Venue.objects.get()
    assert (stored.network, stored.weight, stored.enabled) == (venue.network, 50, False)


def test_a_pair_of_assets_of_two_networks_is_refused(superuser: Client) -> None:
    here, there = make_asset(), make_asset(network=make_network("stellar:testnet"))

    typed = {"network": here.network_id, "asset_a": here.pk, "asset_b": there.pk}
    refused = send(superuser, "/admin/bazaar/pair/add/", **typed)

    assert mistakes(refused) == "This asset is not on stellar:local."


def test_a_pair_is_there_once_in_either_order(superuser: Client) -> None:
    pair = make_pair()

    typed = {"network": pair.network_id, "asset_a": pair.asset_b_id, "asset_b": pair.asset_a_id}
    refused = send(superuser, "/admin/bazaar/pair/add/", **typed)

    assert "perhaps in the other order" in mistakes(refused)
