"""Who is let in at /mcp and /sse of a running server, and with what."""

from __future__ import annotations

import time

import pytest
from mcp.client import Client

from lensproject.core import clock
from payments.authentication.keys import revoke_key
from payments.models import ApiKey
from tests.builders import make_key
from tests.mcp_product.clients import WAYS, asking, status_of
from tests.mcp_product.conftest import Product, StartProduct
from tests.mcp_product.memory import copied
from tests.servers.web import KINDS, WebServer


async def offered(client: Client) -> tuple[int, int]:
    """How many tools and resources the key is shown."""
    return len((await client.list_tools()).tools), len((await client.list_resources()).resources)


def test_only_a_good_key_is_let_in_and_its_use_is_written_down(server: WebServer, product: Product) -> None:
    assert status_of(server, None) == 401
    wrong = product.token[:-1] + ("0" if product.token[-1] != "0" else "1")
    for token in (wrong, "lens_", "x", f"{product.token}x"):
        assert status_of(server, token) == 401
    assert not ApiKey.objects.exclude(last_used_at=None).exists()
    assert status_of(server, product.token) == 200
    assert ApiKey.objects.get(pk=product.key.pk).last_used_at is not None
    ended, token = make_key(agent=product.agent)
    ApiKey.objects.filter(pk=ended.pk).update(expires_at=clock.now())
    assert status_of(server, token) == 401


def test_a_key_ends_within_a_sweep_and_one_of_another_scope_is_shown_nothing(
    server: WebServer, product: Product
) -> None:
    _, token = make_key(agent=product.agent, can_read=False, can_pay=True)
    for way in WAYS:
        assert asking(server, way, product.token, offered) == (4, 4)
        assert asking(server, way, token, offered) == (0, 0)
    revoke_key(product.key, row_version=product.key.row_version, by=None, reason="lost")
    deadline = time.monotonic() + 10
    while status_of(server, product.token) != 401:
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_reading_may_be_opened_to_who_has_no_key(product: Product, start_product: StartProduct, kind: str) -> None:
    server = start_product(kind, {"LENS_ANONYMOUS_READING": "true"})

    async def walk(client: Client) -> tuple[list[str], int, str]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        found = copied(await client.call_tool("search_paid_resources", {"query": "weather"}))
        inspected = copied(await client.call_tool("inspect_resource", {"resourceId": found["resources"][0]["id"]}))
        read = await client.read_resource("lens://pairs")
        assert read.contents
        return names, len(found["resources"]), inspected["resource"]["title"]

    for way in WAYS:
        names, count, title = asking(server, way, None, walk)
        assert names == ["inspect_resource", "list_supported_networks", "search_paid_resources"]
        assert (count, title) == (1, "Weather of a city")
    assert status_of(server, "wrong") == 401
