"""HTTP by hand: what clients hide of an answer, such as when its headers come and what its body is."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
ACCEPT = "application/json, text/event-stream"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[Any]:
        """The messages of an event stream."""
        lines = self.body.decode().splitlines()
        return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]

    @property
    def result(self) -> Any:
        """The one JSON-RPC answer, whether it came as JSON or as an event."""
        return self.events[-1] if self.headers["content-type"].startswith("text/event-stream") else self.json


def send(port: int, method: str, path: str, headers: Mapping[str, str] | None = None, body: Any = None) -> Reply:
    """One request and its whole answer. A body that is no bytes goes as JSON."""
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, body=data, headers=dict(headers or {}))
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Reply(response.status, found, response.read())
    finally:
        connection.close()


def headers_of(token: str | None, **more: str) -> dict[str, str]:
    """What every POST has; `mcp_session_id="…"` becomes Mcp-Session-Id."""
    found = {"Content-Type": "application/json", "Accept": ACCEPT}
    if token is not None:
        found["Authorization"] = f"Bearer {token}"
    return {**found, **{name.replace("_", "-"): value for name, value in more.items()}}


def rpc(method: str, params: Mapping[str, Any] | None = None, *, id: int | str = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, **({} if params is None else {"params": dict(params)})}


def modern(port: int, token: str | None, method: str, **params: Any) -> Reply:
    """A request of 2026-07-28, complete in itself."""
    headers = headers_of(token, Mcp_Protocol_Version=MODERN, Mcp_Method=method)
    name = params.get("name", params.get("uri"))
    if name is not None:
        headers["Mcp-Name"] = name
    return send(port, "POST", "/mcp", headers, rpc(method, {**params, "_meta": ENVELOPE}))


INITIALIZE = rpc(
    "initialize",
    {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
    id="init",
)


def initialized(port: int, token: str) -> dict[str, str]:
    """The headers of a new session, after the handshake."""
    reply = send(port, "POST", "/mcp", headers_of(token), INITIALIZE)
    assert reply.status == 200, reply
    headers = headers_of(token, Mcp_Session_Id=reply.headers["mcp-session-id"], Mcp_Protocol_Version=LEGACY)
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert send(port, "POST", "/mcp", headers, note).status == 202
    return headers


T = TypeVar("T")


def until(ask: Callable[[], T], good: Callable[[T], bool], seconds: float = 3.0) -> T:
    """Ask until the answer is good. Gives the last answer, good or not, when the time is over."""
    deadline = time.monotonic() + seconds
    while not good(answer := ask()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return answer


class Stream:
    """A connection whose answer is read bit by bit."""

    def __init__(self, port: int, method: str, path: str, headers: Mapping[str, str], body: Any = None) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Content-Length: {len(data)}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.began = time.monotonic()
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        self.received = b""

    def until(self, what: bytes, seconds: float = 10.0) -> float:
        """Read until `what` has come. Returns the seconds since the request was sent."""
        deadline = time.monotonic() + seconds
        while what not in self.received:
            self.socket.settimeout(max(deadline - time.monotonic(), 0.001))
            part = self.socket.recv(65536)
            assert part, f"the stream ended; it was {self.received!r}"
            self.received += part
        return time.monotonic() - self.began

    def ended_within(self, seconds: float) -> bool:
        """Whether the response is over, by its last chunk or by the end of the connection."""
        deadline = time.monotonic() + seconds
        while not self.received.endswith(b"0\r\n\r\n"):
            self.socket.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                part = self.socket.recv(65536)
            except TimeoutError:
                return False
            if not part:
                return True
            self.received += part
        return True

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def get_stream(port: int, headers: Mapping[str, str], **more: str) -> Stream:
    """The stream of a session, from server to client."""
    return Stream(port, "GET", "/mcp", {**headers, "Accept": "text/event-stream", **more})


def sse_stream(port: int, token: str) -> tuple[Stream, str]:
    """A session of HTTP+SSE: its stream, and where to post."""
    stream = Stream(port, "GET", "/sse", {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"})
    stream.until(b"event: endpoint")
    stream.until(b"\r\n\r\n", 5)
    while b"session_id=" not in stream.received or not stream.received.split(b"session_id=")[1][32:33]:
        stream.until(b"session_id=", 5)
        stream.received += stream.socket.recv(65536)
    session = stream.received.split(b"session_id=")[1][:32].decode()
    return stream, f"/messages/?session_id={session}"
