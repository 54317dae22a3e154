from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from lensproject.core import clock
from mcp_bridge.authentication import seam
from mcp_bridge.changes import generation
from payments.authentication.verify import verify_key
from payments.mcp.keys import KEYS
from payments.models import ApiKey, ApiKeyNetwork
from tests.builders import make_key, make_network

pytestmark = pytest.mark.django_db


def test_tokens_are_verified_by_payments() -> None:
    assert seam() == (verify_key, "payments.keys")
    key, token = make_key()
    caller = verify_key(token, "127.0.0.1")
    assert caller is not None
    assert caller.key_id == key.key_id


@pytest.mark.parametrize(
    "change",
    [
        {"revoked_at": clock.now()},
        {"expires_at": clock.now()},
        {"can_read": False, "can_pay": True},
        {"can_pay": True},
        {"allowed_ips": ["10.0.0.0/8"]},
        {"digest": "0" * 64},
        {"pepper_id": "other"},
    ],
    ids=",".join,
)
def test_whatever_ends_or_narrows_a_key_moves_the_topic(change: dict[str, Any]) -> None:
    make_key()
    before = generation((KEYS,))
    assert ApiKey.objects.update(**change) == 1
    assert generation((KEYS,)) != before


def test_a_person_who_leaves_moves_the_topic() -> None:
    key, _ = make_key()
    before = generation((KEYS,))
    User.objects.filter(pk=key.user_id).update(is_active=False)
    assert generation((KEYS,)) != before


def test_a_network_taken_from_a_key_moves_the_topic() -> None:
    make_key()
    before = generation((KEYS,))
    assert ApiKeyNetwork.objects.all().delete()[0] == 1
    assert generation((KEYS,)) != before


def test_a_network_given_to_a_key_moves_the_topic() -> None:
    key, _ = make_key()
    before = generation((KEYS,))
    ApiKeyNetwork.objects.create(api_key=key, network=make_network("stellar:testnet"))
    assert generation((KEYS,)) != before


def test_the_use_of_a_key_moves_nothing() -> None:
    _, token = make_key()
    before = generation((KEYS,))
    assert verify_key(token, None) is not None
    assert ApiKey.objects.get().last_used_at is not None
    assert generation((KEYS,)) == before
