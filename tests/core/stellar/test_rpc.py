"""The client of nodes: what it sends, and that no answer, however bad, is more than one typed fault."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from lensproject.core.stellar.faults import NodeAnswer, NodeAway, NodeFault, NodeGarbage
from lensproject.core.stellar.rpc import Bounds, Node
from tests.core.stellar.scripted import listening, scripted
from tests.servers.ports import free_port

LATEST = {"id": "ab", "protocolVersion": 23, "sequence": 100}
QUICK = Bounds(connect=0.5, read=0.3, total=0.6, size=10_000)


def asked(answer: Callable[[web.Request], Awaitable[web.StreamResponse]], bounds: Bounds = QUICK) -> NodeFault:
    """The fault of one question to a server that answers so."""

    async def ask() -> NodeFault:
        async with listening(answer) as url, Node(url, bounds) as node:
            with pytest.raises(NodeFault) as caught:
                await node.latest_ledger()
            assert "hidden" not in str(caught.value)
            assert "127.0.0.1" not in str(caught.value)
            return caught.value

    return asyncio.run(ask())


def replying(body: str | bytes, status: int = 200, kind: str = "application/json") -> Any:
    async def answer(request: web.Request) -> web.Response:
        raw = body.encode() if isinstance(body, str) else body
        return web.Response(body=raw, status=status, content_type=kind)

    return answer


def result(text: str) -> str:
    return f'{{"jsonrpc": "2.0", "id": 1, "result": {text}}}'


def test_a_question_is_json_rpc_and_each_has_its_own_id() -> None:
    seen = []

    async def answer(request: web.Request) -> web.Response:
        question = await request.json()
        seen.append((question, request.headers["Content-Type"], request.headers["Accept-Encoding"]))
        return web.json_response({"jsonrpc": "2.0", "id": question["id"], "result": LATEST})

    async def ask() -> list[int]:
        async with listening(answer) as url, Node(url) as node:
            return [(await node.latest_ledger()).sequence, (await node.latest_ledger()).sequence]

    assert asyncio.run(ask()) == [100, 100]
    assert seen == [
        ({"jsonrpc": "2.0", "id": id, "method": "getLatestLedger"}, "application/json", "identity") for id in (1, 2)
    ]


def test_connections_are_kept() -> None:
    peers = set()

    async def answer(request: web.Request) -> web.Response:
        assert request.transport is not None
        peers.add(request.transport.get_extra_info("peername"))
        return web.json_response({"jsonrpc": "2.0", "id": (await request.json())["id"], "result": LATEST})

    async def ask() -> None:
        async with listening(answer) as url, Node(url) as node:
            for _ in range(5):
                await node.latest_ledger()

    asyncio.run(ask())
    assert len(peers) == 1


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<html><body>502 Bad Gateway</body></html>", id="HTML"),
        pytest.param("", id="nothing"),
        pytest.param(result(json.dumps(LATEST))[:-1], id="cut short"),
        pytest.param(result('{"sequence": 1, "sequence": 2, "protocolVersion": 1}'), id="a key twice"),
        pytest.param(result('{"sequence": NaN, "protocolVersion": 1}'), id="NaN"),
        pytest.param(result('{"sequence": 1e3, "protocolVersion": 1}'), id="a float"),
        pytest.param(result('{"sequence": -1, "protocolVersion": 1}'), id="less than nothing"),
        pytest.param(result('{"sequence": true, "protocolVersion": 1}'), id="a truth value"),
        pytest.param(result('{"sequence": "٣", "protocolVersion": 1}'), id="digits of another script"),
        pytest.param(result('{"protocolVersion": 1}'), id="a field missing"),
        pytest.param(result("[]"), id="a list"),
        pytest.param(result("null"), id="null"),
        pytest.param('{"jsonrpc": "2.0", "id": 2, "result": {}}', id="another id"),
        pytest.param('{"id": 1, "result": {}}', id="no JSON-RPC"),
        pytest.param("[" * 5_000, id="nested without end"),
        pytest.param(result('"' + "x" * 20_000 + '"'), id="longer than the bound"),
        pytest.param(b"\xff\xfe", id="no UTF-8"),
    ],
)
def test_answers_that_are_none(body: str | bytes) -> None:
    fault = asked(replying(body))
    assert type(fault) is NodeGarbage
    assert fault.may_have_arrived


def test_html_with_an_error_status_is_no_answer() -> None:
    assert type(asked(replying("<html>404</html>", 404, "text/html"))) is NodeGarbage


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_an_overloaded_node_is_away(status: int) -> None:
    fault = asked(replying("<html>busy</html>", status, "text/html"))
    assert type(fault) is NodeAway
    assert fault.may_have_arrived


@pytest.mark.parametrize("status", [200, 400, 500])
def test_an_error_object_is_the_nodes_answer(status: int) -> None:
    body = '{"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "invalid parameters"}}'
    fault = asked(replying(body, status))
    assert isinstance(fault, NodeAnswer)
    assert (fault.code, fault.text) == (-32602, "invalid parameters")


def test_redirects_are_not_followed() -> None:
    async def away(request: web.Request) -> web.Response:
        return web.Response(status=307, headers={"Location": "http://127.0.0.1:1/"})

    assert type(asked(away)) is NodeGarbage


def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")

    async def ask() -> int:
        async with scripted({"getLatestLedger": LATEST}) as there, Node(there.url) as node:
            return (await node.latest_ledger()).sequence

    assert asyncio.run(ask()) == 100


def test_a_node_that_is_not_there_never_read_the_request() -> None:
    async def ask() -> NodeFault:
        async with Node(f"http://127.0.0.1:{free_port()}/") as node:
            with pytest.raises(NodeAway) as caught:
                await node.send("AAAA")
            return caught.value

    assert not asyncio.run(ask()).may_have_arrived


def test_a_silent_node_is_left_in_time() -> None:
    async def silent(request: web.Request) -> web.Response:
        await asyncio.sleep(30)
        raise AssertionError

    started = time.monotonic()
    fault = asked(silent)
    assert type(fault) is NodeAway
    assert fault.may_have_arrived
    assert time.monotonic() - started < 5


def test_a_node_that_drips_is_left_in_time() -> None:
    async def dripping(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.1)

    started = time.monotonic()
    assert type(asked(dripping)) is NodeAway
    assert time.monotonic() - started < 5


async def closing_after(answers: int) -> tuple[asyncio.Server, list[int]]:
    """A server that closes each connection after so many answers, without saying so before."""
    requests: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            for _ in range(answers):
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                question = json.loads(await reader.readexactly(length))
                requests.append(question["id"])
                body = json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": LATEST}).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            # The next question arrives, is read, and gets no answer.
            await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    return await asyncio.start_server(serve, "127.0.0.1", 0), requests


def test_a_kept_connection_that_ended_is_no_fault_of_a_question_but_of_a_send() -> None:
    async def ask() -> tuple[int, NodeFault]:
        server, _ = await closing_after(1)
        async with server, Node(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/") as node:
            await node.latest_ledger()
            again = await node.latest_ledger()
            with pytest.raises(NodeAway) as caught:
                await node.send("AAAA")
            return again.sequence, caught.value

    sequence, fault = asyncio.run(ask())
    assert sequence == 100
    assert fault.may_have_arrived


def test_what_is_sent_is_sent_once() -> None:
    async def ask() -> list[int]:
        server, requests = await closing_after(0)
        async with server, Node(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/") as node:
            with pytest.raises(NodeAway):
                await node.send("AAAA")
        return requests

    assert asyncio.run(ask()) == []


def test_a_closed_client_opens_again() -> None:
    async def ask() -> int:
        async with scripted({"getLatestLedger": LATEST}) as there:
            node = Node(there.url)
            await node.latest_ledger()
            await node.aclose()
            await node.aclose()
            await node.latest_ledger()
            await node.aclose()
            return len(there.asked)

    assert asyncio.run(ask()) == 2
