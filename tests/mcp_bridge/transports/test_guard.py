"""9.11: Host and Origin are checked before anything else, from ALLOWED_HOSTS and the allowed origins."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from starlette.types import Receive, Scope, Send

from mcp_bridge.transports.endpoint import endpoint
from tests.mcp_bridge.asgi import Answer, ask, scope_of


async def _serve(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"vary", b"Accept")]})
    await send({"type": "http.response.body", "body": b"served"})


guarded = endpoint(_serve, "GET", "POST")


@pytest.fixture(autouse=True)
def _hosts(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["shop.example", ".wild.example", "127.0.0.1", "[::1]"]
    settings.DEBUG = False
    settings.MCP_BRIDGE = {"mcp_allowed_origins": ("https://app.example",)}


def asked(*headers: tuple[str, str], method: str = "GET") -> Answer:
    answer: Answer = async_to_sync(ask)(guarded, scope_of(method, "/mcp", headers))
    return answer


@pytest.mark.parametrize(
    "host", ["shop.example", "SHOP.example:8000", "a.wild.example", "wild.example:1", "127.0.0.1:8000", "[::1]:8000"]
)
def test_9_11_hosts_of_ours_are_answered(host: str) -> None:
    assert asked(("host", host)).body == b"served"


@pytest.mark.parametrize(
    "host", ["evil.example", "shop.example.evil.example", "127.0.0.1.evil.example", "shop.example@evil.example", "a b"]
)
def test_9_11_another_host_is_misdirected(host: str) -> None:
    answer = asked(("host", host))
    assert answer.status == 421
    assert answer.json["error"]["code"] == -32600


def test_9_11_no_host_or_two_are_misdirected() -> None:
    assert asked(("host", "")).status == 421
    assert asked(("host", "shop.example"), ("host", "shop.example")).status == 421


def test_9_11_while_debugging_without_hosts_only_this_machine_is_answered(settings: Any) -> None:
    settings.ALLOWED_HOSTS = []
    settings.DEBUG = True
    assert asked(("host", "localhost:8000")).status == 200
    assert asked(("host", "shop.example")).status == 421


@pytest.mark.parametrize(
    "origin",
    [
        "https://app.example",
        "http://shop.example",
        "https://shop.example:444",
        "http://a.wild.example",
        "http://[::1]:9",
    ],
)
def test_9_11_pages_of_ours_and_listed_ones_may_call(origin: str) -> None:
    answer = asked(("host", "shop.example"), ("origin", origin))
    assert answer.status == 200
    assert answer.header("access-control-allow-origin") == origin
    assert answer.header("access-control-expose-headers") == "Mcp-Session-Id, WWW-Authenticate"
    assert answer.header("vary") == "Accept, Origin"


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://app.example", "https://app.example:444", "https://app.example.evil.example",
     "file:///shop.example", "chrome-extension://shop.example", "http://shop.example/path", "shop.example", "",
     "http://[", "http://[shop.example]", "https://shop.example]"],
)  # fmt: skip
def test_9_11_other_pages_may_not(origin: str) -> None:
    if not origin:
        headers = [("host", "shop.example"), ("origin", "https://app.example"), ("origin", "https://app.example")]
    else:
        headers = [("host", "shop.example"), ("origin", origin)]
    answer = asked(*headers)
    assert answer.status == 403
    assert answer.header("access-control-allow-origin") is None
    assert answer.json["error"]["code"] == -32600


def test_9_11_a_server_open_to_every_name_is_open_to_its_own_pages_only(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    assert asked(("host", "any.example:8000"), ("origin", "http://any.example:8000")).status == 200
    assert asked(("host", "any.example:8000"), ("origin", "http://evil.example")).status == 403


def test_a_program_sends_no_origin_and_gets_no_header_for_pages() -> None:
    answer = asked(("host", "shop.example"))
    assert answer.status == 200
    assert answer.header("access-control-allow-origin") is None


def test_a_preflight_of_an_allowed_page_is_answered() -> None:
    answer = asked(
        ("host", "shop.example"),
        ("origin", "https://app.example"),
        ("access-control-request-headers", "mcp-param-region, x-other"),
        method="OPTIONS",
    )
    assert (answer.status, answer.body) == (204, b"")
    assert answer.header("access-control-allow-methods") == "GET, POST, OPTIONS"
    allowed = (answer.header("access-control-allow-headers") or "").split(", ")
    assert {"Authorization", "Mcp-Session-Id", "Mcp-Protocol-Version", "mcp-param-region"} <= set(allowed)
    assert "x-other" not in allowed


def test_a_preflight_of_another_page_is_refused() -> None:
    assert asked(("host", "shop.example"), ("origin", "https://evil.example"), method="OPTIONS").status == 403


def test_options_without_a_page_says_what_may_be_done() -> None:
    answer = asked(("host", "shop.example"), method="OPTIONS")
    assert (answer.status, answer.header("allow")) == (204, "GET, POST, OPTIONS")
