"""The desk in a real browser: Debian's Chromium, a Daphne process, a database with rows."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.rows import NAME, PASSWORD

INSTALL = "apt-get install -y chromium"
NAMES = ("chromium", "chromium-browser")
LISTEN = """
window.refusals = [];
document.addEventListener("securitypolicyviolation", event =>
    window.refusals.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""


class NoBrowser(Exception):
    """There is no Chromium on this machine. The message is the command that installs it."""


def chromium() -> str:
    """The path of Debian's Chromium. Raises NoBrowser."""
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    raise NoBrowser(f"The browser tests drive Debian's Chromium, which is not here. Run: {INSTALL}")


@dataclass(frozen=True)
class Desk:
    """A signed-in browser in front of a running platform."""

    browser: Browser
    url: str
    state: Path
    """Cookies of the operator who signed in."""

    @contextmanager
    def opened(self, path: str, *, dark: bool = False, width: int = 1200, signed_in: bool = True) -> Iterator[Page]:
        """A page in a context of its own, with the page's policy in force and its refusals listened to."""
        context = self.context(dark=dark, width=width, signed_in=signed_in)
        try:
            context.add_init_script(LISTEN)
            page = context.new_page()
            page.goto(f"{self.url}{path}", wait_until="networkidle")
            yield page
        finally:
            context.close()

    def context(self, *, dark: bool, width: int, signed_in: bool) -> BrowserContext:
        return self.browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            storage_state=self.state if signed_in else None,
        )


@contextmanager
def browsing(url: str, folder: Path) -> Iterator[Desk]:
    """Start Chromium, sign in once, and keep the cookies for every page."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        try:
            state = folder / "operator.json"
            context = browser.new_context()
            sign_in(context.new_page(), url)
            context.storage_state(path=state)
            context.close()
            yield Desk(browser, url, state)
        finally:
            browser.close()


def sign_in(page: Page, url: str) -> None:
    page.goto(f"{url}/admin/")
    page.fill("#id_username", NAME)
    page.fill("#id_password", PASSWORD)
    page.click("input[type=submit]")
    page.wait_for_url(f"{url}/admin/")
