"""Whatever happens inside an endpoint, the client gets JSON, once, and to its end."""

from __future__ import annotations

import asyncio

import pytest
from asgiref.sync import async_to_sync
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lensproject.core.errors import RateLimited
from mcp_bridge.transports.endpoint import Serve, endpoint
from mcp_bridge.transports.errors import refused, rpc_error
from mcp_bridge.transports.flow import OPENING
from mcp_bridge.transports.incoming import ClientGone
from tests.mcp_bridge.asgi import Answer, ask, scope_of


def asked(serve: Serve, method: str = "POST") -> Answer:
    application: ASGIApp = endpoint(serve, "POST")
    answer: Answer = async_to_sync(ask)(application, scope_of(method, "/mcp"))
    return answer


def answering(response: Response) -> Serve:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await response(scope, receive, send)

    return serve


def raising(error: Exception) -> Serve:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        raise error

    return serve


def test_another_method_is_405_with_those_allowed() -> None:
    answer = asked(answering(Response()), "PUT")
    assert (answer.status, answer.header("allow")) == (405, "POST, OPTIONS")
    assert answer.json == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32600, "message": "PUT is not a method of this endpoint."},
    }


def test_an_exception_is_a_masked_error_with_an_id_that_the_log_has(caplog: pytest.LogCaptureFixture) -> None:
    answer = asked(raising(RuntimeError("secret")))
    assert (answer.status, answer.json["error"]["code"]) == (500, -32603)
    assert "secret" not in answer.body.decode()
    assert answer.json["error"]["data"]["correlationId"] in caplog.text


def test_an_exception_after_the_beginning_ends_the_response(caplog: pytest.LogCaptureFixture) -> None:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise RuntimeError("secret")

    answer = asked(serve)
    assert (answer.status, answer.body, answer.finished) == (200, b"half", True)
    assert "failed" in caplog.text


def test_a_client_that_left_is_answered_nothing() -> None:
    assert asked(raising(ClientGone())).status == 0


def test_a_json_rpc_error_is_sent_as_it_is() -> None:
    answer = asked(raising(rpc_error(409, "Twice.", id=7, data={"a": 1}, headers={"X-Why": "so"})))
    assert (answer.status, answer.header("x-why")) == (409, "so")
    assert answer.json["error"] == {"code": -32600, "message": "Twice.", "data": {"a": 1}}
    assert answer.json["id"] == 7


def test_the_one_error_shape_is_sent_with_its_status() -> None:
    answer = asked(raising(refused(RateLimited("Slower.", retry_after=3))))
    assert (answer.status, answer.json["error"]["code"]) == (429, "RATE_LIMITED")


@pytest.mark.parametrize("response", [PlainTextResponse("no", 406), Response(status_code=406)], ids=["text", "empty"])
def test_an_error_of_the_sdk_that_is_not_json_becomes_json(response: Response) -> None:
    response.headers["Allow"] = "POST"
    answer = asked(answering(response))
    assert (answer.status, answer.header("content-type"), answer.header("allow")) == (406, "application/json", "POST")
    assert answer.json["error"] == {"code": -32600, "message": "Not Acceptable"}
    assert answer.header("content-length") == str(len(answer.body))


def test_what_is_no_error_passes_as_it_is() -> None:
    answer = asked(answering(PlainTextResponse("Accepted", 202)))
    assert (answer.status, answer.body, answer.header("content-type")) == (
        202,
        b"Accepted",
        "text/plain; charset=utf-8",
    )


def test_9_3_an_event_stream_begins_with_bytes() -> None:
    answer = asked(answering(Response(b"data: x\r\n\r\n", media_type="text/event-stream", headers={})))
    assert answer.body == OPENING + b"data: x\r\n\r\n"


def test_a_stream_that_was_left_open_is_ended() -> None:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    assert asked(serve).finished


def test_a_request_that_the_server_gives_up_ends_in_order() -> None:
    begun = asyncio.Event()
    sent: list[Message] = []

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        begun.set()
        await asyncio.Event().wait()

    async def nothing() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    async def use() -> None:
        task = asyncio.ensure_future(endpoint(serve, "POST")(scope_of("POST", "/mcp"), nothing, send))
        await begun.wait()
        task.cancel()
        await asyncio.wait_for(task, 1)

    async_to_sync(use)()
    assert sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}
