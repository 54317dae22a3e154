"""Documents as real clients and servers send them, to change in one place at a time."""

from __future__ import annotations

from typing import Any


def requirements(**over: Any) -> dict[str, Any]:
    return {
        "scheme": "exact",
        "network": "stellar:testnet",
        "amount": "10000",
        "asset": "CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA",
        "payTo": "GCATS5YOVB6ROX2WUNKGNQ2MP3GMXDMKSG2O4N5CLX3A6W4PZGZZI55U",
        "maxTimeoutSeconds": 60,
        "extra": {"areFeesSponsored": True},
    } | over


def required(**over: Any) -> dict[str, Any]:
    return {
        "x402Version": 2,
        "error": "Payment required",
        "resource": {"url": "https://weather.example/weather/Oslo", "mimeType": "application/json"},
        "accepts": [requirements()],
    } | over


def payload(**over: Any) -> dict[str, Any]:
    return {
        "x402Version": 2,
        "resource": {"url": "https://weather.example/weather/Oslo"},
        "accepted": requirements(),
        "payload": {"transaction": "AAAA"},
    } | over
