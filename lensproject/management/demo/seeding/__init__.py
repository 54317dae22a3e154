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
from lensproject.management.demo.ledger import Ledger
from lensproject.management.demo.run_file import Secrets
from lensproject.management.demo.seeding import catalogue, markets, operator, settling, spender
from lensproject.management.demo.seeding.once import Once
from lensproject.management.demo.seeding.operator import Operator
from lensproject.management.demo.seeding.settling import Selling
from lensproject.management.demo.seeding.spender import Key


@dataclass(frozen=True)
class Seeded:
    """What is there now; `made` names the rows that this call made."""

    made: tuple[str, ...]
    operator: Operator
    key: Key
    network: str | None
    rpc_url: str | None
    selling: Selling | None = None


def seed(
    keys: Path, earlier: Secrets, *, before_commit: Callable[[Seeded], None], ledger: Ledger | None = None
) -> Seeded:
    """Make what never was there. All of it or nothing: `before_commit` is the moment to write down the secrets.

    With a `ledger` that runs, the local network is on it, and what is sold can be paid for.
    """
    once = Once()
    selling = None
    with transaction.atomic():
        person = operator.find_or_make(once, earlier)
        network = catalogue.network(once)
        key = Key(None, "there is none, since the local network was removed")
        if network is not None:
            network = settling.on_ledger(network, ledger)
            assets = catalogue.assets(once, network, keys, ledger)
            catalogue.entry(once, network, assets.usdc, keys)
            markets.quoted(once, network, assets)
            selling = settling.prepared(once, network, assets.usdc, keys, ledger)
            key = spender.agent_with_key(once, person.user, network, assets.usdc, earlier.agent_key)
        default = default_network()
        name, rpc_url = (default.name, default.rpc_url or None) if default else (None, None)
        seeded = Seeded(tuple(once.made), person, key, name, rpc_url, selling)
        before_commit(seeded)
    return seeded
