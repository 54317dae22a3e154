"""The HTTP door: JSON-RPC at /, a node that is behind at /behind/N, friendbot, faucet, control."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

from aiohttp import web

from payments.sandbox import control, faucet
from payments.sandbox.control import ControlRefused
from payments.sandbox.faucet import FaucetRefused
from payments.sandbox.network import PROTOCOL
from payments.sandbox.node import Node
from payments.sandbox.pace import Pace
from payments.sandbox.records import TransactionRow
from payments.sandbox.rpc import methods
from payments.sandbox.rpc.about import VERSION

log = logging.getLogger(__name__)
LARGEST_BODY = 1024 * 1024
PARSE_ERROR, INTERNAL_ERROR = -32700, -32603
NODE: web.AppKey[Node] = web.AppKey("node", Node)
PACE: web.AppKey[Pace] = web.AppKey("pace", Pace)
CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "*",
}


def application(node: Node, ledger_seconds: float) -> web.Application:
    app = web.Application(client_max_size=LARGEST_BODY, middlewares=[_errors_as_json])
    app[NODE] = node

    async def closing(app: web.Application) -> AsyncIterator[None]:
        app[PACE] = Pace(node, ledger_seconds)
        task = asyncio.create_task(app[PACE].run())
        yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        node.store.close()

    app.cleanup_ctx.append(closing)
    app.router.add_get("/", about)
    app.router.add_post("/", rpc)
    app.router.add_post("/behind/{ledgers:[0-9]{1,3}}", rpc)
    for path in ("/", "/behind/{ledgers:[0-9]{1,3}}", "/friendbot"):
        app.router.add_options(path, preflight)
    app.router.add_get("/friendbot", friendbot)
    app.router.add_post("/friendbot", friendbot)
    app.router.add_post("/faucet", mint)
    app.router.add_post("/control", controlled)
    return app


@web.middleware
async def _errors_as_json(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        return await handler(request)
    except (FaucetRefused, ControlRefused) as refused:
        return web.json_response({"detail": str(refused)}, status=400)
    except web.HTTPException as error:
        return web.json_response({"detail": error.reason}, status=error.status)
    except Exception:
        log.exception("A request failed")
        return web.json_response({"detail": "The sandbox failed; its log says how."}, status=500)


async def about(request: web.Request) -> web.Response:
    """What a person or a test needs to know of this ledger."""
    node = request.app[NODE]
    asset = node.keys.asset
    return web.json_response(
        {
            "version": VERSION,
            "network": node.network.name,
            "passphrase": node.network.passphrase,
            "protocolVersion": PROTOCOL,
            "latestLedger": node.latest.sequence,
            "ledgerSeconds": request.app[PACE].seconds,
            "asset": {
                "code": asset.code,
                "issuer": asset.issuer,
                "contract": asset.contract_id(node.network.passphrase),
                "decimals": 7,
            },
            "native": {"contract": faucet.native_contract(node)},
            "friendbot": "/friendbot?addr=G…",
        }
    )


async def preflight(request: web.Request) -> web.Response:
    """Pages of other sites may ask the ledger; faucet and controls are not theirs."""
    return web.Response(status=204, headers=CORS)


async def rpc(request: web.Request) -> web.StreamResponse:
    node = request.app[NODE]
    if node.faults.slow:
        await asyncio.sleep(node.faults.slow)
    try:
        call = json.loads(await request.read())
    except (ValueError, RecursionError):
        return _told(_failed(PARSE_ERROR, "the body is not JSON"))
    view = node.view(int(request.match_info.get("ledgers", "0")))
    if isinstance(call, list):
        return _told([_answer(view, each) for each in call[:100]])
    answer = _answer(view, call)
    if _is_sent(call, answer) and node.faults.take("lost_replies"):
        return _cut_off(request)
    return _told(answer)


def _answer(view: Any, call: object) -> dict[str, Any]:
    try:
        return methods.answer(view, call)
    except Exception:
        log.exception("A call failed")
        return _failed(INTERNAL_ERROR, "the sandbox failed; its log says how")


def _failed(code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}


def _is_sent(call: object, answer: dict[str, Any]) -> bool:
    return isinstance(call, dict) and call.get("method") == "sendTransaction" and "result" in answer


def _cut_off(request: web.Request) -> web.StreamResponse:
    """End the connection: the transaction was taken, and its sender will not hear of it."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=503)


def _told(answer: object) -> web.Response:
    return web.json_response(answer, headers=CORS)


async def friendbot(request: web.Request) -> web.Response:
    form = await request.post() if request.method == "POST" else {}
    address = str(request.query.get("addr") or form.get("addr") or "")
    return web.json_response(_row(faucet.fund(request.app[NODE], address)), headers=CORS)


async def mint(request: web.Request) -> web.Response:
    body = await _object(request)
    address, amount = body.get("address"), body.get("amount")
    if not isinstance(address, str) or not isinstance(amount, str):
        raise FaucetRefused("address and amount must be texts")
    return web.json_response(_row(faucet.mint(request.app[NODE], address, amount)), headers=CORS)


def _row(row: TransactionRow) -> dict[str, Any]:
    return {"hash": row.hash.hex(), "ledger": row.ledger, "successful": row.succeeded}


async def controlled(request: web.Request) -> web.Response:
    """From this machine only, and never from a web page: JSON, which a page of another site may not post."""
    if not _is_local(request):
        raise web.HTTPForbidden(reason="the controls answer on this machine only")
    command = await _object(request)
    return web.json_response(control.run(request.app[NODE], request.app[PACE], command))


def _is_local(request: web.Request) -> bool:
    host = request.host.rsplit(":", 1)[0].strip("[]") if not request.host.endswith("]") else request.host.strip("[]")
    return _is_loopback(request.remote or "") and (host == "localhost" or _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _object(request: web.Request) -> dict[str, Any]:
    if request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType(reason="Content-Type must be application/json")
    try:
        body = json.loads(await request.read())
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise web.HTTPBadRequest(reason="the body must be a JSON object")
    return body
