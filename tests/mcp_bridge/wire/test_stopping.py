"""SIGTERM ends a server within three seconds, whatever is open."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from tests.mcp_bridge.wire.raw import ENVELOPE, MODERN, Stream, get_stream, headers_of, initialized, rpc, sse_stream
from tests.servers.patience import within
from tests.servers.web import KINDS, WebServer


@pytest.mark.parametrize("kind", KINDS)
def test_open_streams_and_calls_do_not_hold_the_server(start: Callable[..., WebServer], key: str, kind: str) -> None:
    # uvicorn waits for responses that are under way unless it is told how long.
    options = ("--timeout-graceful-shutdown", "2") if kind == "uvicorn" else ()
    server = start(kind, options=options)
    with ExitStack() as stack:
        for _ in range(3):
            stream = stack.enter_context(get_stream(server.port, initialized(server.port, key)))
            stream.until(b": open")
            stack.enter_context(sse_stream(server.port, key)[0])
        headers = headers_of(key, Mcp_Protocol_Version=MODERN, Mcp_Method="tools/call", Mcp_Name="wait")
        meta = {**ENVELOPE, "progressToken": "p"}
        body = rpc("tools/call", {"name": "wait", "arguments": {"seconds": 60}, "_meta": meta})
        call = stack.enter_context(Stream(server.port, "POST", "/mcp", headers, body))
        call.until(b'"begun"')
        began = time.monotonic()
        status = server.stop()
        assert time.monotonic() - began < within(3)
    assert status in (0, -signal.SIGTERM)  # uvicorn ends by the signal that it was sent.
    said = server.log.read_text()
    assert "Traceback" not in said
    assert "Task was destroyed" not in said
    assert "never awaited" not in said


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_served_nothing_stops_too(start: Callable[..., WebServer], kind: str) -> None:
    server = start(kind)
    assert server.stop() in (0, -signal.SIGTERM)
    assert "Traceback" not in server.log.read_text()
