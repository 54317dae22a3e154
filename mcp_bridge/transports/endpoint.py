"""What every endpoint has around it: Host and Origin, the method, the flow of bytes, and an answer whatever happens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import uuid4

import mcp_types as types
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_bridge import configuration
from mcp_bridge.transports.errors import Answered, in_json, rpc_error
from mcp_bridge.transports.flow import Stalled, flushed, with_backpressure
from mcp_bridge.transports.guard import checked_origin, with_cors
from mcp_bridge.transports.incoming import ClientGone

logger = logging.getLogger(__name__)

Serve = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass
class _Progress:
    """How far the response has come."""

    send: Send
    started: bool = False
    finished: bool = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
        elif message["type"] == "http.response.body" and not message.get("more_body", False):
            self.finished = True
        await self.send(message)


def endpoint(serve: Serve, *methods: str) -> ASGIApp:
    """`serve` as an ASGI application: guarded, and sure to answer in JSON and to finish what it began."""
    allowed = ", ".join((*methods, "OPTIONS"))

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        progress = _Progress(with_backpressure(send, configuration.current().mcp_stall_seconds))
        outward: Send = progress
        try:
            outward = with_cors(flushed(progress), checked_origin(scope, allowed))
            if scope["method"] not in methods:
                raise rpc_error(405, f"{scope['method']} is not a method of this endpoint.", headers={"Allow": allowed})
            await serve(scope, receive, in_json(outward))
        except Answered as answer:
            await answer.response(scope, receive, outward)
        except ClientGone:
            return
        except asyncio.CancelledError:
            # The server stops, or gives up an application that outlives its client. Nobody above needs the exception,
            # and uvicorn would log it as a fault.
            logger.info("%s %s was cancelled by the server", scope["method"], scope["path"])
        except Stalled as stalled:
            logger.info("%s %s: %s", scope["method"], scope["path"], stalled)
        except Exception as error:
            await _fail(scope, receive, outward, progress, error)
        if progress.started and not progress.finished:
            await progress({"type": "http.response.body", "body": b"", "more_body": False})

    return application


async def _fail(scope: Scope, receive: Receive, send: Send, progress: _Progress, error: Exception) -> None:
    """Daphne notices a dead application once a second and answers HTML, so the answer is given here."""
    correlation = uuid4().hex
    logger.error("%s %s failed [%s]", scope["method"], scope["path"], correlation, exc_info=error)
    if not progress.started:
        data = {"correlationId": correlation}
        answer = rpc_error(500, "Internal server error", code=types.INTERNAL_ERROR, data=dict(data))
        await answer.response(scope, receive, send)
