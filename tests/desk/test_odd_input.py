"""What a browser may send in place of a row, a number or a document, on every page: an answer, never a fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.widgets import AutocompleteSelect
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import reverse

from bazaar.models import CatalogEntry, Network, PaymentOption
from lensproject.core.admin import ReadOnlyAdmin
from lensproject.core.admin.documents import DocumentField
from lensproject.desk.zones import COOKIE
from payments.models import Agent, ApiKey, Policy
from payments.policy.versions import create_draft
from tests.builders import make_agent, make_asset, make_entry, make_key, make_network, make_option
from tests.desk.forms import mistakes, send, shown_in
from tests.desk.html import text
from tests.desk.people import signed_in
from tests.desk.rows import MAKE

pytestmark = pytest.mark.django_db
NO_KEYS = ["abc", "\0", "1e400", "NaN", "-1", "9" * 30, "-" + "9" * 30, "9" * 5000, "'--", "\U0001f600"]
NO_DOCUMENTS = [
    "[" * 60_000,
    "[" * 100 + "]" * 100,
    '{"a":' * 70 + "1" + "}" * 70,
    '{"a": ' + "9" * 5000 + "}",
    '{"a": ' + "9" * 400 + "}",
    '{"a": 1e400}',
    "NaN",
    '{"a": -Infinity}',
    r'{"a": "\u0000"}',
    r'{"\u0000": 1}',
    r'{"a": "\ud800"}',
    "{",
]


def label(model: type[Model]) -> str:
    return model._meta.label


EVERY = sorted(admin.site._registry, key=label)
EDITED = [model for model in EVERY if not isinstance(admin.site._registry[model], ReadOnlyAdmin)]
every_model = pytest.mark.parametrize("model", EVERY, ids=label)
every_form = pytest.mark.parametrize("model", EDITED, ids=label)


def page(model: type[Model], name: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=args)


def references(model: type[Model]) -> Iterator[str]:
    """The names of the fields that point to other rows."""
    for column in [*model._meta.concrete_fields, *model._meta.many_to_many]:
        if column.editable and column.is_relation:
            yield column.name


@every_form
def test_a_form_that_names_no_row_is_shown_again(superuser: Client, model: type[Model]) -> None:
    before = model._default_manager.count()
    for odd in NO_KEYS:
        answer = superuser.post(page(model, "add"), dict.fromkeys(references(model), odd))
        assert (answer.status_code, mistakes(answer) != "", odd) == (200, True, odd)
    assert model._default_manager.count() == before


@every_form
def test_a_link_to_a_new_row_may_name_no_other(superuser: Client, model: type[Model]) -> None:
    answers = [superuser.get(page(model, "add"), dict.fromkeys(references(model), odd)) for odd in NO_KEYS]
    assert [answer.status_code for answer in answers] == [200] * len(NO_KEYS)


@every_model
def test_a_filter_by_no_row_shows_the_list_and_says_so(superuser: Client, model: type[Model]) -> None:
    MAKE[model]()
    for odd in ("9" * 30, "-" + "9" * 30, "1," + "9" * 30):
        answer = superuser.get(page(model, "changelist"), {f"{model._meta.pk.name}__in": odd})
        # Where ids are numbers the database has no room for this one; elsewhere it is the id of no row, or no id.
        assert (answer.status_code, answer.headers.get("Location", "?e=1")[-3:]) in ((302, "e=1"), (200, "e=1"))


@pytest.mark.parametrize("odd", NO_KEYS, ids=ascii)
def test_a_selection_of_no_row_changes_nothing(superuser: Client, odd: str) -> None:
    agent = make_agent()
    forged = {"action": "pause_selected", ACTION_CHECKBOX_NAME: [agent.pk, odd], "index": "0", "reason": "why"}

    answer = superuser.post(page(Agent, "changelist"), forged, follow=True)

    told = text(answer)
    assert answer.status_code == 200
    if odd == "-1":  # A number that a row might have: the other one is paused.
        assert (Agent.objects.get().state, "1 paused" in told) == ("paused", True)
    else:
        assert (Agent.objects.get().state, "nothing was changed" in told) == ("active", True)


@pytest.mark.parametrize("odd", NO_KEYS, ids=ascii)
def test_a_key_on_a_network_that_cannot_be_is_not_changed(superuser: Client, odd: str) -> None:
    key, _ = make_key()
    before = list(key.networks.values_list("network_id", flat=True))

    answer = send(superuser, page(ApiKey, "change", key.pk), networks=[odd], reason="why")

    assert "networks" in answer.context["adminform"].form.errors
    assert (list(key.networks.values_list("network_id", flat=True)), ApiKey.objects.get().row_version) == (before, 1)


@pytest.mark.parametrize("odd", NO_KEYS, ids=ascii)
def test_a_role_or_power_that_cannot_be_is_not_given(superuser: Client, odd: str) -> None:
    user = MAKE[User]()

    answer = send(superuser, page(User, "change", user.pk), groups=[odd], user_permissions=[odd])

    assert set(answer.context["adminform"].form.errors) == {"groups", "user_permissions"}
    assert not Group.objects.filter(user=user).exists()


@pytest.mark.parametrize("odd", NO_KEYS, ids=ascii)
def test_an_allowed_asset_that_cannot_be_is_not_allowed(superuser: Client, odd: str) -> None:
    policy = create_draft({"agent": make_agent()}, assets=(), by=None, reason="test")
    typed = {"assets-0-asset": odd, "assets-0-per_call_maximum": "1", "reason": "why"}

    answer = send(superuser, page(Policy, "change", policy.pk), **typed)

    assert answer.status_code == 200
    assert (policy.assets.count(), Policy.objects.get().row_version) == (0, 1)


@pytest.mark.parametrize("odd", NO_DOCUMENTS, ids=lambda odd: f"{odd[:12]}…{len(odd)}")
def test_a_document_that_cannot_be_kept_is_told_and_kept_as_typed(superuser: Client, odd: str) -> None:
    entry, option = make_entry(), make_option(asset=make_asset("USDC"))
    typed = dict.fromkeys(("input_schema", "output_schema", "example"), odd)

    answer = send(superuser, page(CatalogEntry, "change", entry.pk), **typed, reason="why")

    assert set(answer.context["adminform"].form.errors) == set(typed)
    assert shown_in(answer)["example"] == [odd]
    assert CatalogEntry.objects.get(pk=entry.pk).row_version == entry.row_version
    answer = send(superuser, page(PaymentOption, "change", option.pk), extra=odd, reason="why")
    assert set(answer.context["adminform"].form.errors) == {"extra"}


@pytest.mark.parametrize("document", ["null", "true", '"text"', "[1, 2.5]", r'{"a": "\ud83d\ude00 \\u0000"}'])
def test_a_document_that_can_be_kept_is(superuser: Client, document: str) -> None:
    entry = make_entry(example={"before": 1})

    answer = send(superuser, page(CatalogEntry, "change", entry.pk), example=document, reason="why")

    assert (mistakes(answer), answer.status_code) == ("", 302)
    assert CatalogEntry.objects.get().example == DocumentField(required=False).clean(document)


@every_form
def test_rows_and_documents_are_read_strictly_in_every_form(superuser: Client, model: type[Model]) -> None:
    """Also on pages that come later: none of their fields or look-ups is Django's own."""
    request = RequestFactory().get("/admin/")
    request.user = User.objects.get()
    fields = admin.site._registry[model].get_form(request).base_fields

    widgets = [getattr(field.widget, "widget", field.widget) for field in fields.values()]
    assert [type(widget) for widget in widgets if type(widget) is AutocompleteSelect] == []
    loose = (forms.JSONField, forms.ModelMultipleChoiceField)
    assert [name for name, field in fields.items() if type(field) in loose] == []


