"""Resources as the official client sees them, in both eras."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from django.contrib.auth.models import Group
from mcp import Client
from mcp.shared.exceptions import MCPError

from lensproject.core import clock
from lensproject.core.callers import ANONYMOUS, Caller
from mcp_bridge.registry import Registry, add_resource
from mcp_bridge.request import ResourceRequest
from mcp_bridge.response import ResourceResponse
from tests.mcp_bridge.memory import ERAS, WRITER, Era, with_client
from tests.mcp_bridge.offering import tools

pytestmark = [pytest.mark.usefixtures("no_groups"), pytest.mark.parametrize("era", ERAS)]

PREFIX = "io.lensbazaar/"


def read(registry: Registry, era: Era, uri: str, caller: Caller = ANONYMOUS) -> types.ReadResourceResult:
    async def read_resource(client: Client) -> types.ReadResourceResult:
        return await client.read_resource(uri)

    return with_client(registry, read_resource, caller=caller, era=era)


def listed(registry: Registry, era: Era, caller: Caller = ANONYMOUS) -> dict[str, types.Resource]:
    async def list_resources(client: Client) -> dict[str, types.Resource]:
        return {resource.uri: resource for resource in (await client.list_resources()).resources}

    return with_client(registry, list_resources, caller=caller, era=era)


def version(body: bytes) -> str:
    return f"sha256:{sha256(body).hexdigest()}"


def meta_of(holder: Any) -> dict[str, Any]:
    """Our keys of a `_meta`; the SDK adds its own."""
    return {key: value for key, value in (holder.meta or {}).items() if not key.startswith("io.modelcontextprotocol/")}


def text_of(result: types.ReadResourceResult) -> str:
    (content,) = result.contents
    assert isinstance(content, types.TextResourceContents)
    return content.text


def test_a_read_has_the_bytes_and_their_version(offered: Registry, era: Era) -> None:
    result = read(offered, era, "test://static")
    known = {"version": version("ünchanging".encode()), f"{PREFIX}version": version("ünchanging".encode())}
    assert text_of(result) == "ünchanging"
    assert meta_of(result) == known
    assert meta_of(result.contents[0]) == known


def test_size_counts_bytes(offered: Registry, era: Era) -> None:
    assert listed(offered, era)["test://static"].size == len("ünchanging".encode()) == 11


def test_a_file_is_served_verbatim_with_its_mtime(offered: Registry, era: Era) -> None:
    path = Path(os.environ["OFFERING_FILE"])
    path.write_bytes(b'{ "a" :\n 1 }')
    os.utime(path, (1_800_000_000.25, 1_800_000_000.25))
    result = read(offered, era, "test://file")
    assert text_of(result) == '{ "a" :\n 1 }'
    assert meta_of(result) == {
        "version": version(b'{ "a" :\n 1 }'),
        f"{PREFIX}version": version(b'{ "a" :\n 1 }'),
        "lastModified": "2027-01-15T08:00:00.250Z",
        f"{PREFIX}lastModified": "2027-01-15T08:00:00.250Z",
    }
    entry = listed(offered, era)["test://file"]
    assert entry.annotations is not None
    assert entry.annotations.last_modified == "2027-01-15T08:00:00.250Z"


def test_what_has_no_notion_of_change_says_nothing_of_it(offered: Registry, era: Era) -> None:
    entry = listed(offered, era)["test://static"]
    assert entry.annotations is None
    assert "lastModified" not in (entry.meta or {})
    assert "lastModified" not in (read(offered, era, "test://static").meta or {})


def test_status_is_a_new_version_at_each_read_and_from_that_instant(offered: Registry, era: Era) -> None:
    at = datetime(2026, 11, 30, 20, 24, 34, 123_456, UTC)
    with clock.frozen(at):
        result = read(offered, era, "test://status")
    assert meta_of(result)["lastModified"] == "2026-11-30T20:24:34.123Z"
    assert json.loads(text_of(result)) == {"generatedAt": "2026-11-30T20:24:34.123456+00:00"}
    assert meta_of(read(offered, era, "test://status"))["version"] != meta_of(result)["version"]


def test_list_and_read_tell_the_same_of_every_resource(offered: Registry, era: Era) -> None:
    with clock.frozen(datetime(2026, 11, 30, tzinfo=UTC)):
        for uri, entry in listed(offered, era, WRITER).items():
            if uri in ("test://failing", "test://refusing"):
                continue
            result = read(offered, era, uri, WRITER)
            own = {key: value for key, value in meta_of(result).items() if key != f"{PREFIX}kind"}
            assert own == meta_of(entry), uri
            assert result.contents[0].mime_type == entry.mime_type, uri


def test_binary_content_is_a_blob_of_its_own_type(offered: Registry, era: Era) -> None:
    result = read(offered, era, "test://binary")
    (content,) = result.contents
    assert isinstance(content, types.BlobResourceContents)
    assert (content.blob, content.mime_type) == ("AP8=", "application/x-bytes")
    assert meta_of(result)[f"{PREFIX}kind"] == "bytes"
    assert meta_of(result)["version"] == version(b"\x00\xff")


def test_a_coroutine_can_answer_too(offered: Registry, era: Era) -> None:
    assert text_of(read(offered, era, "test://awaited")) == "from a coroutine"
    assert listed(offered, era)["test://awaited"].size == len("from a coroutine")


def test_the_handler_knows_who_asks_and_where(offered: Registry, era: Era, settings: Any) -> None:
    settings.MCP_BRIDGE = {"network": "stellar:local"}
    found = json.loads(text_of(read(offered, era, "test://mine", WRITER)))
    assert found == {"subject": "agent", "network": "stellar:local", "group": "Rows"}


def refused(registry: Registry, era: Era, uri: str, caller: Caller = ANONYMOUS) -> MCPError:
    with pytest.raises(MCPError) as error:
        read(registry, era, uri, caller)
    return error.value


def test_an_unknown_uri_is_invalid_params_and_names_it(offered: Registry, era: Era) -> None:
    error = refused(offered, era, "test://nowhere")
    assert (error.code, error.data) == (-32602, {"uri": "test://nowhere"})


def test_a_row_that_is_gone_is_an_unknown_uri_and_not_listed(offered: Registry, era: Era) -> None:
    error = refused(offered, era, "test://missing")
    assert (error.code, error.message, error.data) == (-32602, "Resource not found", {"uri": "test://missing"})
    assert "test://missing" not in listed(offered, era)


def test_a_refused_read_is_a_protocol_error_and_never_content(offered: Registry, era: Era) -> None:
    error = refused(offered, era, "test://refusing")
    assert (error.code, error.message) == (-32602, "That is not a day.")
    assert error.data == {"uri": "test://refusing", "day": "32"}


def test_9_9_a_source_that_fails_is_masked(offered: Registry, era: Era, caplog: pytest.LogCaptureFixture) -> None:
    error = refused(offered, era, "test://failing")
    assert error.code == -32603
    assert tools.SECRET not in f"{error.message}{error.data}"
    assert error.data["correlationId"] in caplog.text


def test_a_source_that_fails_does_not_break_the_list(offered: Registry, era: Era) -> None:
    entry = listed(offered, era)["test://failing"]
    assert (entry.name, entry.size, entry.annotations, meta_of(entry)) == ("failing", None, None, {})


def test_a_read_without_its_scope_is_refused_and_not_listed(offered: Registry, era: Era) -> None:
    reader = Caller("agent", "key_1", frozenset({"read"}))
    error = refused(offered, era, "test://mine", reader)
    assert (error.code, error.data) == (-32600, {"uri": "test://mine", "reason": "PERMISSION_DENIED"})
    assert "test://mine" not in listed(offered, era, reader)
    assert "test://mine" in listed(offered, era, WRITER)


def test_a_listed_resource_says_what_it_is(offered: Registry, era: Era) -> None:
    entry = listed(offered, era)["test://groups"]
    assert (entry.name, entry.title, entry.description) == ("groups", "Groups", "The groups.")
    assert entry.mime_type == "application/json"


def test_a_replacement_serves_the_same_uri_from_another_source(offered: Registry, era: Era) -> None:
    def from_elsewhere(request: ResourceRequest, response: ResourceResponse) -> str:
        return "from elsewhere"

    add_resource("rows", uri="test://static", description="R.", handler=from_elsewhere, replace=True, to=offered)
    assert text_of(read(offered, era, "test://static")) == "from elsewhere"
    assert listed(offered, era)["test://static"].name == "static"


def test_how_long_a_copy_is_fresh_is_said_honestly(offered: Registry, era: Era, settings: Any) -> None:
    def hint(uri: str, caller: Caller = ANONYMOUS) -> tuple[int | None, str | None]:
        result = read(offered, era, uri, caller)
        return result.ttl_ms, result.cache_scope

    told = era == "auto"  # Older revisions have no such fields, and their client then takes nothing for fresh.
    assert hint("test://file") == ((1000, "private") if told else (0, "private"))
    settings.MCP_BRIDGE = {"anonymous_reading": True}
    assert hint("test://file") == ((1000, "public") if told else (0, "private"))
    assert hint("test://mine", WRITER) == (0, "private")


def test_pages_together_are_the_whole_list(offered: Registry, era: Era, settings: Any) -> None:
    settings.MCP_BRIDGE = {"page_size": 4}

    async def through(client: Client) -> list[str]:
        uris: list[str] = []
        cursor = None
        while True:
            page = await client.list_resources(cursor=cursor)
            uris += [resource.uri for resource in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                return uris

    uris = with_client(offered, through, era=era)
    shown = [each.uri for each in offered.resources if each.scope is None and each.uri != "test://missing"]
    assert uris == shown


@pytest.mark.parametrize("cursor", ["", "rubbish"])
@pytest.mark.parametrize("method", ["list_resources", "list_resource_templates"])
def test_a_cursor_that_is_not_ours_is_refused(offered: Registry, era: Era, method: str, cursor: str) -> None:
    async def list_them(client: Client) -> None:
        await getattr(client, method)(cursor=cursor)

    with pytest.raises(MCPError) as error:
        with_client(offered, list_them, era=era)
    assert (error.value.code, error.value.data) == (-32602, {"field": "cursor"})


def test_rows_that_change_change_the_version_and_nothing_else_does(offered: Registry, era: Era) -> None:
    before = meta_of(read(offered, era, "test://groups"))["version"]
    assert meta_of(read(offered, era, "test://groups"))["version"] == before
    Group.objects.create(name="new")
    after = read(offered, era, "test://groups")
    assert meta_of(after)["version"] == version(text_of(after).encode()) != before
