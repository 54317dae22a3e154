"""A bearer token becomes a Caller only while its key is whole: right secret, not ended, from an allowed address."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries, Settings

from lensproject.core import clock
from lensproject.core.callers import Caller
from lensproject.core.errors import PermissionDenied, Unauthenticated
from payments.authentication.accounts import agent_of
from payments.authentication.keys import revoke_key
from payments.authentication.verify import verify_key
from payments.models import ApiKey
from tests.builders import make_agent, make_key, make_network, make_organisation

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
pytestmark = pytest.mark.django_db


def test_a_good_key_is_a_caller_with_scopes_networks_and_agent() -> None:
    agent = make_agent()
    key, token = make_key(agent=agent, can_pay=True, networks=[make_network(), make_network("stellar:testnet")])
    caller = verify_key(token, None)
    assert caller is not None
    assert caller.subject == agent.public_id
    assert caller.key_id == key.key_id
    assert caller.scopes == {"read", "pay"}
    assert caller.networks == {"stellar:local", "stellar:testnet"}
    assert agent_of(caller) == agent


def test_a_key_of_no_agent_reads_and_has_no_budget() -> None:
    _, token = make_key(organisation=make_organisation())
    caller = verify_key(token, None)
    assert caller is not None
    with pytest.raises(PermissionDenied) as refusal:
        agent_of(caller)
    assert refusal.value.details == {"hint": "Ask an operator for a key that is issued to an agent."}


def test_without_a_key_there_is_no_agent() -> None:
    with pytest.raises(Unauthenticated):
        agent_of(Caller(subject="anonymous"))


@pytest.mark.parametrize("text", ["", "nonsense", "lens_aaaaaaaaaaaaaaaa_" + "0" * 64])
def test_what_is_no_key_is_nobody(text: str) -> None:
    make_key()
    assert verify_key(text, None) is None


def test_a_wrong_secret_is_nobody() -> None:
    _, token = make_key()
    wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
    assert verify_key(wrong, None) is None


def test_a_revoked_key_is_nobody() -> None:
    key, token = make_key()
    revoke_key(key, row_version=key.row_version, by=None, reason="lost")
    assert verify_key(token, None) is None


def test_the_keys_of_a_person_who_left_are_nobody() -> None:
    key, token = make_key()
    User.objects.filter(pk=key.user_id).update(is_active=False)
    assert verify_key(token, None) is None
    User.objects.filter(pk=key.user_id).update(is_active=True)
    assert verify_key(token, None) is not None


def test_a_key_ends_at_the_instant_it_expires() -> None:
    with clock.frozen(NOON):
        _, token = make_key(expires_at=NOON + timedelta(hours=1))
    with clock.frozen(NOON + timedelta(minutes=59, seconds=59)):
        assert verify_key(token, None) is not None
    with clock.frozen(NOON + timedelta(hours=1)):
        assert verify_key(token, None) is None


def test_a_key_of_a_pepper_that_is_gone_is_nobody(settings: Settings) -> None:
    _, token = make_key()
    settings.KEY_PEPPERS = {"other": b"x" * 32}
    assert verify_key(token, None) is None


def test_an_older_pepper_still_works(settings: Settings) -> None:
    _, token = make_key()
    settings.KEY_PEPPERS = {"new": b"x" * 32} | settings.KEY_PEPPERS
    assert verify_key(token, None) is not None


@pytest.mark.parametrize(
    ("ip", "allowed"),
    [
        ("10.1.2.3", True),
        ("11.1.2.3", False),
        ("2001:db8::1", True),
        ("2001:db9::1", False),
        (None, False),
        ("::ffff:10.1.2.3", True),
        ("::ffff:11.1.2.3", False),
        ("10.1.2.3:4711", False),
        ("unknown", False),
    ],
)
def test_a_key_may_be_tied_to_addresses(ip: str | None, allowed: bool) -> None:
    _, token = make_key(allowed_ips=["10.0.0.0/8", "2001:db8::/32"])
    assert (verify_key(token, ip) is not None) is allowed


def test_the_last_use_is_written_at_most_once_a_minute(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    key, token = make_key()

    def last_use() -> datetime | None:
        return ApiKey.objects.get(pk=key.pk).last_used_at

    with clock.frozen(NOON):
        verify_key(token, None)
    with (
        clock.frozen(NOON + timedelta(seconds=59)),
        django_assert_num_queries(2),
    ):  # key with user and agent, its networks
        verify_key(token, None)
    assert last_use() == NOON
    with clock.frozen(NOON + timedelta(seconds=60)):
        verify_key(token, None)
    assert last_use() == NOON + timedelta(seconds=60)


def test_a_use_is_no_change_of_the_curated_row() -> None:
    key, token = make_key()
    verify_key(token, None)
    after: Any = ApiKey.objects.get(pk=key.pk)
    assert after.row_version == key.row_version
    assert after.history.count() == 1
