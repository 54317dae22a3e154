"""Resources of each kind of freshness."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from django.contrib.auth.models import Group

from lensproject.core import clock
from lensproject.core.errors import NotFound
from mcp_bridge.changes import track
from mcp_bridge.registry import Registry, add_resource
from mcp_bridge.request import ResourceRequest
from mcp_bridge.response import ResourceResponse
from tests.mcp_bridge.offering.tools import SECRET

TOPIC = "offering.groups"
RENDERED: list[str] = []


def track_groups() -> None:
    track(Group, topic=TOPIC, key="name", columns=("name",))


def groups(request: ResourceRequest, response: ResourceResponse) -> ResourceResponse:
    RENDERED.append(request.uri)
    return response.json({"groups": sorted(Group.objects.values_list("name", flat=True))}).send()


def one_group(request: ResourceRequest, response: ResourceResponse) -> dict[str, bool]:
    return {"exists": Group.objects.filter(name="one").exists()}


def file_path() -> Path:
    return Path(os.environ["OFFERING_FILE"])


def file_changed(request: ResourceRequest) -> datetime | None:
    return datetime.fromtimestamp(file_path().stat().st_mtime, UTC)


def file(request: ResourceRequest, response: ResourceResponse) -> bytes:
    return file_path().read_bytes()


def status(request: ResourceRequest, response: ResourceResponse) -> ResourceResponse:
    now = clock.now()
    return response.json({"generatedAt": now.isoformat(timespec="microseconds")}).modified(now)


def static(request: ResourceRequest, response: ResourceResponse) -> str:
    return "ünchanging"


def failing(request: ResourceRequest, response: ResourceResponse) -> str:
    raise RuntimeError(SECRET)


def missing(request: ResourceRequest, response: ResourceResponse) -> str:
    raise NotFound("The row is gone.")


def refusing(request: ResourceRequest, response: ResourceResponse) -> str:
    response.error("That is not a day.", {"day": "32"})


def mine(request: ResourceRequest, response: ResourceResponse) -> dict[str, str]:
    return {"subject": request.caller.subject, "network": str(request.context.network), "group": request.server.title}


def binary(request: ResourceRequest, response: ResourceResponse) -> ResourceResponse:
    return response.blob(b"\x00\xff", "application/x-bytes").meta("io.lensbazaar/kind", "bytes")


async def awaited(request: ResourceRequest, response: ResourceResponse) -> str:
    return "from a coroutine"


def offer_resources(registry: Registry) -> None:
    say_so = "For tests."
    json = "application/json"
    add_resource("rows", uri="test://groups", name="groups", title="Groups", description="The groups.", handler=groups,
                 mime_type=json, topics=(TOPIC,), to=registry)  # fmt: skip
    add_resource("rows", uri="test://groups/one", name="one", description=say_so, handler=one_group, mime_type=json,
                 topics=(TOPIC,), key="one", to=registry)  # fmt: skip
    add_resource("rows", uri="test://mine", name="mine", description=say_so, handler=mine, mime_type=json,
                 topics=(TOPIC,), scope="write", private=True, to=registry)  # fmt: skip
    add_resource("files", uri="test://file", name="file", description=say_so, handler=file, mime_type=json,
                 modified=file_changed, ttl_ms=1000, to=registry)  # fmt: skip
    for name, handler in (("failing", failing), ("missing", missing), ("refusing", refusing), ("static", static)):
        add_resource("files", uri=f"test://{name}", name=name, description=say_so, handler=handler, to=registry)
    add_resource("files", uri="test://binary", name="binary", description=say_so, handler=binary, to=registry)
    add_resource("files", uri="test://awaited", name="awaited", description=say_so, handler=awaited, to=registry)
    add_resource("files", uri="test://status", name="status", description=say_so, handler=status, mime_type=json,
                 to=registry)  # fmt: skip
