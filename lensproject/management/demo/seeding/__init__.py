"""The rows of the demo: a catalogue, something to quote, somebody who spends, and an operator.

Each row is made once in the life of a database. What an operator changes stays changed, and what one removes stays
away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from bazaar.markets.listing import default_network
from lensproject.management.demo.run_file import Secrets
from lensproject.management.demo.seeding import catalogue, markets, operator, spender
from lensproject.management.demo.seeding.once import Once
from lensproject.management.demo.seeding.operator import Operator
from lensproject.management.demo.seeding.spender import Key


@dataclass(frozen=True)
class Seeded:
    """What is there now; `made` names the rows that this call made."""

    made: tuple[str, ...]
    operator: Operator
    key: Key
    network: str | None
    rpc_url: str | None


def seed(keys: Path, earlier: Secrets, *, before_commit: Callable[[Seeded], None]) -> Seeded:
    """Make what never was there. All of it or nothing: `before_commit` is the moment to write down the secrets."""
    once = Once()
    with transaction.atomic():
        person = operator.find_or_make(once, earlier)
        network = catalogue.network(once)
        key = Key(None, "there is none, since the local network was removed")
        if network is not None:
            assets = catalogue.assets(once, network, keys)
            catalogue.entry(once, network, assets.usdc, keys)
            markets.quoted(once, network, assets)
            key = spender.agent_with_key(once, person.user, network, assets.usdc, earlier.agent_key)
        default = default_network()
        name, rpc_url = (default.name, default.rpc_url or None) if default else (None, None)
        seeded = Seeded(tuple(once.made), person, key, name, rpc_url)
        before_commit(seeded)
    return seeded
