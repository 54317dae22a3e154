from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from bazaar.models import CatalogEntry, Market, PaymentOption, Seller, SellerAddress
from lensproject.core import clock
from tests.builders import (
    make_asset,
    make_entry,
    make_market,
    make_network,
    make_option,
    make_pair,
    make_seller,
    make_venue,
)
from tests.builders.numbers import account
from tests.desk.forms import mistakes, send
from tests.desk.html import text

ADD = "/admin/bazaar/catalogentry/add/"


def page(entry: CatalogEntry, name: str = "change") -> str:
    return reverse(f"admin:bazaar_catalogentry_{name}", args=(entry.pk,))


def right(**over: Any) -> dict[str, Any]:
    return {
        "seller": make_seller().pk,
        "title": "Weather",
        "kind": "http",
        "method": "GET",
        "origin": "https://api.example",
        "route": "/weather/:city",
    } | over


@pytest.mark.parametrize(
    ("typed", "mistake"),
    [
        ({"origin": "https://api.example/path"}, "scheme, host and port"),
        ({"origin": "ftp://api.example"}, "scheme, host and port"),
        ({"route": "weather"}, "begins with"),
        ({"route": "/a/../b"}, "no path segment"),
        ({"tags": "a, b, c, d, e, f"}, "At most 5"),
        ({"tags": "a, a"}, "different tags"),
        ({"input_schema": '{"$ref": "https://elsewhere.example/s.json"}'}, "outside of it"),
        ({"input_schema": "[1]"}, "JSON object"),
        ({"input_schema": "{"}, "valid JSON"),
        ({"tool": "weather"}, "no tool"),
        ({"kind": "mcp"}, "an MCP tool the reverse"),
        ({"title": ""}, "required"),
        ({"icon_url": "javascript:alert(1)"}, "valid URL"),
    ],
)
def test_a_wrong_entry_is_refused_with_the_reason(superuser: Client, typed: dict[str, str], mistake: str) -> None:
    refused = send(superuser, ADD, **right(**typed))

    assert mistake in mistakes(refused)
    assert not CatalogEntry.objects.exists()


def test_an_entry_with_schemas_and_an_empty_box_is_made(superuser: Client) -> None:
    schema = '{"type": "object", "properties": {"city": {"type": "string"}}}'

    send(superuser, ADD, **right(input_schema=schema, output_schema="", example='{"city": "Berlin"}'))

    entry = CatalogEntry.objects.get()
    assert entry.input_schema["properties"] == {"city": {"type": "string"}}
    assert (entry.output_schema, entry.example) == ({}, {"city": "Berlin"})


def test_the_same_place_twice_is_refused(superuser: Client) -> None:
    send(superuser, ADD, **right())

    refused = send(superuser, ADD, **right(title="Another"))

    assert "in the catalogue already" in mistakes(refused)
    assert CatalogEntry.objects.count() == 1


def test_where_a_listed_entry_is_found_is_not_editable_and_a_draft_s_is(superuser: Client) -> None:
    listed, draft = make_entry(), make_entry(state="draft")

    for entry in (listed, draft):
        send(superuser, page(entry), route="/moved", title="Renamed", reason="x")

    routes = dict(CatalogEntry.objects.values_list("pk", "route"))
    assert routes == {listed.pk: "/weather/:city", draft.pk: "/moved"}
    assert set(CatalogEntry.objects.values_list("title", flat=True)) == {"Renamed"}


def test_the_state_is_changed_on_its_pages_only(superuser: Client) -> None:
    entry = make_entry()

    send(superuser, page(entry), state="delisted", state_reason="forged", description="new", reason="x")

    stored = CatalogEntry.objects.get()
    assert (stored.state, stored.state_reason, stored.description) == ("listed", "", "new")


def test_pausing_and_listing_again_shows_what_agents_find(superuser: Client) -> None:
    entry = make_entry()

    assert "Agents that search find it do not find it" in text(superuser.get(page(entry, "pause")))
    send(superuser, page(entry, "pause"), reason="price is wrong")
    assert CatalogEntry.objects.get().state_reason == "price is wrong"
    send(superuser, page(entry, "list"), reason="price is right")

    stored = CatalogEntry.objects.get()
    assert (stored.state, stored.state_reason) == ("listed", "")


