from __future__ import annotations

from typing import Any

import pytest

from lensproject.core.callers import ANONYMOUS, Caller
from tests.builders import make_asset, make_entry, make_network, make_option, make_seller
from tests.mcp_product.memory import call, reader, refused, tools

pytestmark = pytest.mark.django_db
NAME = "search_paid_resources"


def titles(caller: Caller | None = None, **arguments: Any) -> list[str]:
    answer = call(caller or reader(), NAME, **({"query": ""} | arguments))
    assert answer["partialResults"] is False
    return [resource["title"] for resource in answer["resources"]]


def error(**arguments: Any) -> Any:
    return refused(reader(), NAME, **({"query": ""} | arguments))


def test_an_empty_query_lists_everything_by_title() -> None:
    for title in ("Cherry", "Apple"):
        make_entry(title=title)
    assert titles() == ["Apple", "Cherry"]


def test_words_find() -> None:
    make_entry(title="Rain radar", description="", tags=["maps"])
    make_entry(title="Exchange rates", description="", tags=[])
    assert titles(query="radar MAPS") == ["Rain radar"]
    assert titles(query="%") == []


def test_a_result_says_what_it_costs_in_plain_decimals() -> None:
    make_option(entry=make_entry(priced=False), asset=make_asset("USDC"), amount=1)
    (resource,) = call(reader(), NAME, query="")["resources"]
    assert [price["amount"] for price in resource["prices"]] == ["0.0000001"]


def test_ten_at_a_time_unless_told_otherwise() -> None:
    for number in range(12):
        make_entry(title=f"{number:02d}")
    assert len(titles()) == 10
    assert len(titles(limit=50)) == 12
    assert titles(limit=1) == ["00"]


def test_the_cursor_leads_through_all_pages() -> None:
    for number in range(5):
        make_entry(title=f"{number}")
    seen: list[str] = []
    arguments: dict[str, Any] = {"query": "", "limit": 2}
    while True:
        answer = call(reader(), NAME, **arguments)
        seen += [resource["title"] for resource in answer["resources"]]
        if answer["nextCursor"] is None:
            break
        arguments["cursor"] = answer["nextCursor"]
    assert seen == ["0", "1", "2", "3", "4"]


def test_a_cursor_of_another_search_or_of_nobody_is_refused() -> None:
    make_entry(title="a")
    make_entry(title="b")
    cursor = call(reader(), NAME, query="", limit=1)["nextCursor"]
    for arguments in ({"query": "a", "cursor": cursor}, {"kind": "http", "cursor": cursor}, {"cursor": "mine"}):
        refusal = error(**arguments)
        assert refusal["code"] == "INVALID_INPUT"
        assert list(refusal["details"]["fields"]) == ["cursor"]
    assert error(cursor="")["code"] == "INVALID_INPUT"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 51}, "limit"),
        ({"limit": 10_000}, "limit"),
        ({"limit": "10"}, "limit"),
        ({"limit": 1.5}, "limit"),
        ({"limit": True}, "limit"),
        ({"limit": None}, "limit"),
        ({"query": None}, "query"),
        ({"query": 7}, "query"),
        ({"query": ["weather"]}, "query"),
        ({"query": "x" * 201}, "query"),
        ({"query": "nul\0"}, "query"),
        ({"query": " ".join(map(str, range(13)))}, "query"),
        ({"kind": "ftp"}, "kind"),
        ({"network": 1}, "network"),
        ({"offset": 1}, "offset"),
        ({"max_amount": "1"}, "max_amount"),
        ({"maxAmount": "1"}, "maxAmount"),
    ],
)
def test_input_that_does_not_fit_is_refused_and_named(arguments: dict[str, Any], field: str) -> None:
    refusal = error(**arguments)
    assert (refusal["code"], refusal["retryable"]) == ("INVALID_INPUT", False)
    assert list(refusal["details"]["fields"]) == [field]


def test_the_query_must_be_there() -> None:
    assert list(refused(reader(), NAME)["details"]["fields"]) == ["query"]


def test_null_is_as_good_as_absent() -> None:
    make_entry(title="One")
    names = ("network", "asset", "cursor", "kind", "maxAmount", "seller")
    assert titles(**dict.fromkeys(names)) == ["One"]


def test_a_network_limits_what_is_found_and_what_is_shown_of_it() -> None:
    local, testnet = make_network("stellar:local"), make_network("stellar:testnet")
    make_entry(title="Local", asset=make_asset(network=local))
    both = make_entry(title="Both", asset=make_asset(network=local))
    make_option(entry=both, asset=make_asset(network=testnet))
    caller = reader("stellar:local", "stellar:testnet")
    assert titles(caller) == ["Both", "Local"]
    answer = call(caller, NAME, query="", network="stellar:testnet")
    assert [resource["title"] for resource in answer["resources"]] == ["Both"]
    assert [price["network"] for price in answer["resources"][0]["prices"]] == ["stellar:testnet"]


