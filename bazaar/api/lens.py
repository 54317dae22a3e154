"""Pairs and venues of the default network: the items of `lens://pairs` and `lens://venues`, under the same version.

A page's `ETag` is the version of the whole collection, as MCP reports it: the page's bytes follow from it and the URL.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Path, Router

from bazaar.api.schemas import PairList, PairOfNetwork, VenueList, VenueOfNetwork
from lensproject.core import versions
from lensproject.core.callers import READ
from lensproject.core.errors import NotFound
from lensproject.core.rest import conditional
from lensproject.core.rest.keys import BearerKey, caller_of
from lensproject.core.rest.pagination import DEFAULT_LIMIT, Place, page_of_items
from lensproject.core.rest.routes import NOT_FOUND, reading
from lensproject.core.rest.schemas import Cursor, Limit
from lensproject.core.versions import Versioned

router = Router(tags=["lens"])
key = BearerKey(READ, or_anonymous=True)


@dataclass(frozen=True)
class Collection:
    """A resource of MCP whose payload is `{network, <name>: [items]}`."""

    name: str
    item_key: str

    def read(self, request: HttpRequest) -> tuple[Versioned, dict[str, Any]]:
        whole = versions.current().read(f"lens://{self.name}", caller_of(request))
        return whole, json.loads(whole.body)

    def page(self, request: HttpRequest, limit: int, cursor: str | None) -> HttpResponse:
        whole, payload = self.read(request)
        place = Place(self.name, (("network", payload["network"]),))
        page = page_of_items(
            payload[self.name], key=lambda item: str(item[self.item_key]), place=place, cursor=cursor, limit=limit
        )
        shown = {**payload, self.name: page.rows, "nextCursor": page.next_cursor}
        return conditional.answer(request, shown, version=whole.version, changed=whole.last_modified)

    def item(self, request: HttpRequest, wanted: str) -> HttpResponse:
        whole, payload = self.read(request)
        found = next((item for item in payload[self.name] if item[self.item_key] == wanted), None)
        if found is None:
            raise NotFound(f"There is no such item in {self.name}.", details={self.item_key: wanted[:140]})
        return conditional.answer(request, {"network": payload["network"], **found}, changed=whole.last_modified)


PAIRS = Collection("pairs", "pairKey")
VENUES = Collection("venues", "key")


@reading(
    router, "/pairs", response=PairList, operation_id="listPairs", summary="Pairs that are quoted, by key", auth=key
)
def pairs(request: HttpRequest, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> HttpResponse:
    """The pairs of the default network, as `lens://pairs` has them. The `ETag` is the version of that resource."""
    return PAIRS.page(request, limit, cursor)


@reading(
    router,
    "/pairs/{path:pairKey}",
    response=PairOfNetwork,
    operation_id="getPair",
    summary="One pair",
    auth=key,
    errors=NOT_FOUND,
)
def pair(
    request: HttpRequest,
    pair_key: Annotated[str, Path(alias="pairKey", description="`ASSET_A/ASSET_B`, percent-encoded.")],
) -> HttpResponse:
    """A pair of the default network, in the order in which it was declared."""
    return PAIRS.item(request, pair_key)


@reading(
    router, "/venues", response=VenueList, operation_id="listVenues", summary="Venues that are read, by key", auth=key
)
def venues(request: HttpRequest, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> HttpResponse:
    """The venues of the default network, as `lens://venues` has them, those that are switched off too."""
    return VENUES.page(request, limit, cursor)


@reading(
    router,
    "/venues/{venueKey}",
    response=VenueOfNetwork,
    operation_id="getVenue",
    summary="One venue",
    auth=key,
    errors=NOT_FOUND,
)
def venue(request: HttpRequest, venue_key: Annotated[str, Path(alias="venueKey")]) -> HttpResponse:
    """A venue of the default network."""
    return VENUES.item(request, venue_key)
