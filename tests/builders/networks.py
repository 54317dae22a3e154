from __future__ import annotations

from typing import Any

from bazaar.catalog.assets import create_asset
from bazaar.models import Asset, Network
from lensproject.core import curation
from tests.builders.numbers import account, number

PASSPHRASES = {
    "stellar:local": "Standalone Network ; February 2017",
    "stellar:testnet": "Test SDF Network ; September 2015",
    "stellar:pubnet": "Public Global Stellar Network ; September 2015",
}


def make_network(name: str = "stellar:local", **over: Any) -> Network:
    """The network of that name, made when it is not there; the first one is the default."""
    found = Network.objects.filter(name=name).first()
    if found is not None and not over:
        return found
    first = not Network.objects.filter(is_default=True).exists() and over.get("enabled", True)
    values = {
        "name": name,
        "passphrase": PASSPHRASES[name],
        "rpc_url": "http://127.0.0.1:8003",
        "enabled": True,
        "is_default": first,
    }
    return curation.create(Network(**(values | over)), by=None, reason="test")


def make_asset(code: str | None = None, **over: Any) -> Asset:
    """A classic asset of its own issuer; `kind="native"` for lumens."""
    seed = number()
    values: dict[str, Any] = {"network": over.pop("network", None) or make_network(), "kind": "classic"}
    kind = over.get("kind", "classic")
    if kind == "classic":
        values |= {"code": code or f"A{seed}", "issuer": account(seed)}
    elif code is not None:
        values["code"] = code
    return create_asset(values | over, by=None, reason="test")
