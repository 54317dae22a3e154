"""Which networks and assets are supported, and what a caller means by a network's or an asset's name."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from django.db.models import Q
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from bazaar.errors import UnsupportedAsset, UnsupportedNetwork
from bazaar.models import Asset, Network, PaymentOption
from lensproject.core.callers import Caller
from lensproject.core.errors import JSON, InvalidInput

SCHEMES = tuple(PaymentOption.Scheme.values)
_REFERENCE = re.compile(r"(?P<code>[A-Za-z0-9]{1,12})(?::(?P<issuer>G[A-Z2-7]{55}))?|(?P<contract>C[A-Z2-7]{55})")


class AssetDetail(TypedDict):
    """`asset` is the name that tools take where the code alone is not enough. `issuer` is null where there is none."""

    asset: str
    code: str
    issuer: str | None
    contract: str
    decimals: int


class SupportedNetwork(TypedDict):
    """`assets` are codes; `assetDetails` tells assets of one code apart."""

    id: str
    isDefault: bool
    playMoney: bool
    assets: list[str]
    schemes: list[str]
    assetDetails: list[AssetDetail]


def supported_networks(caller: Caller) -> list[SupportedNetwork]:
    """The networks that the caller may use, by name, each with its listed assets."""
    networks = usable_networks(caller)
    assets = _listed(networks)
    return [
        network_item(network, [asset for asset in assets if asset.network_id == network.pk]) for network in networks
    ]


def usable_networks(caller: Caller) -> list[Network]:
    """Enabled networks, by name; for a key those that it names, and none when it names none."""
    networks = Network.objects.filter(enabled=True).order_by("name")
    return [network for network in networks if caller.is_anonymous or network.name in caller.networks]


def network_item(network: Network, assets: Sequence[Asset]) -> SupportedNetwork:
    return {
        "id": network.name,
        "isDefault": network.is_default,
        "playMoney": network.is_play_money,
        "assets": sorted({asset.code for asset in assets}),
        "schemes": list(SCHEMES),
        "assetDetails": [asset_detail(asset) for asset in assets],
    }


def asset_detail(asset: Asset) -> AssetDetail:
    return {
        "asset": asset.canonical,
        "code": asset.code,
        "issuer": asset.issuer or None,
        "contract": asset.contract,
        "decimals": asset.decimals,
    }


def chosen_networks(name: str | None, caller: Caller) -> list[Network]:
    """The network of that name, or without one all that the caller may use. Raises UnsupportedNetwork."""
    networks = usable_networks(caller)
    if name is None:
        return networks
    chosen = [network for network in networks if network.name == name]
    if not chosen:
        supported: list[JSON] = [network.name for network in networks]
        raise UnsupportedNetwork(
            "This network is not supported for you; list_supported_networks tells which are.",
            details={"network": name[:64], "supported": supported},
        )
    return chosen


def named_assets(reference: str, networks: Collection[Network]) -> list[Asset]:
    """The listed assets that `CODE`, `CODE:ISSUER` or a contract's address names, one on each network at most.

    Raises UnsupportedAsset when there is none, and InvalidInput that lists the candidates when a code names two assets
    of one network.
    """
    match = _REFERENCE.fullmatch(reference)
    assets = [] if match is None else _listed(networks, _meaning(match))
    if not assets:
        supported: list[JSON] = [*sorted({asset.code for asset in _listed(networks)})]
        raise UnsupportedAsset(
            "No listed asset has this code, issuer or contract here.",
            details={"asset": reference[:80], "supported": supported},
        )
    if len({asset.network_id for asset in assets}) < len(assets):
        raise _ambiguous(assets)
    return assets


def _meaning(match: re.Match[str]) -> Q:
    if match["contract"]:
        return Q(contract=match["contract"])
    return Q(code=match["code"], issuer=match["issuer"]) if match["issuer"] else Q(code=match["code"])


def _listed(networks: Collection[Network], condition: Q | None = None) -> list[Asset]:
    assets = Asset.objects.filter(condition or Q(), enabled=True, network__in=networks).select_related("network")
    return sorted(assets, key=lambda asset: (asset.network.name, asset.code, asset.pk))


def _ambiguous(assets: Sequence[Asset]) -> InvalidInput:
    twice = [asset for asset in assets if sum(other.network_id == asset.network_id for other in assets) > 1]
    candidates: list[JSON] = [
        {"network": asset.network.name, "code": asset.code, "issuer": asset.issuer or None, "contract": asset.contract}
        for asset in twice
    ]
    return InvalidInput(
        "Several listed assets have this code. Name one as CODE:ISSUER, or by its contract's address.",
        details={"fields": {"asset": "Several assets of one network have this code."}, "candidates": candidates},
    )
