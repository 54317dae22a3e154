from __future__ import annotations

from django.test import Client
from pytest_django import Settings

from tests.desk.html import inline_code, text


def test_the_page_at_the_root_leads_people_programs_and_agents_on(client: Client) -> None:
    page = client.get("/")

    html = page.content.decode()
    assert page.status_code == 200
    for link in ("/admin/", "/api/docs", "/api/openapi.json", "/readyz"):
        assert f'href="{link}"' in html
    assert "http://127.0.0.1:8000/mcp" in text(page)
    assert "http://127.0.0.1:8000/sse" in text(page)
    assert inline_code(page) == []


def test_every_link_of_it_answers(client: Client, db: None) -> None:
    for link in ("/api/docs", "/api/openapi.json", "/readyz"):
        assert client.get(link).status_code == 200, link
    assert client.get("/admin/").status_code == 302


def test_it_asks_nothing_of_the_database(client: Client) -> None:
    assert client.get("/").status_code == 200


def test_without_the_old_transport_it_is_not_named(client: Client, settings: Settings) -> None:
    settings.LENS = settings.LENS.model_copy(update={"sse_enabled": False})

    assert "/sse" not in client.get("/").content.decode()


def test_only_reading_is_answered(client: Client) -> None:
    assert client.post("/").status_code == 405
