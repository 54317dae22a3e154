"""Which rows the answers rest on: a change of one of these columns, by whatever way, moves lastModified of its topic.

Listed are the columns that some payload shows or selects by, and no clock or counter among them.
"""

from __future__ import annotations

from bazaar.models import Asset, CatalogEntry, Network, Pair, PaymentOption, Seller, Venue
from mcp_bridge.changes import track

NETWORKS = "bazaar.networks"
ASSETS = "bazaar.assets"
SELLERS = "bazaar.sellers"
ENTRIES = "bazaar.entry"
PAIRS = "lens.pairs"
VENUES = "lens.venues"

track(Network, topic=NETWORKS, key="name", columns=("name", "enabled", "is_default"))
track(Asset, topic=ASSETS, columns=("network_id", "kind", "code", "issuer", "contract", "decimals", "enabled"))
track(Seller, topic=SELLERS, key="public_id", columns=("public_id", "name", "domain", "domain_verified_at", "state"))
track(
    CatalogEntry,
    topic=ENTRIES,
    columns=(
        "public_id",
        "seller_id",
        "kind",
        "method",
        "origin",
        "route",
        "tool",
        "title",
        "description",
        "tags",
        "category",
        "service_name",
        "icon_url",
        "input_schema",
        "output_schema",
        "example",
        "state",
        "provenance",
    ),
)
track(
    PaymentOption,
    topic=ENTRIES,
    key="entry_id",
    columns=("entry_id", "scheme", "asset_id", "amount", "pay_to", "max_timeout_seconds", "extra"),
)
track(Pair, topic=PAIRS, key="key", columns=("network_id", "key", "asset_a_id", "asset_b_id", "enabled"))
track(Venue, topic=VENUES, key="key", columns=("network_id", "key", "source", "enabled"))