def test_a_price_is_shown_with_its_asset_and_edited_in_it(superuser: Client) -> None:
    option = make_option(entry=make_entry(priced=False), asset=make_asset("USDC"))
    address = reverse("admin:bazaar_paymentoption_change", args=(option.pk,))

    shown = superuser.get(address)
    assert 'value="0.50"' in shown.content.decode()
    assert "In USDC, such as 12.5. Now 5000000 units." in text(shown)
    send(superuser, address, amount="0.75", asset=make_asset("EURC").pk, reason="dearer")

    stored = PaymentOption.objects.get()
    assert (stored.amount, stored.asset.code) == (7_500_000, "USDC")


def test_an_unchanged_amount_typed_otherwise_is_no_change(superuser: Client) -> None:
    option = make_option(entry=make_entry(priced=False))
    address = reverse("admin:bazaar_paymentoption_change", args=(option.pk,))

    send(superuser, address, amount="0.5000000", reason="nothing")

    assert PaymentOption.objects.get().row_version == 1


def test_the_add_page_of_a_price_knows_its_entry(superuser: Client) -> None:
    entry = make_entry(priced=False)

    assert f"/admin/bazaar/paymentoption/add/?entry={entry.pk}" in superuser.get(page(entry)).content.decode()
    form = superuser.get(f"/admin/bazaar/paymentoption/add/?entry={entry.pk}").context["adminform"].form
    assert form.initial["entry"] == str(entry.pk)


def test_a_seller_with_another_domain_is_one_whose_domain_nobody_proved(superuser: Client) -> None:
    seller = make_seller()
    Seller.objects.filter(pk=seller.pk).update(domain_verified_at=clock.now())

    send(superuser, reverse("admin:bazaar_seller_change", args=(seller.pk,)), domain="other.example", reason="moved")

    stored = Seller.objects.get()
    assert (stored.domain, stored.domain_verified_at) == ("other.example", None)


def test_an_address_of_a_seller_is_made_and_never_changed(superuser: Client) -> None:
    seller, network = make_seller(), make_network()
    send(superuser, "/admin/bazaar/selleraddress/add/", seller=seller.pk, network=network.pk, address=account(7))
    row = SellerAddress.objects.get()

    send(superuser, reverse("admin:bazaar_selleraddress_change", args=(row.pk,)), address=account(8), reason="x")

    assert SellerAddress.objects.get().address == account(7)


def test_a_market_is_made_on_the_network_of_its_pair_and_turned_off(superuser: Client) -> None:
    pair = make_pair()
    venue, elsewhere = make_venue(), make_venue(network=make_network("stellar:testnet"))

    refused = send(superuser, "/admin/bazaar/market/add/", pair=pair.pk, venue=elsewhere.pk)
    assert "not on stellar:local" in mistakes(refused)
    send(superuser, "/admin/bazaar/market/add/", pair=pair.pk, venue=venue.pk)
    market = Market.objects.get()
    send(superuser, reverse("admin:bazaar_market_change", args=(market.pk,)), enabled=None, reason="thin")

    assert (Market.objects.get().enabled, market.history.count()) == (False, 2)


@pytest.mark.parametrize(("reading", "found"), [("failed", "bad"), ("good", "well"), ("none", "never")])
def test_markets_are_found_by_how_the_last_reading_went(superuser: Client, reading: str, found: str) -> None:
    rows = {name: make_market() for name in ("bad", "well", "never")}
    Market.objects.filter(pk=rows["bad"].pk).update(last_error="timeout")
    Market.objects.filter(pk=rows["well"].pk).update(last_success=clock.now())

    shown = superuser.get(f"/admin/bazaar/market/?reading={reading}")

    assert [market.pk for market in shown.context["cl"].result_list] == [rows[found].pk]
