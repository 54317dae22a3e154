from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from pytest_django import Settings

from bazaar.catalog.networks import create_network, revise_network
from bazaar.models import Network
from lensproject.core.errors import StaleVersion
from tests.builders import make_network, make_user
from tests.builders.networks import PASSPHRASES

pytestmark = pytest.mark.django_db
WHY: dict[str, Any] = {"by": None, "reason": "test"}
PUBNET = {"name": "stellar:pubnet", "passphrase": PASSPHRASES["stellar:pubnet"]}


def test_mainnet_can_be_listed_and_not_enabled() -> None:
    network = create_network(PUBNET, **WHY)
    with pytest.raises(ValidationError, match="LENS_MAINNET_ENABLED"):
        revise_network(network, {"enabled": True}, row_version=1, **WHY)
    with pytest.raises(ValidationError, match="LENS_MAINNET_ENABLED"):
        create_network(PUBNET | {"enabled": True}, **WHY)
    assert list(Network.objects.values_list("name", "enabled")) == [("stellar:pubnet", False)]


def test_mainnet_is_enabled_where_the_environment_says_so(settings: Settings) -> None:
    settings.LENS = settings.LENS.model_copy(update={"mainnet_enabled": True})
    network = create_network(PUBNET, **WHY)
    assert revise_network(network, {"enabled": True}, row_version=1, **WHY).enabled


def test_marking_a_default_takes_the_mark_from_the_other() -> None:
    person = make_user()
    local, testnet = make_network("stellar:local"), make_network("stellar:testnet")
    revise_network(testnet, {"is_default": True}, row_version=1, by=person, reason="going public")
    assert list(Network.objects.filter(is_default=True)) == [testnet]
    after: Any = Network.objects.get(pk=local.pk)
    assert after.row_version == 2
    line = after.history.latest()
    assert (line.history_user, line.history_change_reason) == (person, "going public")


def test_a_stale_default_leaves_the_mark_where_it_was() -> None:
    local, testnet = make_network("stellar:local"), make_network("stellar:testnet")
    revise_network(testnet, {"rpc_url": "http://127.0.0.1:9"}, row_version=1, **WHY)
    with pytest.raises(StaleVersion):
        revise_network(testnet, {"is_default": True}, row_version=1, **WHY)
    assert list(Network.objects.filter(is_default=True)) == [local]


def test_the_default_cannot_be_disabled() -> None:
    local = make_network("stellar:local")
    with pytest.raises(ValidationError, match="must be enabled"):
        revise_network(local, {"enabled": False}, row_version=1, **WHY)
    assert Network.objects.get().enabled


def test_a_network_keeps_its_name() -> None:
    with pytest.raises(ValidationError, match="keeps its name"):
        revise_network(make_network(), {"name": "stellar:testnet"}, row_version=1, **WHY)


def test_play_money() -> None:
    assert make_network("stellar:local").is_play_money
    assert not make_network("stellar:testnet").is_play_money
