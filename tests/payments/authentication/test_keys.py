"""Keys are issued, revised, rotated and revoked; what is refused changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from lensproject.core.errors import StaleVersion
from payments.authentication.keys import issue_key, revise_key, revoke_key, rotate_key
from payments.authentication.verify import verify_key
from payments.models import ApiKey, ApiKeyNetwork
from tests.builders import make_agent, make_key, make_network, make_organisation, make_seller, make_user

pytestmark = pytest.mark.django_db
WHY = {"by": None, "reason": "test"}


def networks_of(key: ApiKey) -> set[str]:
    return set(ApiKeyNetwork.objects.filter(api_key=key).values_list("network__name", flat=True))


def test_the_secret_is_nowhere_in_the_database() -> None:
    key, token = make_key()
    secret = token.rsplit("_", 1)[1]
    rows = [*ApiKey.objects.values(), *ApiKey.history.values()]
    assert secret not in str(rows)
    assert key.digest != secret


def test_issuing_says_who_and_why() -> None:
    person = make_user()
    agent = make_agent()
    values = {"name": "Robot", "user": person, "organisation": agent.team.organisation, "agent": agent}
    key, _ = issue_key(values, networks=[make_network()], by=person, reason="first key")
    line = key.history.get()
    assert (line.history_user, line.history_change_reason) == (person, "first key")


@pytest.mark.parametrize(
    ("over", "field"),
    [
        ({"allowed_ips": ["10.0.0.0/33"]}, "allowed_ips"),
        ({"allowed_ips": "10.0.0.1"}, "allowed_ips"),
        ({"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, "expires_at"),
        ({"can_write_catalog": True}, "__all__"),
        ({"can_read": False}, "__all__"),
        ({"name": ""}, "name"),
    ],
)
def test_a_key_that_makes_no_sense_is_not_issued(over: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        make_key(**over)
    assert field in refusal.value.message_dict
    assert not ApiKey.objects.exists()


def test_a_key_needs_a_network() -> None:
    with pytest.raises(ValidationError, match="names the networks"):
        make_key(networks=[])
    assert not ApiKey.objects.exists()


def test_a_key_is_not_issued_across_organisations_nor_to_a_closed_agent() -> None:
    with pytest.raises(ValidationError, match="another organisation"):
        make_key(agent=make_agent(), organisation=make_organisation())
    with pytest.raises(ValidationError, match="closed"):
        make_key(agent=make_agent(state="closed"))
    assert not ApiKey.objects.exists()


def test_a_seller_key_writes_to_the_catalogue() -> None:
    key, _ = make_key(organisation=make_organisation(), seller=make_seller(), can_write_catalog=True, can_settle=True)
    assert key.scopes == {"read", "catalog:write", "facilitator"}


def test_scopes_and_networks_are_revised_together() -> None:
    key, _ = make_key()
    revised = revise_key(
        key, {"can_pay": True}, row_version=1, networks=[make_network("stellar:testnet")], by=None, reason="moved"
    )
    assert revised.row_version == 2
    assert networks_of(key) == {"stellar:testnet"}


def test_networks_alone_move_the_version_too() -> None:
    key, _ = make_key()
    both = [make_network(), make_network("stellar:testnet")]
    assert revise_key(key, {}, row_version=1, networks=both, by=None, reason="more").row_version == 2
    again = ApiKey.objects.get(pk=key.pk)
    assert revise_key(again, {}, row_version=2, networks=both, by=None, reason="same").row_version == 2


def test_a_key_is_never_widened_to_mainnet() -> None:
    key, _ = make_key()
    with pytest.raises(ValidationError, match="not widened to mainnet"):
        revise_key(key, {}, row_version=1, networks=[make_network("stellar:pubnet")], by=None, reason="more")
    assert networks_of(key) == {"stellar:local"}


def test_a_key_stays_with_its_holder() -> None:
    key, _ = make_key()
    with pytest.raises(ValidationError) as refusal:
        revise_key(key, {"agent": None}, row_version=1, by=None, reason="moved")
    assert list(refusal.value.message_dict) == ["agent"]


def test_rotation_gives_a_new_token_and_ends_the_old_one() -> None:
    key, old = make_key(can_pay=True, networks=[make_network("stellar:testnet")])
    fresh, new = rotate_key(key, row_version=1, by=None, reason="yearly")
    assert verify_key(old, None) is None
    caller = verify_key(new, None)
    assert caller is not None
    assert caller.scopes == {"read", "pay"}
    assert networks_of(fresh) == {"stellar:testnet"}
    assert fresh.agent == key.agent


def test_a_revoked_key_never_comes_back() -> None:
    key, token = make_key()
    revoked = revoke_key(key, row_version=1, by=None, reason="lost")
    for attempt in (revise_key, rotate_key, revoke_key):
        arguments: dict[str, Any] = {"changes": {"name": "again"}} if attempt is revise_key else {}
        with pytest.raises(ValidationError, match="revoked"):
            attempt(revoked, **arguments, row_version=2, by=None, reason="again")
    assert verify_key(token, None) is None
    assert ApiKey.objects.count() == 1


def test_a_stale_rotation_changes_nothing() -> None:
    key, token = make_key()
    revise_key(key, {"name": "Renamed"}, row_version=1, by=None, reason="name")
    with pytest.raises(StaleVersion):
        rotate_key(key, row_version=1, by=None, reason="late")
    assert verify_key(token, None) is not None
    assert ApiKey.objects.count() == 1
