"""A key's secret is in the answer to the POST that made it, and nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from bazaar.models import Network
from payments.authentication.verify import verify_key
from payments.models import Agent, ApiKey
from tests.builders import make_agent, make_key, make_network
from tests.desk.forms import mistakes, send, send_again
from tests.desk.html import Page
from tests.desk.people import who

ADD = "/admin/payments/apikey/add/"


def typed(agent: Agent, network: Network, **over: Any) -> dict[str, Any]:
    return {
        "name": "laptop",
        "user": agent.owner_id,
        "organisation": agent.team.organisation_id,
        "agent": agent.pk,
        "networks": [network.pk],
        "reason": "first key",
    } | over


def issue(client: Client, **over: Any) -> Page:
    return send(client, ADD, **{**typed(make_agent(), make_network()), **over})


def everything_kept(client: Client) -> str:
    """All that the platform stored or would send again: every table, the session, the cookies."""
    tables = [list(model._base_manager.values()) for model in apps.get_models()]
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}
    return json.dumps([tables, dict(client.session), cookies], default=str)


def test_the_answer_shows_the_token_and_forbids_keeping_it(superuser: Client) -> None:
    shown = issue(superuser)
    token = shown.context["token"]

    assert shown.status_code == 200
    assert shown.content.decode().count(token) == 1
    assert "no-store" in shown["Cache-Control"].split(", ")
    assert shown["Referrer-Policy"] == "no-referrer"
    assert verify_key(token, None) is not None


def test_nothing_that_is_kept_has_the_secret(superuser: Client, caplog: pytest.LogCaptureFixture, capfd: Any) -> None:
    with caplog.at_level("DEBUG"):
        token = issue(superuser).context["token"]
    secret = token.rpartition("_")[2]

    kept = everything_kept(superuser)
    assert secret not in kept
    assert ApiKey.objects.get().key_id in kept
    assert secret not in caplog.text
    assert secret not in "".join(capfd.readouterr())


def test_no_later_page_has_the_secret(superuser: Client) -> None:
    secret = issue(superuser).context["token"].rpartition("_")[2]
    key = ApiKey.objects.get()

    for name in ("change", "history"):
        assert secret not in superuser.get(reverse(f"admin:payments_apikey_{name}", args=(key.pk,))).content.decode()
    for name in ("apikey_changelist", "apikey_add"):
        assert secret not in superuser.get(reverse(f"admin:payments_{name}")).content.decode()
    assert secret not in superuser.get(reverse("admin:index")).content.decode()


def test_the_history_says_who_and_why_and_hides_the_keyed_hash(superuser: Client) -> None:
    issue(superuser)
    key = ApiKey.objects.get()

    page = superuser.get(reverse("admin:payments_apikey_history", args=(key.pk,))).content.decode()

    assert key.digest not in page
    assert "(not shown)" in page
    assert "Why: first key" in page
    assert LogEntry.objects.get(object_id=str(key.pk)).user == who(superuser)


def test_reloading_the_page_issues_no_second_key(superuser: Client) -> None:
    opened = superuser.get(ADD)
    values = typed(make_agent(), make_network())
    send_again(superuser, ADD, opened, **values)

    again = send_again(superuser, ADD, opened, **values)

    assert "has issued a key already" in mistakes(again)
    assert ApiKey.objects.count() == 1


def test_a_form_that_was_refused_may_be_sent_again(superuser: Client) -> None:
    opened = superuser.get(ADD)
    agent, network = make_agent(), make_network()

    refused = send_again(
        superuser, ADD, opened, **typed(agent, network, expires_at_0="2020-01-01", expires_at_1="00:00")
    )
    assert "past already" in mistakes(refused)
    assert not ApiKey.objects.exists()
    send_again(superuser, ADD, refused, expires_at_0="", expires_at_1="")

    assert ApiKey.objects.count() == 1


def test_replacing_the_secret_shows_the_new_one_once_and_ends_the_old_one(superuser: Client) -> None:
    key, old = make_key(name="laptop", allowed_ips=["10.0.0.0/8"])
    address = reverse("admin:payments_apikey_rotate", args=(key.pk,))

    shown = send(superuser, address, reason="laptop sold")
    new = shown.context["token"]

    assert shown.status_code == 200
    assert "no-store" in shown["Cache-Control"].split(", ")
    assert verify_key(old, "10.1.1.1") is None
    caller = verify_key(new, "10.1.1.1")
    assert caller is not None
    replaced = ApiKey.objects.get(key_id=caller.key_id)
    assert (replaced.name, replaced.agent, replaced.allowed_ips) == ("laptop", key.agent, ["10.0.0.0/8"])
    assert new.rpartition("_")[2] not in everything_kept(superuser)
    again = superuser.post(address, {"reason": "again", "row_version": "2"})
    assert again.status_code == 302
    assert ApiKey.objects.count() == 2


def test_a_revoked_key_is_only_looked_at(superuser: Client) -> None:
    key, token = make_key(name="laptop")
    send(superuser, reverse("admin:payments_apikey_revoke", args=(key.pk,)), reason="lost")
    address = reverse("admin:payments_apikey_change", args=(key.pk,))

    assert verify_key(token, None) is None
    assert b'name="_save"' not in superuser.get(address).content
    assert superuser.post(address, {"name": "again", "reason": "x", "row_version": "2"}).status_code == 403
    assert ApiKey.objects.get().name == "laptop"


@pytest.mark.parametrize(
    ("wrong", "mistake"),
    [
        ({"networks": []}, "required"),
        ({"can_pay": "on", "agent": ""}, "A key that pays belongs to an agent."),
        ({"can_write_catalog": "on"}, "belongs to a seller"),
        ({"can_read": None}, "opens nothing"),
        ({"allowed_ips": "10.0.0.0/8, nonsense"}, "nonsense is no IP range"),
        ({"name": ""}, "required"),
    ],
)
def test_a_wrong_form_issues_nothing_and_says_what_is_wrong(
    superuser: Client, wrong: dict[str, Any], mistake: str
) -> None:
    refused = issue(superuser, **wrong)

    assert mistake in mistakes(refused)
    assert not ApiKey.objects.exists()


def test_an_agent_of_another_organisation_is_refused(superuser: Client) -> None:
    other = make_agent().team.organisation

    refused = issue(superuser, organisation=other.pk)

    assert "another organisation" in mistakes(refused)
    assert not ApiKey.objects.exists()


def test_networks_of_a_key_are_changed_with_a_revision(superuser: Client) -> None:
    testnet = make_network("stellar:testnet")
    key, _ = make_key(networks=[make_network()])

    send(superuser, reverse("admin:payments_apikey_change", args=(key.pk,)), networks=[testnet.pk], reason="testing")

    assert list(ApiKey.objects.get().networks.values_list("network__name", flat=True)) == ["stellar:testnet"]
    assert list(key.history.values_list("row_version", "history_change_reason")) == [(2, "testing"), (1, "test")]