def test_a_key_finds_only_on_its_networks() -> None:
    make_entry(title="Elsewhere", asset=make_asset(network=make_network("stellar:testnet")))
    assert titles(reader("stellar:local")) == []
    assert titles(reader("stellar:testnet")) == ["Elsewhere"]
    refusal = refused(reader("stellar:local"), NAME, query="", network="stellar:testnet")
    assert refusal["code"] == "UNSUPPORTED_NETWORK"


def test_an_unknown_network_or_asset_has_its_code() -> None:
    make_network()
    asset = make_asset("USDC")
    refusal = error(network="stellar:moon")
    assert (refusal["code"], refusal["details"]["supported"]) == ("UNSUPPORTED_NETWORK", ["stellar:local"])
    for name in ("EURC", f"EURC:{asset.issuer}", "C" + "A" * 55, "not an asset"):
        assert error(asset=name)["code"] == "UNSUPPORTED_ASSET"


def test_an_asset_is_named_by_code_issuer_or_contract() -> None:
    asset = make_asset("USDC")
    make_entry(title="Dollars", asset=asset)
    make_entry(title="Euros", asset=make_asset("EURC"))
    for name in ("USDC", f"USDC:{asset.issuer}", asset.contract):
        assert titles(asset=name) == ["Dollars"]


def test_a_code_of_two_assets_lists_both() -> None:
    first, second = make_asset("USDC"), make_asset("USDC")
    make_entry(title="Second", asset=second)
    refusal = error(asset="USDC")
    assert refusal["code"] == "INVALID_INPUT"
    assert [asset["issuer"] for asset in refusal["details"]["candidates"]] == [first.issuer, second.issuer]
    assert titles(asset=f"USDC:{second.issuer}") == ["Second"]
    assert titles(asset=f"USDC:{first.issuer}") == []


def test_the_most_that_it_may_cost_is_an_amount_of_the_asset() -> None:
    asset = make_asset("USDC")
    make_option(entry=make_entry(title="Ten", priced=False), asset=asset, amount=1_000_000)
    assert titles(asset="USDC", maxAmount="0.10") == ["Ten"]
    assert titles(asset="USDC", maxAmount="0.1000000") == ["Ten"]
    assert titles(asset="USDC", maxAmount="0.0999999") == []


@pytest.mark.parametrize(
    "amount", ["1e-7", "-1", "0.00000001", "", "1,000", " 1", "NaN", "9" * 30, "9223372036854775808"]
)
def test_an_amount_that_is_none_is_refused(amount: str) -> None:
    make_asset("USDC")
    refusal = error(asset="USDC", maxAmount=amount)
    assert refusal["code"] == "INVALID_INPUT"
    assert list(refusal["details"]["fields"]) == ["maxAmount"]


def test_filter_by_kind_and_seller() -> None:
    seller = make_seller()
    make_entry(title="Page", seller=seller)
    make_entry(title="Tool", seller=seller, kind="mcp", method="", tool="t", route="/mcp")
    make_entry(title="Other")
    assert titles(seller=seller.public_id) == ["Page", "Tool"]
    assert titles(seller=seller.public_id, kind="mcp") == ["Tool"]


@pytest.mark.parametrize("seller", ["seller_1", "", "'; --", "é", "x" * 100])
def test_an_unknown_seller_is_not_found(seller: str) -> None:
    make_entry()
    assert error(seller=seller)["code"] == "RESOURCE_NOT_FOUND"


def test_a_seller_that_is_not_active_is_not_found() -> None:
    seller = make_seller(state="paused")
    make_entry(seller=seller)
    assert error(seller=seller.public_id)["code"] == "RESOURCE_NOT_FOUND"


def test_it_needs_the_scope_read() -> None:
    make_entry()
    denied = refused(reader(scopes=("pay",)), NAME, query="")
    assert (denied["code"], denied["details"]) == ("PERMISSION_DENIED", {"scope": "read"})
    assert refused(ANONYMOUS, NAME, query="")["code"] == "UNAUTHENTICATED"
    assert NAME not in tools(reader(scopes=("pay",)))


def test_it_says_truly_that_it_only_reads() -> None:
    annotations = tools(reader())[NAME].annotations
    assert annotations is not None
    assert (annotations.read_only_hint, annotations.destructive_hint) == (True, False)
    assert (annotations.idempotent_hint, annotations.open_world_hint) == (True, False)
