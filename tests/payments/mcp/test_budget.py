from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from lensproject.core.callers import ANONYMOUS, Caller
from payments.authentication.verify import caller_of
from payments.models import Agent, ApiKey
from tests.builders import make_agent, make_asset, make_budget, make_key, make_organisation, make_policy
from tests.mcp_product.memory import call, reader, refused, tools

pytestmark = pytest.mark.django_db
NAME = "inspect_budget"


def key_of(agent: Agent) -> Caller:
    key, _ = make_key(agent=agent)
    return caller_of(key)


def test_an_agent_sees_its_own_budget() -> None:
    asset = make_asset("USDC")
    agent = make_agent(default_asset=asset)
    make_policy(agent, assets=[asset])
    mine = make_budget(agent=agent, asset=asset)
    make_budget(asset=asset)
    budget = call(key_of(agent), NAME)["budget"]
    assert budget["agent"] == {"id": agent.public_id, "name": agent.name, "state": "active"}
    assert [limit["id"] for limit in budget["limits"]] == [mine.public_id]
    assert (budget["perCallMaxAmount"], budget["dailyMaxAmount"]) == ("1.00", "5.00")


def test_the_answer_is_of_now_not_of_when_the_key_was_verified() -> None:
    agent = make_agent()
    caller = key_of(agent)
    assert call(caller, NAME)["budget"]["agent"]["state"] == "active"
    Agent.objects.update(state="paused")
    assert call(caller, NAME)["budget"]["agent"]["state"] == "paused"


def test_the_answer_fits_the_schema_that_is_announced() -> None:
    agent = make_agent()
    make_budget(agent=agent, window="call")
    caller = key_of(agent)
    schema = tools(caller)[NAME].output_schema
    assert schema is not None
    Draft202012Validator(schema).validate(call(caller, NAME))


def test_a_key_without_an_agent_is_told_how_to_get_one() -> None:
    key, _ = make_key(organisation=make_organisation())
    error = refused(caller_of(key), NAME)
    assert (error["code"], error["retryable"]) == ("PERMISSION_DENIED", False)
    assert "issued to an agent" in error["details"]["hint"]
    assert refused(reader(), NAME)["code"] == "PERMISSION_DENIED"


def test_it_needs_the_scope_read() -> None:
    key, _ = make_key(agent=make_agent(), can_read=False, can_pay=True)
    error = refused(caller_of(key), NAME)
    assert (error["code"], error["details"]) == ("PERMISSION_DENIED", {"scope": "read"})
    assert refused(ANONYMOUS, NAME)["code"] == "UNAUTHENTICATED"


def test_no_argument_is_taken() -> None:
    error = refused(key_of(make_agent()), NAME, agent="another")
    assert (error["code"], list(error["details"]["fields"])) == ("INVALID_INPUT", ["agent"])


def test_looking_writes_nothing() -> None:
    agent = make_agent()
    make_budget(agent=agent)
    caller = key_of(agent)
    call(caller, NAME)
    assert not agent.api_keys.exclude(last_used_at=None).exists()
    assert not make_budget(agent=agent).windows.exists()
    assert ApiKey.objects.count() == 1
