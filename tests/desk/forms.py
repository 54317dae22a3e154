"""Filling in a page's form as a browser does: what the page shows is sent back, except what was typed."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from django.test import Client

from tests.desk.html import Page

LOGOUT = "logout-form"


class _Form(HTMLParser):
    """The controls of the page's POST form: name → values."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, list[str]] = {}
        self._inside = False
        self._name: str | None = None
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._inside = given.get("method") == "post" and given.get("id") != LOGOUT
        elif not self._inside:
            return
        elif tag == "input":
            self._input(given)
        elif tag == "select":
            self._name = given["name"]
        elif tag == "option" and "selected" in given and self._name:
            self.values.setdefault(self._name, []).append(given["value"])
        elif tag == "textarea":
            self._name, self._text = given["name"], []

    def _input(self, given: dict[str, str]) -> None:
        kind, name = given.get("type", "text"), given.get("name")
        if name is None or kind == "submit" or (kind in ("checkbox", "radio") and "checked" not in given):
            return
        unsaid = "on" if kind in ("checkbox", "radio") else ""
        self.values.setdefault(name, []).append(given.get("value", unsaid))

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._inside and self._name:
            # A browser drops the line break that directly follows the opening tag.
            self.values.setdefault(self._name, []).append("".join(self._text).removeprefix("\r\n").removeprefix("\n"))
        if tag in ("textarea", "select"):
            self._name = None
        if tag == "form":
            self._inside = False


def shown_in(response: Page) -> dict[str, list[str]]:
    """What the page's form would send if nothing were typed."""
    parser = _Form()
    parser.feed(response.content.decode())
    return parser.values


def send(client: Client, url: str, **typed: Any) -> Page:
    """Open a page, type into its form, send it. None leaves a control empty, as an unticked box."""
    return send_again(client, url, client.get(url), **typed)


def send_again(client: Client, url: str, page: Page, **typed: Any) -> Page:
    """Type into the form of a page that was opened before, and send it."""
    data = {name: values for name, values in shown_in(page).items() if typed.get(name, "") is not None}
    return client.post(url, {**data, **{name: value for name, value in typed.items() if value is not None}})


def mistakes(response: Page) -> str:
    """What the page says is wrong with the form; empty when it was accepted."""
    if response.status_code != 200 or response.context is None:
        return ""
    form = response.context["adminform"].form if "adminform" in response.context else response.context["form"]
    return " ".join(str(message) for messages in form.errors.values() for message in messages)
