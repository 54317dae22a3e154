from __future__ import annotations

import pytest

from bazaar.markets.shown_urls import only_host, without_secrets


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://rpc.example", "https://rpc.example"),
        ("https://rpc.example:8443/", "https://rpc.example:8443"),
        ("https://rpc.example/v1/0a1b2c3d4e5f", "https://rpc.example"),
        ("https://rpc.example?key=secret", "https://rpc.example"),
        ("https://rpc.example#secret", "https://rpc.example"),
        ("https://user:secret@rpc.example/v1", "https://rpc.example"),
        ("https://secret@word@rpc.example", "https://rpc.example"),
        ("http://[::1]:8003/soroban/rpc", "http://[::1]:8003"),
        ("http://[broken", "http://[broken"),
        ("", None),
        ("rpc.example/secret", None),
        ("https://", None),
    ],
)
def test_of_a_node_scheme_host_and_port_are_shown(url: str, shown: str | None) -> None:
    assert only_host(url) == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("https://horizon.example/order_book", "https://horizon.example/order_book"),
        ("https://user:secret@horizon.example:8000/order_book", "https://horizon.example:8000/order_book"),
        ("https://horizon.example/order_book?key=secret#more", "https://horizon.example/order_book"),
        ("CA" + "A" * 54, "CA" + "A" * 54),
        ("http://[broken", "http://[broken"),
    ],
)
def test_of_a_source_user_query_and_fragment_are_left_out(source: str, shown: str) -> None:
    assert without_secrets(source) == shown