@pytest.mark.parametrize("term", ["\0", "a\0b"])
def test_nothing_is_found_by_what_no_text_holds(superuser: Client, term: str) -> None:
    agent = make_agent(name="ab")
    asked = {"app_label": "payments", "model_name": "apikey", "field_name": "agent"}
    assert [
        found["text"] for found in superuser.get("/admin/autocomplete/", {**asked, "term": "a"}).json()["results"]
    ] == [str(agent)]

    answer = superuser.get("/admin/autocomplete/", {**asked, "term": term})

    assert (answer.status_code, answer.json()["results"]) == (200, [])


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Pacific/Kiritimati"])
def test_a_key_that_would_end_when_no_zone_can_say_is_not_issued(superuser: Client, zone: str) -> None:
    agent = make_agent()
    superuser.cookies[COOKIE] = zone
    typed = {"name": "k", "organisation": agent.team.organisation.pk, "agent": agent.pk, "user": agent.owner.pk}
    times = {"expires_at_0": "9999-12-31", "expires_at_1": "23:59"}

    answer = send(superuser, page(ApiKey, "add"), **typed, **times, networks=[make_network().pk])

    assert mistakes(answer) == "This is too far away to be shown in every time zone."
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize(
    ("model", "column"),
    [(Network, "rpc_url"), (Network, "horizon_url"), (ApiKey, "digest"), (ApiKey, "pepper_id"), (User, "password")],
)
@pytest.mark.parametrize("lookup", ["startswith", "contains", "regex", "gt", "exact", "in", "isnull"])
def test_a_list_does_not_tell_by_letters_what_the_page_hides(model: type[Model], column: str, lookup: str) -> None:
    MAKE[model]()
    viewer = signed_in("viewer")

    assert viewer.get(page(model, "changelist")).status_code == 200
    assert viewer.get(page(model, "changelist"), {f"{column}__{lookup}": "a"}).status_code == 400


@every_model
def test_a_list_is_filtered_by_what_it_offers(superuser: Client, model: type[Model]) -> None:
    MAKE[model]()
    offered = admin.site._registry[model].list_filter
    hidden = [
        column.name for column in model._meta.concrete_fields if not column.is_relation and not column.primary_key
    ]
    for name in hidden:
        status = superuser.get(page(model, "changelist"), {f"{name}__isnull": "0"}).status_code
        assert (name, status) == (name, 200 if name in offered else 400)
