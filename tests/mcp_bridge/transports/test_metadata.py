"""Where keys come from, for clients that look it up (RFC 9728)."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import async_to_sync

from mcp_bridge.registry import Registry
from mcp_bridge.transports import metadata
from tests.mcp_bridge.asgi import Answer, ask, scope_of

PATH = "/.well-known/oauth-protected-resource/mcp"


@pytest.fixture(autouse=True)
def _public(settings: Any, offered: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.MCP_BRIDGE = {"public_url": "https://shop.example/", "title": "The Shop"}
    monkeypatch.setattr(metadata, "registry", offered)


def asked(method: str = "GET") -> Answer:
    answer: Answer = async_to_sync(ask)(metadata.metadata_endpoint, scope_of(method, PATH))
    return answer


def test_the_document_names_resource_issuer_and_scopes() -> None:
    answer = asked()
    assert (answer.status, answer.header("content-type")) == (200, "application/json")
    assert answer.json == {
        "resource": "https://shop.example/mcp",
        "resource_name": "The Shop",
        "authorization_servers": ["https://shop.example"],
        "scopes_supported": ["write"],
        "bearer_methods_supported": ["header"],
    }


def test_another_issuer_is_a_setting(settings: Any) -> None:
    settings.MCP_BRIDGE = {**settings.MCP_BRIDGE, "authorization_servers": ("https://login.example",)}
    assert asked().json["authorization_servers"] == ["https://login.example"]


def test_it_is_only_read() -> None:
    assert asked("POST").status == 405
