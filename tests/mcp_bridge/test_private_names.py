"""9.23: names of the SDK, of Daphne and of Twisted that the bridge relies on and that nobody has promised to keep.

Each is imported and used as the bridge uses it. The versions are pinned exactly; when one of these tests fails after an
upgrade, the place that it names must be looked at.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from importlib.metadata import version
from typing import Any

import anyio
import daphne.server
import pytest
from asgiref.sync import async_to_sync
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, authorization_context
from mcp.server.auth.provider import AccessToken
from mcp.server.runner import serve_loop
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http import GET_STREAM_KEY, StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from twisted.internet import reactor
from twisted.web.http import HTTPChannel, Request

from mcp_bridge.handlers import build_server
from mcp_bridge.handlers.asking import Asking
from mcp_bridge.registry import Registry
from mcp_bridge.request import EXCHANGE, Exchange
from mcp_bridge.transports.access import as_user
from mcp_bridge.transports.flow import twisted_request
from tests.mcp_bridge.asgi import ask, scope_of
from tests.mcp_bridge.memory import WRITER
from tests.mcp_bridge.wire.raw import INITIALIZE, headers_of

PINNED = {"mcp": "2.3.0", "mcp-types": "2.3.0", "daphne": "4.2.3", "channels": "4.3.2", "Twisted": "26.10.0"}


@pytest.mark.parametrize("package", PINNED)
def test_9_23_the_versions_are_those_that_were_looked_at(package: str) -> None:
    assert version(package) == PINNED[package]


def test_9_23_twisteds_reactor_says_which_event_loop_it_runs() -> None:
    """`host._stop_with_reactor`: whether the running loop is Daphne's."""
    loop: Any = reactor
    assert loop._asyncioEventloop is daphne.server.twisted_loop
    assert callable(loop.addSystemEventTrigger)


class Protocol:
    """Stands where Daphne has its request."""

    def registerProducer(self, producer: object, streaming: bool) -> None: ...

    channel = None
    finished = False


def test_9_23_daphne_gives_send_as_a_partial_whose_first_argument_is_the_request() -> None:
    """`flow.twisted_request`."""
    given: dict[str, Any] = {}

    async def application(scope: Any, receive: Any, send: Any) -> None:
        given["send"] = send

    async def use() -> None:
        server = daphne.server.Server(application, endpoints=["unused"])
        protocol = Protocol()
        server.connections = {protocol: {"connected": 0}}
        server.create_application(protocol, {"type": "http"})
        await asyncio.sleep(0)
        assert isinstance(given["send"], functools.partial)
        assert twisted_request(given["send"]) is protocol
        assert server.http_timeout is None

    async_to_sync(use)()


def test_9_23_a_request_of_twisted_takes_a_producer_and_its_channel_can_be_aborted() -> None:
    assert list(inspect.signature(Request.registerProducer).parameters) == ["self", "producer", "streaming"]
    assert callable(Request.unregisterProducer)
    assert callable(HTTPChannel.forceAbortClient)
    assert Request.finished == 0


def test_9_23_the_stream_of_get_has_a_name_among_those_of_requests() -> None:
    """`incoming.parsed` refuses it as an id."""
    assert GET_STREAM_KEY == "_GET_stream"
    transport = StreamableHTTPServerTransport(mcp_session_id="s")
    assert transport._request_streams == {}


def test_9_23_a_session_belongs_to_the_user_in_the_scope() -> None:
    """`access.as_user`: client id and subject are what a session is bound to."""
    user = as_user(WRITER)
    assert isinstance(user, AuthenticatedUser)
    assert authorization_context(user) == {"client_id": "key_7", "issuer": None, "subject": "agent"}
    other = AuthenticatedUser(AccessToken(token="", client_id="key_8", subject="agent", scopes=[]))
    assert authorization_context(other) != authorization_context(user)


def test_9_23_middleware_sees_the_scope_of_the_http_request() -> None:
    """`asking.Asking.exchange` finds there who asks; the manager takes a scope as it is."""
    seen: list[Exchange] = []

    class Watching(Asking):
        def exchange(self, ctx: Any) -> Exchange:
            seen.append(super().exchange(ctx))
            return seen[-1]

    exchange = Exchange(WRITER, "test")
    server = build_server(Registry())
    server.middleware.insert(0, Watching().watch)
    manager = StreamableHTTPSessionManager(app=server, json_response=True)

    async def use() -> int:
        import json

        scope = scope_of("POST", "/mcp", headers_of(None), user=None, **{EXCHANGE: exchange})
        async with manager.run():
            answer = await ask(manager.handle_request, scope, json.dumps(INITIALIZE).encode())
        return answer.status

    assert async_to_sync(use)() == 200
    assert seen
    assert all(found is exchange for found in seen)


def test_9_24_the_loop_of_a_legacy_connection_takes_the_hosts_lifespan() -> None:
    """`sse._session` runs it; `Server.run` would enter the lifespan once for each connection."""
    parameters = inspect.signature(serve_loop).parameters
    assert list(parameters)[:3] == ["server", "read_stream", "write_stream"]
    assert "lifespan_state" in parameters

    async def use() -> None:
        send, receive = anyio.create_memory_object_stream[Any](0)
        out, _reader = anyio.create_memory_object_stream[Any](0)
        with send, receive, out, _reader:
            await send.aclose()
            await asyncio.wait_for(serve_loop(build_server(Registry()), receive, out, lifespan_state={}), 2)

    async_to_sync(use)()


def test_9_23_the_old_transport_has_its_two_halves() -> None:
    transport = SseServerTransport("/messages/", max_request_body_size=10)
    assert callable(transport.connect_sse)
    assert callable(transport.handle_post_message)
