"""Tools that show each way in which a call can go."""

from __future__ import annotations

import asyncio
import time

from django.contrib.auth.models import Group

from lensproject.core.errors import RateLimited
from mcp_bridge.registry import Registry, add_tool
from mcp_bridge.request import ToolRequest
from mcp_bridge.response import ToolResponse
from tests.mcp_bridge.offering.shapes import AddInput, Flood, Made, NameInput, Seconds, Sum, Who

SECRET = "postgres://user:hunter2@db"
ENDED: list[str] = []


def add(request: ToolRequest[AddInput], response: ToolResponse) -> Sum:
    params = request.params
    return Sum(total=params.a + params.b, unit=params.unit, noteText=params.note_text)


def make_group(request: ToolRequest[NameInput], response: ToolResponse) -> ToolResponse:
    """Writes; needs a scope; builds its answer."""
    Group.objects.create(name=request.params.name)
    made = Made(name=request.params.name, scopes=sorted(request.caller.scopes))
    return response.structured(made).meta("io.lensbazaar/made", "yes").send()


def whoami(request: ToolRequest[object], response: ToolResponse) -> dict[str, object]:
    caller = request.caller
    return {
        "subject": caller.subject,
        "keyId": caller.key_id,
        "session": caller.session,
        "clientName": caller.client_name,
        "clientVersion": caller.client_version,
        "transport": caller.transport,
        "protocolVersion": caller.protocol_version,
        "scopes": sorted(caller.scopes),
        "marker": request.meta.get("io.lensbazaar/marker"),
    }


def fail(request: ToolRequest[object], response: ToolResponse) -> str:
    raise RuntimeError(SECRET)


def refuse(request: ToolRequest[object], response: ToolResponse) -> str:
    raise RateLimited("Slower, please.", retry_after=3)


def break_promise(request: ToolRequest[object], response: ToolResponse) -> dict[str, object]:
    return {"total": "many", "unit": "apples"}


def say(request: ToolRequest[object], response: ToolResponse) -> str:
    return "just text"


def mixed(request: ToolRequest[object], response: ToolResponse) -> ToolResponse:
    response.text("one").image(b"\x89PNG").audio(b"ID3").resource("test://embedded", "inside", "text/plain")
    return response.resource("test://bytes", b"\0\1").resource_link("test://static", "static", description="a link")


def query(request: ToolRequest[Seconds], response: ToolResponse) -> str:
    """A database step of a known length."""
    time.sleep(request.params.seconds)
    return "done"


async def wait(request: ToolRequest[Seconds], response: ToolResponse) -> str:
    """Waits for others and says how far it is; notes when it was interrupted."""
    try:
        await request.progress(0, 2, "begun")
        await asyncio.sleep(request.params.seconds)
        await request.progress(2, 2, "done")
    except asyncio.CancelledError:
        ENDED.append("interrupted")
        raise
    ENDED.append("finished")
    return "waited"


def ended(request: ToolRequest[object], response: ToolResponse) -> dict[str, object]:
    """What became of the calls of `wait`."""
    return {"ended": list(ENDED)}


async def flood(request: ToolRequest[Flood], response: ToolResponse) -> str:
    """More than a client that does not read can take."""
    for number in range(request.params.events):
        await request.progress(number, request.params.events, "x" * request.params.size)
    return "sent"


def offer_tools(registry: Registry) -> None:
    say_so = "For tests."
    add_tool("counting", name="add", title="Add", description="Adds.", handler=add, input=AddInput, output=Sum,
             scope=None, read_only=True, open_world=False, to=registry)  # fmt: skip
    add_tool("counting", name="break_promise", description=say_so, handler=break_promise, output=Sum, to=registry)
    add_tool("writing", name="make_group", description="Makes a group.", handler=make_group, input=NameInput,
             output=Made, scope="write", destructive=False, open_world=False, to=registry)  # fmt: skip
    add_tool("asking", name="whoami", description=lambda: "Says who asks.", handler=whoami, output=Who, read_only=True,
             to=registry)  # fmt: skip
    for name, handler in (("fail", fail), ("refuse", refuse), ("say", say), ("mixed", mixed), ("ended", ended)):
        add_tool("failing", name=name, description=say_so, handler=handler, read_only=True, to=registry)
    for name, slow in (("query", query), ("wait", wait)):
        add_tool("slow", name=name, description=say_so, handler=slow, input=Seconds, read_only=True, to=registry)
    add_tool("slow", name="flood", description=say_so, handler=flood, input=Flood, read_only=True, to=registry)
