from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from lensproject.core.callers import ANONYMOUS, PAY, READ, SCOPES, Caller
from lensproject.core.errors import PermissionDenied, Unauthenticated

READER = Caller(subject="agent_1", key_id="k", scopes=frozenset({READ}))


def test_a_caller_may_do_what_its_scopes_say() -> None:
    READER.require(READ)
    with pytest.raises(PermissionDenied, match="The key lacks the scope pay") as caught:
        READER.require(PAY)
    assert caught.value.details == {"scope": "pay"}


@pytest.mark.parametrize("scope", SCOPES)
def test_nobody_may_do_nothing(scope: str) -> None:
    with pytest.raises(Unauthenticated, match="needs an API key") as caught:
        ANONYMOUS.require(scope)
    assert caught.value.details == {"scope": scope}


def test_who_has_no_key_is_anonymous() -> None:
    assert ANONYMOUS.is_anonymous
    assert not READER.is_anonymous
    assert (ANONYMOUS.scopes, ANONYMOUS.networks) == (frozenset(), frozenset())


def test_a_caller_cannot_be_widened() -> None:
    with pytest.raises(FrozenInstanceError):
        READER.scopes = frozenset(SCOPES)  # type: ignore[misc]
    assert READER.scopes == frozenset({READ})


def test_what_a_project_attaches_does_not_make_another_caller() -> None:
    assert Caller("agent_1", "k", account=object()) == Caller("agent_1", "k", account=object())
    assert Caller("agent_1", "k") != Caller("agent_1", "k", session="s")
