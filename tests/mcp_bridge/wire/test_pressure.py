"""9.4: a client that does not read costs a bounded amount of memory, and is sent away in the end."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import psutil
import pytest

from tests.mcp_bridge.wire.raw import ENVELOPE, MODERN, Stream, headers_of, initialized, modern, rpc, until
from tests.servers.web import KINDS, WebServer

STALLED = 3
SENT = 2000
SIZE = 65_536
"""The tool would like to send 131 MB to each client."""
ROOM = 60 * 1024 * 1024


def flooded(server: WebServer, key: str, way: str) -> Stream:
    """A call that sends without end to a client that reads nothing after the first event."""
    params: dict[str, Any] = {"name": "flood", "arguments": {"events": SENT, "size": SIZE}}
    if way == "modern":
        headers = headers_of(key, Mcp_Protocol_Version=MODERN, Mcp_Method="tools/call", Mcp_Name="flood")
        params["_meta"] = {**ENVELOPE, "progressToken": "p"}
    else:
        headers = initialized(server.port, key)
        params["_meta"] = {"progressToken": "p"}
    stream = Stream(server.port, "POST", "/mcp", headers, rpc("tools/call", params))
    stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
    stream.until(b"progressToken")
    return stream


def memory_of(server: WebServer) -> int:
    return int(psutil.Process(server.process.pid).memory_info().rss)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["modern", "legacy"])
def test_9_4_stalled_clients_cost_little_and_harm_nobody(
    start: Callable[..., WebServer], key: str, kind: str, way: str
) -> None:
    server = start(kind, bridge={"mcp_stall_seconds": 60})
    modern(server.port, key, "tools/list")
    before = memory_of(server)
    streams = [flooded(server, key, way) for _ in range(STALLED)]
    try:
        grown = until(lambda: memory_of(server) - before, lambda bytes_: bytes_ > ROOM, seconds=3)
        assert grown < ROOM
        reply = modern(server.port, key, "tools/call", name="say", arguments={})
        assert reply.json["result"]["content"][0]["text"] == "just text"
    finally:
        for stream in streams:
            stream.close()


def test_9_4_under_daphne_a_client_that_does_not_read_is_disconnected(
    start: Callable[..., WebServer], key: str
) -> None:
    server = start("daphne", bridge={"mcp_stall_seconds": 0.5})
    with flooded(server, key, "modern") as stream:
        open_files = psutil.Process(server.process.pid).net_connections
        here = stream.socket.getsockname()[1]

        def connected() -> bool:
            return any(each.raddr and each.raddr.port == here and each.status == "ESTABLISHED" for each in open_files())

        assert connected()
        assert not until(connected, lambda still: not still, seconds=5)
    assert until(server.log.read_text, lambda text: "has not read for 0.5 seconds" in text, seconds=5)
