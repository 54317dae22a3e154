"""Where the bridge's settings come from."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from lensproject.environment import Environment
from mcp_bridge import configuration
from mcp_bridge.configuration import Configuration


class Typed:
    """As `settings.LENS` of this project, with other values."""

    mcp_max_body_bytes = 2048
    sse_enabled = False
    unrelated = "ignored"


@pytest.fixture(autouse=True)
def _nothing_given(settings: Any) -> None:
    settings.MCP_BRIDGE = {}


def test_a_project_that_says_nothing_gets_the_defaults(settings: Any) -> None:
    del settings.LENS
    assert configuration.current() == Configuration()


def test_the_typed_settings_are_taken_by_name(settings: Any) -> None:
    settings.LENS = Typed()
    found = configuration.current()
    assert (found.mcp_max_body_bytes, found.sse_enabled, found.page_size) == (2048, False, 100)


def test_mcp_bridge_comes_first(settings: Any) -> None:
    settings.LENS = Typed()
    with override_settings(MCP_BRIDGE={"mcp_max_body_bytes": 4096}):
        assert configuration.current().mcp_max_body_bytes == 4096


def test_a_misspelt_name_is_named(settings: Any) -> None:
    with (
        override_settings(MCP_BRIDGE={"max_body": 1, "sse": 2}),
        pytest.raises(ImproperlyConfigured, match="max_body, sse"),
    ):
        configuration.current()


SHARED_WITH_THE_ENVIRONMENT = (
    "public_url",
    "proxy_count",
    "anonymous_reading",
    "sse_enabled",
    "sweep_interval_ms",
    "mcp_allowed_origins",
    "mcp_max_body_bytes",
    "mcp_max_sessions",
    "mcp_session_idle_seconds",
    "mcp_json_response",
)


@pytest.mark.parametrize("name", SHARED_WITH_THE_ENVIRONMENT)
def test_the_environment_has_a_setting_of_the_same_name_and_kind(name: str) -> None:
    environment = Environment.model_fields[name]
    assert name in Configuration.__dataclass_fields__
    if name != "public_url":  # The bridge alone can do without one.
        assert environment.default == getattr(Configuration(), name)
