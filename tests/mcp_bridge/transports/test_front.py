"""What stands before the router."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.exceptions import ImproperlyConfigured
from starlette.types import Message, Receive, Scope, Send

from mcp_bridge.host import LoopHost
from mcp_bridge.registry import Registry, add_resource
from mcp_bridge.transports import front
from mcp_bridge.transports.front import Front
from tests.mcp_bridge.asgi import scope_of
from tests.mcp_bridge.offering.resources import static


class Router:
    """Remembers what it was given."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scopes.append(scope)


@pytest.fixture(autouse=True)
def _nothing_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front, "registry", Registry())


def routed(path: str, **more: Any) -> Scope:
    router = Router()
    scope = scope_of("GET", path, **more)

    async def nothing(*args: object) -> Any:
        raise AssertionError

    async_to_sync(Front(router))(scope, nothing, nothing)
    return router.scopes[0]


def test_9_18_a_root_path_that_a_client_chose_is_ignored() -> None:
    scope = routed("/mcp", root_path="/evil")
    assert (scope["root_path"], scope["path"]) == ("", "/mcp")


@pytest.mark.parametrize("path", ["/lens/mcp", "/mcp"])
def test_9_18_behind_a_prefix_the_path_is_under_it_whether_the_proxy_cuts_it_off_or_not(
    settings: Any, path: str
) -> None:
    settings.FORCE_SCRIPT_NAME = "/lens/"
    scope = routed(path)
    assert (scope["root_path"], scope["path"]) == ("/lens", "/lens/mcp")


def test_9_18_the_prefix_itself_is_under_the_prefix(settings: Any) -> None:
    settings.FORCE_SCRIPT_NAME = "/lens"
    assert routed("/lens")["path"] == "/lens"
    assert routed("/lenses")["path"] == "/lens/lenses"


def test_a_websocket_is_closed() -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    async_to_sync(Front(Router()))({"type": "websocket", "path": "/mcp"}, receive, send)
    assert sent == [{"type": "websocket.close", "code": 1000}]


def live(monkeypatch: pytest.MonkeyPatch, host: LoopHost[Any]) -> list[str]:
    monkeypatch.setattr(front, "host", host)
    said: list[str] = []
    coming = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]

    async def receive() -> Message:
        return coming.pop(0)

    async def send(message: Message) -> None:
        said.append(message["type"] + (f" {message['message']}" if "message" in message else ""))

    async_to_sync(Front(Router()))({"type": "lifespan"}, receive, send)
    return said


def test_9_2_a_server_with_a_lifespan_starts_and_ends_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    lived: list[str] = []

    @asynccontextmanager
    async def opened() -> AsyncIterator[str]:
        lived.append("opened")
        yield "state"
        lived.append("closed")

    assert live(monkeypatch, LoopHost(opened)) == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert lived == ["opened", "closed"]


def test_9_2_a_host_that_cannot_start_says_so_to_the_server(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    @asynccontextmanager
    async def opened() -> AsyncIterator[str]:
        await asyncio.sleep(0)
        yield str(1 // 0)

    assert live(monkeypatch, LoopHost(opened)) == ["lifespan.startup.failed integer division or modulo by zero"]


def test_an_application_does_not_start_with_a_contradictory_offer(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry()
    for _ in range(2):
        add_resource("x", uri="test://x", description="X.", handler=static, to=registry)
    monkeypatch.setattr(front, "registry", registry)
    with pytest.raises(ImproperlyConfigured, match=r"mcp_bridge\.E002"):
        Front(Router())
