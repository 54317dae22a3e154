"""System checks, by id."""

from __future__ import annotations

import pytest
from django.core import checks

from mcp_bridge.registry import Registry, add_tool
from mcp_bridge.registry import checks as ours
from tests.mcp_bridge.offering.tools import say


def test_the_checks_are_registered() -> None:
    registered: set[object] = set(checks.registry.registry.get_checks())
    assert {ours.check_offer, ours.check_http_timeout} <= registered


def test_what_the_installed_apps_offer_has_no_mistake() -> None:
    assert ours.check_offer() == []


def test_mistakes_become_errors_of_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry()
    for _ in range(2):
        add_tool("t", name="twice", description="Twice.", handler=say, to=registry)
    monkeypatch.setattr(ours, "registry", registry)
    (problem,) = ours.check_offer()
    assert problem.id == "mcp_bridge.E001"
    assert problem.is_serious()
    assert "replace=True" in str(problem.hint)


@pytest.mark.parametrize(
    "argv",
    [["daphne", "--http-timeout", "4"], ["manage.py", "runserver", "--http_timeout=4"]],
    ids=["cli", "runserver"],
)
def test_9_5_an_http_timeout_is_warned_of(argv: list[str]) -> None:
    (problem,) = ours.check_http_timeout(argv=argv)
    assert problem.id == "mcp_bridge.W001"
    assert "unset" in str(problem.hint)


def test_9_5_without_one_there_is_nothing_to_warn_of() -> None:
    assert ours.check_http_timeout(argv=["daphne", "-b", "127.0.0.1", "lensproject.asgi:application"]) == []
