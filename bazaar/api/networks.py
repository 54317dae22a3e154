"""The networks that the caller may use, with their assets: `list_supported_networks` of MCP."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Path, Router

from bazaar.api.schemas import NetworkItem, NetworkList
from bazaar.catalog.supported import supported_networks
from lensproject.core.callers import READ
from lensproject.core.errors import NotFound
from lensproject.core.rest import conditional
from lensproject.core.rest.keys import BearerKey, caller_of
from lensproject.core.rest.pagination import DEFAULT_LIMIT, Place, page_of_items
from lensproject.core.rest.routes import NOT_FOUND, reading
from lensproject.core.rest.schemas import Cursor, Limit

router = Router(tags=["catalogue"])
key = BearerKey(READ, or_anonymous=True)
TOPICS = ("bazaar.networks", "bazaar.assets")


@reading(
    router,
    "/networks",
    response=NetworkList,
    operation_id="listNetworks",
    summary="Networks and assets that payments may be made in",
    auth=key,
)
def networks(request: HttpRequest, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> HttpResponse:
    """Enabled networks, by name; for a key those that it names."""
    changed = conditional.last_change(*TOPICS)
    items = supported_networks(caller_of(request))
    page = page_of_items(items, key=lambda item: item["id"], place=Place("networks"), cursor=cursor, limit=limit)
    return conditional.answer(request, {"networks": page.rows, "nextCursor": page.next_cursor}, changed=changed)


@reading(
    router,
    "/networks/{network}",
    response=NetworkItem,
    operation_id="getNetwork",
    summary="One network",
    auth=key,
    errors=NOT_FOUND,
)
def network(
    request: HttpRequest,
    network: Annotated[str, Path(description="CAIP-2 name.", examples=["stellar:testnet"])],
) -> HttpResponse:
    """A network that the caller may use, with its listed assets."""
    changed = conditional.last_change(*TOPICS)
    found = next((item for item in supported_networks(caller_of(request)) if item["id"] == network), None)
    if found is None:
        raise NotFound("There is no such network, or it is not yours to use.", details={"network": network[:64]})
    return conditional.answer(request, found, changed=changed)
