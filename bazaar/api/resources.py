"""The catalogue: what is listed and can be paid for now, searched and inspected as over MCP."""

from __future__ import annotations

from typing import Annotated, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Path, Query, Router

from bazaar.api.schemas import Inspection, ResourceList
from bazaar.catalog.reading import inspect, listed, resource_items
from bazaar.catalog.supported import chosen_networks, named_assets, usable_networks
from bazaar.search.pages import Criteria, search
from lensproject.core.callers import READ
from lensproject.core.rest import conditional
from lensproject.core.rest.keys import BearerKey, caller_of
from lensproject.core.rest.pagination import DEFAULT_LIMIT
from lensproject.core.rest.routes import NOT_FOUND, reading
from lensproject.core.rest.schemas import Cursor, Limit

router = Router(tags=["catalogue"])
key = BearerKey(READ, or_anonymous=True)
TOPICS = ("bazaar.entry", "bazaar.sellers", "bazaar.assets", "bazaar.networks")

Words = Annotated[str, Query(max_length=200, description="Words; each must be in title, description or tags.")]
Kind = Annotated[Literal["http", "mcp"] | None, Query(description="HTTP resources or MCP tools only.")]
NetworkName = Annotated[str | None, Query(max_length=64, description="CAIP-2 name.", examples=["stellar:testnet"])]
AssetName = Annotated[
    str | None,
    Query(max_length=80, description="`CODE`, `CODE:ISSUER`, or a token contract's address.", examples=["USDC"]),
]


@reading(
    router,
    "/resources",
    response=ResourceList,
    operation_id="listResources",
    summary="Paid resources, searched by words or listed by title",
    auth=key,
    errors={400: "The network or the asset is not supported for you; `details.supported` lists those that are."},
)
def resources(
    request: HttpRequest,
    query: Words = "",
    kind: Kind = None,
    network: NetworkName = None,
    asset: AssetName = None,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> HttpResponse:
    """Listed resources of active sellers, payable on the networks of the caller: `search_paid_resources` of MCP.

    Those with all words in the title come first, then by title.
    """
    changed = conditional.last_change(*TOPICS)
    networks = chosen_networks(network, caller_of(request))
    prices = None if asset is None else dict.fromkeys((found.pk for found in named_assets(asset, networks)), None)
    criteria = Criteria(query=query, kind=kind, network=network, prices=prices)
    page = search(listed(networks), criteria, limit=limit, cursor=cursor)
    value = {
        "resources": resource_items(page.entries, networks),
        "partialResults": False,
        "nextCursor": page.next_cursor,
    }
    return conditional.answer(request, value, changed=changed)


@reading(
    router,
    "/resources/{resourceId}",
    response=Inspection,
    operation_id="inspectResource",
    summary="One resource, with its terms and schemas",
    auth=key,
    errors=NOT_FOUND,
)
def resource(
    request: HttpRequest,
    resource_id: Annotated[str, Path(alias="resourceId", examples=["resource_01931b0e8c5d7a3f9f1c2e4b5a6d7c8e"])],
) -> HttpResponse:
    """All that is known of a resource before it is paid: `inspect_resource` of MCP."""
    changed = conditional.last_change(*TOPICS)
    return conditional.answer(request, inspect(resource_id, usable_networks(caller_of(request))), changed=changed)
