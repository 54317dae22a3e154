"""Reading pages as a strict Content-Security-Policy does: what it would refuse to run or to apply."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Page
else:
    from django.http import HttpResponse as Page

__all__ = ["Page", "inline_code", "text"]


class _InlineCode(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "style" or (tag == "script" and "src" not in given):
            self.found.append(f"<{tag}>")
        for name, value in given.items():
            if name == "style" or name.startswith("on") or (value or "").lstrip().lower().startswith("javascript:"):
                self.found.append(f"<{tag} {name}>")


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words += data.split()


def inline_code(response: Page) -> list[str]:
    """Every inline script, style and handler of a page."""
    parser = _InlineCode()
    parser.feed(response.content.decode())
    return parser.found


def text(response: Page) -> str:
    """What a person reads on the page, with single spaces."""
    parser = _Text()
    parser.feed(response.content.decode())
    return " ".join(parser.words)
