"""What a node's two answers say about a payment, in the order of design/money/facilitator: first what can be named
(trustline, authorisation, balance, nonce, expiry), then what only the simulation knows, then fee and events.
"""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass, field

from lensproject.core.errors import ErrorCode
from lensproject.core.stellar.answers import Entries, Simulation
from lensproject.core.stellar.faults import NodeGarbage
from lensproject.core.x402.wire import PaymentRequirements
from payments import errors
from payments.x402 import ledger_keys, reasons
from payments.x402.building import INCLUSION_FEE, NULL_ACCOUNT
from payments.x402.events import Expected, check_events, contract_error
from payments.x402.holdings import holding
from payments.x402.ledger_keys import Token
from payments.x402.reasons import Refused
from payments.x402.terms import Checked

LEDGER_SECONDS = 5
TOLERANCE = 2
"""Ledgers that an authorisation may last longer than asked for: client and facilitator see different ledgers."""

CONTRACT_FAULTS: dict[int, ErrorCode] = {
    10: errors.INSUFFICIENT_BALANCE,
    11: errors.TRUSTLINE_REQUIRED,
    13: errors.TRUSTLINE_REQUIRED,
}
"""Error numbers of a classic asset's contract: BalanceError, BalanceDeauthorizedError, TrustlineMissingError."""


@dataclass(frozen=True)
class Rules:
    """What a facilitator accepts: its networks, the accounts whose keys it holds (all of them), and its fees in
    stroops: what it bids for inclusion, and the most that inclusion and resources may cost together.
    """

    networks: frozenset[str]
    own: frozenset[str]
    fee_ceiling: int = 200_000
    inclusion_fee: int = INCLUSION_FEE
    ledger_seconds: int = LEDGER_SECONDS
    simulate_from: str = NULL_ACCOUNT


@dataclass(frozen=True)
class Judged:
    """What the simulation says that the transfer needs: resources (SorobanTransactionData, XDR) and their fee."""

    resources: bytes = field(repr=False)
    resource_fee: int


def judge(
    checked: Checked,
    requirements: PaymentRequirements,
    *,
    rules: Rules,
    token: Token | None,
    entries: Entries,
    simulation: Simulation,
) -> Judged:
    """Raises Refused with the payer, and NodeGarbage when an answer is no answer."""
    if token is not None:
        _check_holdings(checked, requirements.pay_to, token, entries)
    latest = max(entries.latest_ledger, simulation.latest_ledger)
    _check_use(checked, entries, latest)
    refusal = simulation_refusal(simulation, requirements.asset, checked.payer)
    if refusal is not None:
        raise refusal
    judged = resources_of(simulation)
    _check_fee(checked, judged.resource_fee + rules.inclusion_fee, rules.fee_ceiling)
    expected = Expected(requirements.asset, checked.payer, requirements.pay_to, checked.units)
    check_events(simulation.events, expected)
    last = last_ledger(latest, requirements.max_timeout_seconds, rules.ledger_seconds) + TOLERANCE
    if checked.expiration > last:
        message = f"the authorisation lasts to ledger {checked.expiration}, and {last} is the last that is accepted"
        raise Refused(reasons.EXPIRATION_TOO_FAR, message, payer=checked.payer)
    return judged


def last_ledger(latest: int, seconds: int, ledger_seconds: int) -> int:
    """The ledger until which an authorisation for so many seconds lasts."""
    return latest + -(-seconds // ledger_seconds)


def _check_holdings(checked: Checked, pay_to: str, token: Token, entries: Entries) -> None:
    payer = checked.payer
    held = {"payer": holding(payer, token, entries.found), "payTo": holding(pay_to, token, entries.found)}
    for problem in ("exists", "authorised"):
        for who, has in held.items():
            if has is not None and not getattr(has, problem):
                text = "has no trustline for the asset" if problem == "exists" else "may not hold the asset"
                raise Refused(
                    reasons.SIMULATION_FAILED,
                    f"{who} {text}",
                    payer=payer,
                    fault=errors.TRUSTLINE_REQUIRED,
                    details={"who": who},
                )
    mine = held["payer"]
    if mine is not None and mine.spendable < checked.units:
        raise Refused(
            reasons.INSUFFICIENT_FUNDS,
            "the payer can spend less than the amount",
            payer=payer,
            fault=errors.INSUFFICIENT_BALANCE,
        )


def _check_use(checked: Checked, entries: Entries, latest: int) -> None:
    if ledger_keys.nonce(checked.payer, checked.nonce) in entries.found:
        raise Refused(
            reasons.INVALID_STATE,
            "the authorisation was used already",
            payer=checked.payer,
            fault=errors.REPLAY_DETECTED,
        )
    if checked.expiration <= latest:  # The next ledger, the first that could take it, is past its end.
        raise Refused(
            reasons.SIMULATION_FAILED,
            f"the authorisation ended with ledger {checked.expiration}, and {latest} is the latest",
            payer=checked.payer,
            fault=errors.AUTH_EXPIRED,
        )


def simulation_refusal(simulation: Simulation, asset: str, payer: str) -> Refused | None:
    """Why a simulated transfer would not go through, with our own fault where the asset's contract tells."""
    if simulation.error is not None:
        number = contract_error(simulation.events, asset)
        return Refused(
            reasons.SIMULATION_FAILED,
            "the transfer fails in simulation",
            payer=payer,
            fault=None if number is None else CONTRACT_FAULTS.get(number),
            details={} if number is None else {"contractError": number},
        )
    if simulation.needs_restore:
        message = "an entry that the transfer needs is archived and must be restored first"
        return Refused(reasons.SIMULATION_FAILED, message, payer=payer)
    return None


def resources_of(simulation: Simulation) -> Judged:
    """Resources and fee of a simulation that went well. The fee is in the answer and at the end of the resources: the
    larger one counts. Raises NodeGarbage.
    """
    try:
        raw = base64.b64decode(simulation.resources, validate=True)
        (written,) = struct.unpack(">q", raw[-8:])
    except (binascii.Error, ValueError, struct.error):
        raise NodeGarbage("simulateTransaction: the transaction data cannot be read") from None
    fee = max(simulation.resource_fee, written)
    return Judged(raw[:-8] + struct.pack(">q", fee), fee)


def _check_fee(checked: Checked, fee: int, ceiling: int) -> None:
    if fee > ceiling:
        message = f"simulation-derived fee {fee} stroops exceeds ceiling {ceiling} stroops"
        raise Refused(reasons.FEE_EXCEEDS_MAXIMUM, message, payer=checked.payer)
