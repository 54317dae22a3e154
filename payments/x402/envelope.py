"""A client's transaction, read from its XDR into what the scheme asks about (reference: section 4.2).

Reading refuses what cannot be read; whether what was read is right is decided in `terms` and `signatures`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from stellar_sdk import Address, xdr

from lensproject.core.stellar.strkeys import account_address, contract_address
from lensproject.core.x402.codec import Unreadable, decode_base64
from payments.x402.reasons import MALFORMED, WRONG_OPERATION, Refused

_CREDENTIALS = xdr.SorobanCredentialsType


@dataclass(frozen=True)
class Authorisation:
    """One entry of the operation's `auth`. `signature` is the raw value, None when void; `root` is the invocation's
    XDR.
    """

    kind: str
    address: str
    nonce: int
    expiration: int
    signature: xdr.SCVal | None
    root: bytes
    invokes_itself_only: bool
    entry: xdr.SorobanAuthorizationEntry = field(repr=False)


@dataclass(frozen=True)
class Transfer:
    """The one operation: `contract.transfer(from_, to, units)` and its authorisations.

    `units` is None when the third argument is no i128. Of a call that is no transfer only the contract is told.
    """

    is_transfer: bool
    contract: str
    from_: str
    to: str
    units: int | None
    authorisations: tuple[Authorisation, ...]
    operation: xdr.Operation = field(repr=False)
    call: bytes = field(repr=False)


def read_bytes(transaction: object) -> bytes:
    """The bytes of a payload's `transaction`. Raises Refused(malformed): no text, or no strict base64."""
    if not isinstance(transaction, str):
        raise Refused(MALFORMED, "payload.transaction is no text")
    try:
        return decode_base64(transaction)
    except Unreadable as error:
        raise Refused(MALFORMED, f"payload.transaction {error}") from None


def read_envelope(transaction: object) -> xdr.Transaction:
    """The transaction in a payload's `transaction`. Raises Refused(malformed): no strict base64 of one v1 envelope."""
    raw = read_bytes(transaction)
    try:
        envelope = xdr.TransactionEnvelope.from_xdr_bytes(raw)
        exact = envelope.to_xdr_bytes() == raw
    except Exception:  # The SDK's reader raises errors of many kinds on bytes that are no XDR.
        raise Refused(MALFORMED, "payload.transaction is no transaction envelope") from None
    if not exact:
        raise Refused(MALFORMED, "payload.transaction is not the one XDR of an envelope, or has bytes after it")
    if envelope.v1 is None:
        raise Refused(MALFORMED, "payload.transaction is no envelope of version 1, or is a fee bump")
    return envelope.v1.tx


def read_transfer(transaction: xdr.Transaction) -> Transfer:
    """The transfer in a transaction. Raises Refused when it is not one call of a contract."""
    operation, invoke = _invocation(transaction)
    contract, args = _address(invoke.contract_address), invoke.args
    if invoke.function_name.sc_symbol != b"transfer" or len(args) != 3 or not (args[0].address and args[1].address):
        return Transfer(False, contract, "", "", None, (), operation, b"")
    body = operation.body.invoke_host_function_op
    return Transfer(
        is_transfer=True,
        contract=contract,
        from_=_address(args[0].address),
        to=_address(args[1].address),
        units=None if args[2].i128 is None else (args[2].i128.hi.int64 << 64) | args[2].i128.lo.uint64,
        authorisations=tuple(_authorisation(entry) for entry in body.auth) if body is not None else (),
        operation=operation,
        call=invoke.to_xdr_bytes(),
    )


def sources(transaction: xdr.Transaction) -> set[str]:
    """The accounts that the transaction and its operation come from: asked before anything else of it is read."""
    found = {_account(transaction.source_account)}
    return found | {
        _account(operation.source_account) for operation in transaction.operations if operation.source_account
    }


def _invocation(transaction: xdr.Transaction) -> tuple[xdr.Operation, xdr.InvokeContractArgs]:
    if len(transaction.operations) != 1:
        raise Refused(WRONG_OPERATION, "the transaction has not exactly one operation")
    operation = transaction.operations[0]
    invoke = operation.body.invoke_host_function_op
    if invoke is None or invoke.host_function.invoke_contract is None:
        raise Refused(WRONG_OPERATION, "the operation invokes no contract")
    return operation, invoke.host_function.invoke_contract


def _authorisation(entry: xdr.SorobanAuthorizationEntry) -> Authorisation:
    credentials, root = entry.credentials, entry.root_invocation
    found = {
        _CREDENTIALS.SOROBAN_CREDENTIALS_ADDRESS: ("address", credentials.address),
        _CREDENTIALS.SOROBAN_CREDENTIALS_ADDRESS_V2: ("address_v2", credentials.address_v2),
    }
    kind, address = found.get(credentials.type, ("unsupported", None))
    call = root.function.contract_fn
    own = not root.sub_invocations
    if address is None:
        return Authorisation("unsupported", "", 0, 0, None, b"", own, entry)
    void = address.signature.type == xdr.SCValType.SCV_VOID
    return Authorisation(
        kind,
        _address(address.address),
        address.nonce.int64,
        address.signature_expiration_ledger.uint32,
        None if void else address.signature,
        b"" if call is None else call.to_xdr_bytes(),
        own,
        entry,
    )


def _account(source: xdr.MuxedAccount) -> str:
    """The `G…` account behind a source, whether or not it is muxed."""
    key = source.ed25519 if source.med25519 is None else source.med25519.ed25519
    if key is None:
        raise Refused(MALFORMED, "a source account has no key")
    return account_address(key.uint256)


def _address(address: xdr.SCAddress) -> str:
    """`G…` or `C…`; other kinds of addresses are given as they are named, and match nothing that we ask for."""
    if address.type == xdr.SCAddressType.SC_ADDRESS_TYPE_CONTRACT and address.contract_id is not None:
        return contract_address(address.contract_id.contract_id.hash)
    return Address.from_xdr_sc_address(address).address
