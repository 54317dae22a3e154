"""One request to an ASGI application without a server: what a transport answers before any byte is on a wire."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message, Scope


@dataclass
class Answer:
    status: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    finished: bool = False

    def header(self, name: str) -> str | None:
        found = [value for key, value in self.headers if key == name.lower()]
        return ", ".join(found) if found else None

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def scope_of(
    method: str, path: str, headers: Mapping[str, str] | Sequence[tuple[str, str]] = (), **more: object
) -> Scope:
    """A scope with a Host that is ours, unless `headers` has another; `""` as its value leaves it out."""
    pairs = list(headers.items()) if isinstance(headers, Mapping) else list(headers)
    if not any(name.lower() == "host" for name, _ in pairs):
        pairs.append(("host", "localhost"))
    raw_path, _, query = path.partition("?")
    return {
        "type": "http",
        "method": method,
        "path": raw_path,
        "query_string": query.encode(),
        "root_path": "",
        "scheme": "http",
        "client": ("192.0.2.7", 40000),
        "headers": [(name.lower().encode(), value.encode()) for name, value in pairs if value],
        **more,
    }


async def ask(app: ASGIApp, scope: Scope, body: bytes = b"", *, parts: Sequence[bytes] | None = None) -> Answer:
    """The answer to one request. The client sends `body` (or `parts`) and then waits for ever."""
    chunks = list(parts if parts is not None else [body])
    incoming: list[Message] = [
        {"type": "http.request", "body": chunk, "more_body": index < len(chunks) - 1}
        for index, chunk in enumerate(chunks)
    ]
    answer = Answer()

    async def receive() -> Message:
        if incoming:
            return incoming.pop(0)
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            assert answer.status == 0, "two responses"
            answer.status = message["status"]
            answer.headers = [(name.decode().lower(), value.decode()) for name, value in message["headers"]]
        else:
            assert answer.status, "a body before the response began"
            assert not answer.finished, "a body after the response was over"
            answer.body += message.get("body", b"")
            answer.finished = not message.get("more_body", False)

    await asyncio.wait_for(app(scope, receive, send), 10)
    return answer
