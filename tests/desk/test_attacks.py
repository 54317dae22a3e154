"""What must not be possible from the desk, tried by hand-made requests; and that nothing changed by it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from bazaar.models import CatalogEntry, Network, Pair
from lensproject.core.admin import ReadOnlyAdmin
from payments.models import Agent, ApiKey, Budget, BudgetWindow
from tests.builders import (
    make_agent,
    make_asset,
    make_budget,
    make_budget_window,
    make_entry,
    make_key,
    make_network,
    make_pair,
    make_venue,
)
from tests.desk.people import signed_in
from tests.desk.rows import MAKE


def label(model: type[Model]) -> str:
    return model._meta.label


EVERY: list[type[Model]] = sorted(MAKE, key=label)
READ_ONLY = sorted(
    (model for model, page in admin.site._registry.items() if isinstance(page, ReadOnlyAdmin)), key=label
)


def address(row: Model, page: str = "change") -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_{page}", args=(row.pk,))


def list_of(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def rows(model: type[Model]) -> list[dict[str, Any]]:
    return list(model._default_manager.order_by("pk").values())


@pytest.mark.parametrize("model", EVERY, ids=label)
def test_a_forged_bulk_delete_and_a_forged_delete_do_nothing(superuser: Client, model: type[Model]) -> None:
    row = MAKE[model]()
    before = rows(model)

    forged = {"action": "delete_selected", ACTION_CHECKBOX_NAME: [row.pk], "index": "0", "post": "yes"}
    bulk = superuser.post(list_of(model), forged)
    single = superuser.post(address(row, "delete"), {"post": "yes"})

    assert bulk.status_code in (200, 302)
    assert single.status_code == 403
    assert rows(model) == before


@pytest.mark.parametrize("model", READ_ONLY, ids=label)
def test_what_the_platform_writes_is_changed_and_added_by_nobody(superuser: Client, model: type[Model]) -> None:
    row = MAKE[model]()
    before = rows(model)
    values = dict.fromkeys(before[0], "1")

    page = superuser.get(address(row))
    assert superuser.post(address(row), {**values, "_save": "Save"}).status_code == 403
    add = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")
    assert superuser.get(add).status_code == 403
    assert superuser.post(add, values).status_code == 403

    assert rows(model) == before
    assert b'name="_save"' not in page.content
    assert b'name="action"' not in superuser.get(list_of(model)).content


def test_a_window_says_what_is_spent_and_has_no_control_at_all(superuser: Client) -> None:
    window = make_budget_window(spent=30_000_000, held=10_000_000)

    page = superuser.get(address(window)).content.decode()

    assert '<input type="text"' not in page
    assert f"3.00 <abbr>{window.budget.asset.code}</abbr>" in page
    assert BudgetWindow.objects.get().spent == 30_000_000


def test_a_viewer_sees_and_changes_nothing(db: None) -> None:
    viewer = signed_in("viewer")
    pair, agent, key = make_pair(), make_agent(), make_key()[0]
    before = rows(Pair), rows(Agent), rows(ApiKey)

    assert viewer.get(address(pair)).status_code == 200
    assert viewer.get(list_of(Agent)).status_code == 200
    assert (
        viewer.post(address(pair), {"staleness_limit_seconds": "1", "reason": "x", "row_version": "1"}).status_code
        == 403
    )
    for row, page in ((pair, "pause"), (pair, "enable"), (agent, "pause"), (key, "rotate"), (key, "revoke")):
        assert viewer.get(address(row, page)).status_code == 403
        assert viewer.post(address(row, page), {"reason": "x", "row_version": "1"}).status_code == 403
    assert viewer.get(reverse("admin:payments_apikey_add")).status_code == 403

    assert (rows(Pair), rows(Agent), rows(ApiKey)) == before
    assert "Pause…" not in viewer.get(list_of(Agent)).content.decode()


def test_a_curator_cannot_touch_money_or_enable_a_network(db: None) -> None:
    curator = signed_in("curator")
    budget, network = make_budget(), make_network("stellar:testnet", enabled=False)

    assert curator.post(address(budget, "raise"), {"limit": "9", "reason": "x", "row_version": "1"}).status_code == 403
    assert curator.post(address(budget, "lower"), {"limit": "1", "reason": "x", "row_version": "1"}).status_code == 403
    assert curator.post(address(network, "enable"), {"reason": "x", "row_version": "1"}).status_code == 403

    assert Budget.objects.get().limit == 50_000_000
    assert Network.objects.get(pk=network.pk).enabled is False


def test_raising_has_a_permission_of_its_own(db: None) -> None:
    from django.contrib.auth.models import Permission

    client = signed_in("viewer")
    person = client.session["_auth_user_id"]
    Permission.objects.get(codename="change_budget").user_set.add(person)
    budget = make_budget()

    assert client.get(address(budget, "lower")).status_code == 200
    assert client.post(address(budget, "raise"), {"limit": "9", "reason": "x", "row_version": "1"}).status_code == 403
    assert Budget.objects.get().limit == 50_000_000
    assert "Raise the limit" not in client.get(address(budget)).content.decode()


def test_a_budget_manager_cannot_curate(db: None) -> None:
    manager = signed_in("budget manager")
    pair, entry = make_pair(), make_entry()

    assert manager.post(address(pair, "pause"), {"reason": "x", "row_version": "1"}).status_code == 403
    assert manager.post(address(entry, "delist"), {"reason": "x", "row_version": "2"}).status_code == 403

    assert Pair.objects.get().enabled is True
    assert CatalogEntry.objects.get().state == "listed"


@pytest.mark.parametrize("page", ["change", "history", "pause"])
def test_who_is_not_signed_in_or_no_staff_is_sent_to_the_door(client: Client, db: None, page: str) -> None:
    agent = make_agent()

    answer = client.get(address(agent, page))
    assert (answer.status_code, answer["Location"].split("?")[0]) == (302, reverse("admin:login"))
    client.force_login(agent.owner)
    assert client.get(address(agent, page)).status_code == 302


def test_a_second_page_does_nothing_on_get(superuser: Client) -> None:
    agent = make_agent()

    assert superuser.get(address(agent, "pause"), {"reason": "x", "row_version": "1"}).status_code == 200
    assert Agent.objects.get().state == "active"


def test_a_post_without_the_csrf_token_is_refused(db: None) -> None:
    person = signed_in(is_superuser=True)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = person.cookies
    agent = make_agent()

    assert strict.post(address(agent, "pause"), {"reason": "x", "row_version": "1"}).status_code == 403
    assert Agent.objects.get().state == "active"


@pytest.mark.parametrize("number", ["99999", "0", "-1", "x", "9" * 40, "1/2", "%00"])
def test_a_row_that_is_not_there_is_no_fault_of_the_server(superuser: Client, number: str) -> None:
    for page in ("change", "history", "pause", "enable"):
        answer = superuser.get(f"/admin/bazaar/pair/{number}/{page}/")
        assert answer.status_code in (302, 404), page


@pytest.mark.parametrize(
    "query",
    [
        "enabled__exact=x",
        "o=9",
        "p=x",
        "p=0",
        "p=99999",
        "nonsense=1",
        "network__rpc_url__startswith=http",
        "q=%00",
        "all=",
    ],
)
def test_a_list_asked_in_a_wrong_way_answers(superuser: Client, query: str) -> None:
    make_venue()
    make_asset()

    assert superuser.get(f"{list_of(Pair)}?{query}").status_code in (200, 302, 400)
