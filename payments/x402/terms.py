"""What can be said of a payment without a node, in the order that decides which reason is given (reference: 4.4,
4.5).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Collection
from dataclasses import dataclass, field

from stellar_sdk import StrKey, xdr

from lensproject.core.stellar.networks import NETWORK_IDS
from lensproject.core.x402.codec import Unreadable
from lensproject.core.x402.wire import VERSION, PaymentPayload, PaymentRequirements, units
from payments.x402 import reasons
from payments.x402.envelope import Authorisation, Transfer, read_envelope, read_transfer, sources
from payments.x402.reasons import Refused
from payments.x402.shape import Quick, read_quickly
from payments.x402.signatures import is_rightly_signed

SCHEME = "exact"


@dataclass(frozen=True)
class Checked:
    """A payment whose bytes are right: who pays how many units, under which nonce, until which ledger at the latest.

    `operation` is the XDR of the client's one operation, without a source: all of theirs that is ever used.
    """

    payer: str
    nonce: int
    expiration: int
    units: int
    network: str
    operation: bytes = field(repr=False)


def check(
    payload: PaymentPayload, requirements: PaymentRequirements, *, networks: Collection[str], own: frozenset[str]
) -> Checked:
    """Check all that needs no node. `own` are the accounts that this facilitator holds keys of. Raises Refused."""
    amount = check_offer(payload, requirements, networks)
    transaction = payload.payload.get("transaction")
    quick = _quickly(transaction, requirements, amount, own)
    if quick is not None:
        return Checked(quick.address, quick.nonce, quick.expiration, amount, requirements.network, quick.operation)
    return check_slowly(transaction, requirements, amount, own)


def check_slowly(transaction: object, requirements: PaymentRequirements, amount: int, own: frozenset[str]) -> Checked:
    """The whole reading by XDR, whose refusals say what is wrong. It accepts all that the quick reading accepts."""
    envelope = read_envelope(transaction)
    _refuse_other_operations(envelope)
    if sources(envelope) & own:
        raise Refused(reasons.UNSAFE_SOURCE, "the transaction comes from an account of this facilitator")
    transfer = read_transfer(envelope)
    _check_call(transfer, requirements, amount, own)
    entry = _check_authorisations(transfer, own, NETWORK_IDS[requirements.network])
    operation = xdr.Operation(None, transfer.operation.body).to_xdr_bytes()
    return Checked(entry.address, entry.nonce, entry.expiration, amount, requirements.network, operation)


def check_offer(payload: PaymentPayload, requirements: PaymentRequirements, networks: Collection[str]) -> int:
    """Version, scheme, network and the requirements themselves. Gives the amount in units. Raises Refused."""
    if payload.x402_version != VERSION:
        raise Refused(reasons.INVALID_VERSION)
    if payload.accepted.scheme != SCHEME or requirements.scheme != SCHEME:
        raise Refused(reasons.UNSUPPORTED_SCHEME)
    if payload.accepted.network != requirements.network:
        raise Refused(reasons.NETWORK_MISMATCH)
    if requirements.network not in networks or requirements.network not in NETWORK_IDS:
        raise Refused(reasons.INVALID_NETWORK)
    return check_terms(requirements)


def check_terms(requirements: PaymentRequirements) -> int:
    """Amount, time and asset of the requirements. Gives the amount in units. Raises Refused."""
    try:
        amount = units(requirements.amount)
    except Unreadable as error:
        raise Refused(reasons.INVALID_REQUIREMENTS, f"amount {error}") from None
    if amount < 1 or requirements.max_timeout_seconds < 1:
        raise Refused(reasons.INVALID_REQUIREMENTS, "amount and maxTimeoutSeconds are at least 1")
    if not StrKey.is_valid_contract(requirements.asset):
        raise Refused(reasons.INVALID_REQUIREMENTS, "asset is no contract address")
    return amount


def _quickly(transaction: object, requirements: PaymentRequirements, amount: int, own: frozenset[str]) -> Quick | None:
    pay_to = requirements.pay_to
    if not isinstance(transaction, str) or not (
        StrKey.is_valid_ed25519_public_key(pay_to) or StrKey.is_valid_contract(pay_to)
    ):
        return None
    try:
        raw = base64.b64decode(transaction.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return None
    if base64.b64encode(raw).decode("ascii") != transaction:
        return None
    return read_quickly(
        raw,
        asset=requirements.asset,
        pay_to=pay_to,
        units=amount,
        network_id=NETWORK_IDS[requirements.network],
        own=_raw_keys(own),
    )


def _raw_keys(own: frozenset[str]) -> frozenset[bytes]:
    return frozenset(StrKey.decode_ed25519_public_key(address) for address in own)


def _refuse_other_operations(envelope: xdr.Transaction) -> None:
    """Before the sources are asked after: that is the order in which the reasons are given."""
    operations = envelope.operations
    if len(operations) != 1 or operations[0].body.invoke_host_function_op is None:
        raise Refused(reasons.WRONG_OPERATION, "the transaction is not one call of a contract")


def _check_call(transfer: Transfer, requirements: PaymentRequirements, amount: int, own: frozenset[str]) -> None:
    if transfer.contract != requirements.asset:
        raise Refused(reasons.WRONG_ASSET)
    if not transfer.is_transfer:
        raise Refused(reasons.WRONG_FUNCTION, "the call is no transfer of three arguments")
    if transfer.from_ in own:
        raise Refused(reasons.FACILITATOR_IS_PAYER)
    if transfer.to != requirements.pay_to:
        raise Refused(reasons.WRONG_RECIPIENT, payer=transfer.from_)
    if transfer.units != amount:
        raise Refused(reasons.WRONG_AMOUNT, payer=transfer.from_)


def _check_authorisations(transfer: Transfer, own: frozenset[str], network_id: bytes) -> Authorisation:
    """The payer's own entry. Raises Refused for the first entry that is not as it must be."""
    payer = transfer.from_
    if not transfer.authorisations:
        raise Refused(reasons.NO_AUTH_ENTRIES, payer=payer)
    for entry in transfer.authorisations:
        if entry.kind == "unsupported":
            raise Refused(reasons.UNSUPPORTED_CREDENTIAL, payer=payer)
        if entry.address in own:
            raise Refused(reasons.FACILITATOR_IN_AUTH, payer=payer)
        if not entry.invokes_itself_only:
            raise Refused(reasons.HAS_SUBINVOCATIONS, payer=payer)
    mine = [entry for entry in transfer.authorisations if entry.address == payer]
    if len(mine) != 1 or mine[0].root != transfer.call or not is_rightly_signed(mine[0], network_id):
        raise Refused(reasons.MISSING_PAYER_SIGNATURE, payer=payer)
    if len(transfer.authorisations) > 1:
        raise Refused(reasons.UNEXPECTED_PENDING, "a transfer needs the payer's authorisation only", payer=payer)
    return mine[0]
