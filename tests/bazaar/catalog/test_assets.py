"""Assets. The contracts are the published ones of each network (reference data of the Stellar market)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from bazaar.catalog.assets import create_asset, revise_asset
from bazaar.models import Asset
from tests.builders import make_asset, make_network
from tests.builders.numbers import account, contract

pytestmark = pytest.mark.django_db
WHY: dict[str, Any] = {"by": None, "reason": "test"}
USDC_PUBNET = "GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN"
USDC_TESTNET = "GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5"


@pytest.mark.parametrize(
    ("network", "code", "issuer", "expected"),
    [
        ("stellar:pubnet", "XLM", "", "CAS3J7GYLGXMF6TDJBBYYSE3HQ6BBSMLNUQ34T6TZMYMW2EVH34XOWMA"),
        ("stellar:testnet", "XLM", "", "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC"),
        ("stellar:pubnet", "USDC", USDC_PUBNET, "CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75"),
        ("stellar:testnet", "USDC", USDC_TESTNET, "CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA"),
    ],
)
def test_the_contract_is_derived_per_network(network: str, code: str, issuer: str, expected: str) -> None:
    kind = "classic" if issuer else "native"
    values = {"network": make_network(network), "kind": kind, "code": code, "issuer": issuer, "contract": "typed"}
    asset = create_asset(values, **WHY)
    assert asset.contract == expected
    assert asset.decimals == 7


def test_canonical_names() -> None:
    issuer = account(7)
    assert make_asset(kind="native").canonical == "XLM"
    assert make_asset("USDC", issuer=issuer).canonical == f"USDC:{issuer}"
    token = make_asset("TOK", kind="contract", contract=contract(7), decimals=3)
    assert token.canonical == contract(7)
    assert token.decimals == 3


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"kind": "classic", "code": "USDC", "issuer": "G" * 56}, "issuer"),
        ({"kind": "classic", "code": "USDC", "issuer": ""}, "issuer"),
        ({"kind": "contract", "code": "TOK", "contract": "C" * 56}, "contract"),
        ({"kind": "contract", "code": "TOK", "contract": contract(1), "decimals": 13}, "__all__"),
    ],
)
def test_what_is_no_asset_is_refused(values: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        create_asset({"network": make_network()} | values, **WHY)
    assert field in refusal.value.message_dict
    assert not Asset.objects.exists()


def test_a_code_that_is_none_is_refused() -> None:
    with pytest.raises((ValidationError, ValueError)):
        make_asset("TOO-LONG-A-CODE")
    assert not Asset.objects.exists()


def test_an_asset_is_listed_once() -> None:
    make_asset(kind="native")
    with pytest.raises(ValidationError, match="already listed"):
        make_asset(kind="native")


def test_what_an_asset_is_never_changes() -> None:
    asset = make_asset("USDC")
    with pytest.raises(ValidationError) as refusal:
        revise_asset(asset, {"code": "EURC", "decimals": 6, "enabled": False}, row_version=1, **WHY)
    assert sorted(refusal.value.message_dict) == ["code", "decimals"]
    assert Asset.objects.get(pk=asset.pk).enabled


def test_an_asset_is_delisted() -> None:
    asset = make_asset("USDC")
    assert not revise_asset(asset, {"enabled": False}, row_version=1, **WHY).enabled
