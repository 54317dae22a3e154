"""What can be said of a payment without a node, in the order that decides which reason is given (reference: 4.4,
4.5).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from stellar_sdk import xdr

from lensproject.core.stellar.networks import NETWORK_IDS
from lensproject.core.stellar.strkeys import account_address, contract_address, is_contract
from lensproject.core.x402.codec import Unreadable
from lensproject.core.x402.wire import VERSION, PaymentPayload, PaymentRequirements, units
from payments.x402 import reasons
from payments.x402.envelope import Authorisation, Transfer, read_bytes, read_envelope, read_transfer, sources
from payments.x402.ledger_keys import address_of
from payments.x402.reasons import Refused
from payments.x402.shape import Shape, read_shape
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
    shape = read_shape(read_bytes(transaction))
    if shape is None:
        return check_slowly(transaction, requirements, amount, own)
    return check_shape(shape, requirements, amount, own)


def check_shape(shape: Shape, requirements: PaymentRequirements, amount: int, own: frozenset[str]) -> Checked:
    """The usual shape judged without decoding any XDR: the same result and the same reasons as `check_slowly`."""
    if account_address(shape.source) in own:
        raise _unsafe_source()
    call, signer = shape.call, account_address(shape.signer)
    payer, asset = account_address(call.payer), contract_address(call.asset)
    _check_call(asset, payer, address_of(call.to), call.units, requirements, amount, own)
    if signer in own:
        raise Refused(reasons.FACILITATOR_IN_AUTH, payer=payer)
    if signer != payer or not shape.is_signed(NETWORK_IDS[requirements.network]):
        raise Refused(reasons.MISSING_PAYER_SIGNATURE, payer=payer)
    return Checked(payer, shape.nonce, shape.expiration, amount, requirements.network, shape.operation)


def check_slowly(transaction: object, requirements: PaymentRequirements, amount: int, own: frozenset[str]) -> Checked:
    """The reading by XDR, for every other shape. Raises Refused."""
    envelope = read_envelope(transaction)
    _refuse_other_operations(envelope)
    if sources(envelope) & own:
        raise _unsafe_source()
    transfer = read_transfer(envelope)
    if transfer.contract == requirements.asset and not transfer.is_transfer:
        raise Refused(reasons.WRONG_FUNCTION, "the call is no transfer of three arguments")
    _check_call(transfer.contract, transfer.from_, transfer.to, transfer.units, requirements, amount, own)
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
    if not is_contract(requirements.asset):
        raise Refused(reasons.INVALID_REQUIREMENTS, "asset is no contract address")
    return amount


def _unsafe_source() -> Refused:
    return Refused(reasons.UNSAFE_SOURCE, "the transaction comes from an account of this facilitator")


def _refuse_other_operations(envelope: xdr.Transaction) -> None:
    """Before the sources are asked after: that is the order in which the reasons are given."""
    operations = envelope.operations
    if len(operations) != 1 or operations[0].body.invoke_host_function_op is None:
        raise Refused(reasons.WRONG_OPERATION, "the transaction is not one call of a contract")


def _check_call(
    asset: str,
    payer: str,
    to: str,
    units: int | None,
    requirements: PaymentRequirements,
    amount: int,
    own: frozenset[str],
) -> None:
    if asset != requirements.asset:
        raise Refused(reasons.WRONG_ASSET)
    if payer in own:
        raise Refused(reasons.FACILITATOR_IS_PAYER)
    if to != requirements.pay_to:
        raise Refused(reasons.WRONG_RECIPIENT, payer=payer)
    if units != amount:
        raise Refused(reasons.WRONG_AMOUNT, payer=payer)


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
