from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from typing import Any

from lensproject.core import clock
from payments.models import FacilitatorSettlement, SettlementAttempt, SourceAccount
from tests.builders.networks import make_asset, make_network
from tests.builders.numbers import account, number


def make_source_account(**over: Any) -> SourceAccount:
    """A free account of the facilitator. Its key is nowhere."""
    values = {"network": over.pop("network", None) or make_network(), "address": account(number())}
    return SourceAccount.objects.create(**({"key_name": "facilitator"} | values | over))


def make_settlement(**over: Any) -> FacilitatorSettlement:
    """A settlement that has just been claimed."""
    seed = number()
    asset = over.pop("asset", None) or make_asset()
    now = clock.now()
    values = {
        "network": asset.network,
        "asset": asset,
        "payer": account(seed),
        "pay_to": account(seed + 1_000_000),
        "nonce": seed,
        "units": 10_000,
        "expiration": 1_012,
        "payload_hash": sha256(f"payload {seed}".encode()).hexdigest(),
        "requirements_hash": sha256(b"requirements").hexdigest(),
        "holder": "run",
        "leased_until": now + timedelta(seconds=90),
        "created_at": now,
    }
    return FacilitatorSettlement.objects.create(**(values | over))


def make_attempt(**over: Any) -> SettlementAttempt:
    """A transaction that was stored and not sent yet."""
    settlement = over.pop("settlement", None) or make_settlement()
    values = {
        "settlement": settlement,
        "source_account": over.pop("source_account", None) or make_source_account(network=settlement.network),
        "sequence": number(),
        "envelope": "AAAA",
        "inner_hash": sha256(f"transaction {number()}".encode()).hexdigest(),
        "made_at_ledger": 1_000,
        "max_ledger": settlement.expiration + 1,
        "fee_ceiling": 21_000,
        "created_at": clock.now(),
    }
    return SettlementAttempt.objects.create(**(values | over))
