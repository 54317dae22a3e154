from __future__ import annotations

from pathlib import Path

import pytest

from lensproject.core import curation
from lensproject.management.demo.run_file import Secrets
from payments.authentication.keys import revoke_key
from payments.authentication.verify import verify_key
from payments.models import Agent, ApiKey, Team
from tests.builders import make_key, make_network
from tests.demo.seeding.planted import secrets_of, seed

pytestmark = pytest.mark.django_db


def test_the_key_is_the_agents_and_may_read_and_pay_on_the_local_network(tmp_path: Path) -> None:
    token = seed(tmp_path).key.token
    caller = verify_key(token or "", "127.0.0.1")
    assert caller is not None
    assert caller.subject == Agent.objects.get().public_id
    assert caller.scopes == {"read", "pay"}
    assert caller.networks == {"stellar:local"}


def test_the_key_of_the_run_before_is_kept(tmp_path: Path) -> None:
    first = seed(tmp_path)
    second = seed(tmp_path, secrets_of(first))
    assert second.key.token == first.key.token
    assert second.key.story == "the one of the run before"
    assert ApiKey.objects.count() == 1


def test_a_key_that_was_lost_is_followed_by_another_and_that_is_said(tmp_path: Path) -> None:
    first = seed(tmp_path)
    second = seed(tmp_path)
    assert second.key.token not in (None, first.key.token)
    assert second.key.story == "a new one: the one of the run before is unknown or ended"


def test_a_revoked_key_stays_revoked_and_is_followed_by_another(tmp_path: Path) -> None:
    first = seed(tmp_path)
    key = ApiKey.objects.get()
    revoke_key(key, row_version=key.row_version, by=None, reason="test")
    second = seed(tmp_path, secrets_of(first))
    assert verify_key(first.key.token or "", "127.0.0.1") is None
    assert verify_key(second.key.token or "", "127.0.0.1") is not None
    assert "unknown or ended" in second.key.story


@pytest.mark.parametrize("token", ["", "lens_nonsense", "lens_" + "a" * 16 + "_" + "0" * 64])
def test_what_is_no_key_is_followed_by_one(tmp_path: Path, token: str) -> None:
    seed(tmp_path)
    again = seed(tmp_path, Secrets(None, None, token))
    assert again.key.token not in (None, token)


def test_the_key_of_another_agent_is_not_taken_for_the_demos(tmp_path: Path) -> None:
    seed(tmp_path)
    _, stranger = make_key(networks=[make_network()])
    again = seed(tmp_path, Secrets(None, None, stranger))
    assert again.key.token != stranger


def test_a_closed_agent_gets_no_key_and_that_is_said(tmp_path: Path) -> None:
    seed(tmp_path)
    agent = Agent.objects.get()
    curation.revise(agent, {"state": "closed"}, row_version=agent.row_version, by=None, reason="test")
    again = seed(tmp_path)
    assert again.key.token is None
    assert "closed" in again.key.story
    assert ApiKey.objects.count() == 1


def test_a_paused_agent_keeps_its_key_and_stays_paused(tmp_path: Path) -> None:
    first = seed(tmp_path)
    agent = Agent.objects.get()
    curation.revise(agent, {"state": "paused"}, row_version=agent.row_version, by=None, reason="test")
    assert seed(tmp_path, secrets_of(first)).key.token == first.key.token
    assert Agent.objects.get().state == "paused"


def test_a_renamed_team_is_still_the_demos(tmp_path: Path) -> None:
    first = seed(tmp_path)
    team = Team.objects.get()
    curation.revise(team, {"name": "Buyers"}, row_version=team.row_version, by=None, reason="test")
    assert seed(tmp_path, secrets_of(first)).made == ()
    assert [each.name for each in Team.objects.all()] == ["Buyers"]


def test_the_token_is_in_no_row_and_in_no_name_of_what_was_made(tmp_path: Path) -> None:
    seeded = seed(tmp_path)
    secret = (seeded.key.token or "").rpartition("_")[2]
    assert len(secret) == 64
    assert secret not in repr(list(ApiKey.objects.values()))
    assert secret not in repr(list(ApiKey.history.values()))
    assert secret not in " ".join(seeded.made)
