"""The pictures of README and documentation: `python -m tests.browser.screenshots` writes docs/images/*.png anew."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
PICTURES = {
    "dashboard": ("/admin/", 720),
    "budgets": ("/admin/payments/budget/", 600),
    "entry": ("/admin/bazaar/catalogentry/1/change/", 980),
}


def main() -> None:
    """A database and a server of their own, gone afterwards."""
    django.setup()
    from tests.browser.desk import browsing
    from tests.browser.rows import fill
    from tests.databases import SqliteDatabases, cloned, migrated_template, pointed_at
    from tests.servers.web import serving

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        databases = SqliteDatabases(folder)
        with cloned(databases, migrated_template(databases)) as clone:
            with pointed_at(clone):
                fill()
            with (
                serving("daphne", database_url=clone.url, var=folder / "var") as server,
                browsing(server.url, folder) as desk,
            ):
                IMAGES.mkdir(exist_ok=True)
                for picture, (path, height) in PICTURES.items():
                    with desk.opened(path) as page:
                        page.evaluate("() => localStorage.setItem('django.admin.navSidebarIsOpen', 'false')")
                        page.reload(wait_until="networkidle")
                        clip = {"x": 0, "y": 0, "width": 1200, "height": height}
                        page.screenshot(path=IMAGES / f"{picture}.png", full_page=True, clip=clip)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
