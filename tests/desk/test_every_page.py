"""Rules that hold for every page of every registered model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.core.cache import cache
from django.db import connection, models
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from lensproject.core.admin import BaseAdmin, ReadOnlyAdmin
from lensproject.core.admin.base import MAX_COLUMNS
from lensproject.core.models import Curated
from mcp_bridge.models import Change
from tests.desk.html import inline_code
from tests.desk.rows import MAKE

DOCS = Path(__file__).parents[2] / "docs" / "admin.md"
MODELS = sorted(admin.site._registry, key=lambda model: model._meta.label)
every_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)


def url(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def pages(model: type[Model], row: Model) -> Iterator[str]:
    yield f"{url(model, 'changelist')}?{'time=all' if has_time_filter(model) else ''}"
    yield url(model, "change", row.pk)
    if not isinstance(admin.site._registry[model], ReadOnlyAdmin):
        yield url(model, "add")
    yield url(model, "history", row.pk)


def has_time_filter(model: type[Model]) -> bool:
    filters = admin.site._registry[model].list_filter
    return any(getattr(chosen, "parameter_name", None) == "time" for chosen in filters)


def queries_of(client: Client, address: str) -> int:
    cache.clear()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        response = client.get(address)
    assert response.status_code == 200, address
    assert inline_code(response) == [], address
    return len(queries)


@every_model
def test_pages_ask_as_much_for_fifty_rows_as_for_one_and_hold_no_inline_code(
    superuser: Client, model: type[Model]
) -> None:
    row = MAKE[model]()
    client = superuser
    addresses = list(pages(model, row))
    for address in addresses:
        client.get(address)  # What is looked up once a process is looked up now.
    before = [queries_of(client, address) for address in addresses]
    for _ in range(50 - model._default_manager.count()):
        MAKE[model]()

    after = [queries_of(client, address) for address in addresses]

    assert dict(zip(addresses, after, strict=True)) == dict(zip(addresses, before, strict=True))


def test_every_model_of_the_apps_has_a_page() -> None:
    ours = {model for app in ("bazaar", "payments") for model in apps.get_app_config(app).get_models()}
    rows_of_others = {"ApiKeyNetwork", "PolicyAsset"}
    wanted = {model for model in ours if not hasattr(model, "instance_type") and model.__name__ not in rows_of_others}

    assert {model for model in wanted if not model.__name__.startswith("Historical")} <= set(MODELS)
    assert set(MAKE) == set(MODELS)


@every_model
def test_every_page_inherits_and_keeps_the_rules(model: type[Model]) -> None:
    page = admin.site._registry[model]

    assert isinstance(page, BaseAdmin)
    assert page.list_per_page == 50
    assert page.show_full_result_count is False
    assert page.show_facets is admin.ShowFacets.NEVER
    assert page.save_on_top is False
    assert page.date_hierarchy is None
    assert page.list_editable == ()
    assert len(page.list_display) <= MAX_COLUMNS
    assert isinstance(page.list_select_related, (tuple, bool))
    for option in (page.list_display, page.list_filter, page.search_fields, page.readonly_fields, page.fixed):
        assert isinstance(option, tuple)


@every_model
def test_search_says_its_columns_and_no_search_reads_the_whole_table(model: type[Model]) -> None:
    page = admin.site._registry[model]

    assert bool(page.search_fields) == bool(page.search_help_text)
    assert all(name.endswith(("__exact", "__startswith", "__istartswith")) for name in page.search_fields), (
        page.search_fields
    )


@every_model
def test_lists_are_filtered_by_choices_never_by_a_foreign_key_or_free_text(model: type[Model]) -> None:
    for name in admin.site._registry[model].list_filter:
        if isinstance(name, str):
            field = _field(model, name)
            assert isinstance(field, models.BooleanField) or field.choices, f"{model}.{name}"


@every_model
def test_every_foreign_key_is_looked_up_not_listed(model: type[Model]) -> None:
    page = admin.site._registry[model]
    small = {"Network", "ContentType"}  # Three rows; and a column of a page that nobody edits.
    looked_up = {*page.autocomplete_fields, *page.raw_id_fields}
    if isinstance(page, ReadOnlyAdmin):
        return
    for field in model._meta.concrete_fields:
        if isinstance(field, models.ForeignKey) and field.editable and field.related_model.__name__ not in small:
            assert field.name in looked_up, f"{model.__name__}.{field.name}"


@every_model
def test_every_list_that_is_empty_says_what_to_do_next(superuser: Client, model: type[Model]) -> None:
    page = admin.site._registry[model]
    assert isinstance(page, BaseAdmin)
    if model is Change:
        Change.objects.all().delete()
    response = superuser.get(url(model, "changelist"))

    assert "0 result" not in response.content.decode()
    if not model._default_manager.exists():
        assert page.empty_hint in response.content.decode().replace("&#x27;", "'").replace("&amp;", "&")
        assert page.empty_hint != BaseAdmin.empty_hint


@every_model
def test_docs_say_what_each_page_is_for(model: type[Model]) -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    named = {name.strip().lower(): meaning for names, meaning in rows for name in names.split(",")}

    assert len(named.get(str(model._meta.verbose_name_plural).lower(), "")) > 20


def test_no_registered_model_is_one_of_the_stock_pages() -> None:
    assert all(isinstance(page, BaseAdmin) for page in admin.site._registry.values())
    assert {model for model in MODELS if issubclass(model, Curated)} == {
        model for model in apps.get_models() if issubclass(model, Curated)
    }


def _field(model: type[Model], path: str) -> Any:
    *parents, last = path.split("__")
    for name in parents:
        model = model._meta.get_field(name).related_model  # type: ignore[assignment]
    return model._meta.get_field(last)
