"""Every kind of page in Chromium: axe in light and dark, the page's own policy in force, and 360 pixels wide."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.desk import Desk

PAGES = {
    "landing": "/",
    "dashboard": "/admin/",
    "agents": "/admin/payments/agent/",
    "agent": "/admin/payments/agent/1/change/",
    "agent's history": "/admin/payments/agent/2/history/",
    "pause": "/admin/payments/agent/1/pause/",
    "budgets": "/admin/payments/budget/",
    "budget": "/admin/payments/budget/1/change/",
    "raise, asked": "/admin/payments/budget/1/raise/",
    "raise, shown": "/admin/payments/budget/1/raise/?limit=8",
    "windows": "/admin/payments/budgetwindow/",
    "key, added": "/admin/payments/apikey/add/",
    "key": "/admin/payments/apikey/1/change/",
    "policy, added": "/admin/payments/policy/add/",
    "pairs": "/admin/bazaar/pair/",
    "pair": "/admin/bazaar/pair/1/change/",
    "entries": "/admin/bazaar/catalogentry/",
    "entry": "/admin/bazaar/catalogentry/1/change/",
    "audit log": "/admin/admin/logentry/",
    "empty list": "/admin/django_tasks_database/dbtaskresult/",
    "nothing found": "/admin/bazaar/seller/?q=nobody",
    "person": "/admin/auth/user/1/change/",
    "role": "/admin/auth/group/1/change/",
    "zone": "/admin/zone/",
}

every_page = pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)


def violations(page: Page) -> list[str]:
    """What axe finds, each with the first place where it is."""
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [f"{rule['id']}: {rule['help']} – {rule['nodes'][0]['html'][:200]}" for rule in found]


@every_page
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_s_policy_refuses_nothing_and_axe_finds_nothing(desk: Desk, path: str, dark: bool) -> None:
    with desk.opened(path, dark=dark) as page:
        assert page.evaluate("() => window.refusals") == []
        assert violations(page) == []


@every_page
def test_at_360_pixels_the_page_does_not_scroll_sideways(desk: Desk, path: str) -> None:
    with desk.opened(path, width=360) as page:
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_door_is_accessible_too(desk: Desk, dark: bool) -> None:
    with desk.opened("/admin/", dark=dark, signed_in=False) as page:
        assert page.title() == "Log in | Lens Bazaar"
        assert page.evaluate("() => window.refusals") == []
        assert violations(page) == []
