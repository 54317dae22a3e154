"""A transaction as it came: its bytes, its hashes, and what validation asks about it."""

from __future__ import annotations

import base64
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

from stellar_sdk import MuxedAccount, TransactionEnvelope, xdr
from stellar_sdk.operation import ExtendFootprintTTL, InvokeHostFunction, RestoreFootprint
from stellar_sdk.transaction import Transaction

from payments.sandbox.network import BASE_FEE
from payments.sandbox.presence import present

_TYPE = xdr.EnvelopeType
LARGEST = 256 * 1024
"""Characters of an envelope's base64."""
_BROKEN = (ValueError, TypeError, EOFError, LookupError, AttributeError, AssertionError, ArithmeticError, RuntimeError)
"""What the SDK raises at bytes that it cannot make sense of."""


class Unreadable(Exception):
    """These bytes are no transaction of this network's kind."""


@dataclass(frozen=True)
class Submitted:
    """`envelope` is what was sent; `inner` the transaction proper, which is the same thing without a fee bump."""

    envelope: xdr.TransactionEnvelope
    inner: TransactionEnvelope
    hash: bytes
    inner_hash: bytes
    signatures: list[xdr.DecoratedSignature] = field(repr=False)
    inner_signatures: list[xdr.DecoratedSignature] = field(repr=False)
    fee_source: str
    fee: int
    size: int

    @property
    def is_fee_bump(self) -> bool:
        return self.envelope.type is _TYPE.ENVELOPE_TYPE_TX_FEE_BUMP

    @property
    def transaction(self) -> Transaction:
        return self.inner.transaction

    @property
    def source(self) -> str:
        return self.transaction.source.account_id

    @cached_property
    def is_soroban(self) -> bool:
        return any(
            isinstance(operation, (InvokeHostFunction, ExtendFootprintTTL, RestoreFootprint))
            for operation in self.transaction.operations
        )

    @property
    def resource_fee(self) -> int:
        data = self.transaction.soroban_data
        return data.resource_fee.int64 if data is not None else 0

    @property
    def paid_operations(self) -> int:
        return len(self.transaction.operations) + self.is_fee_bump

    @property
    def inclusion_fee(self) -> int:
        """What was bid for a place in the ledger."""
        return self.fee - self.resource_fee

    @property
    def least_inclusion_fee(self) -> int:
        return BASE_FEE * max(self.paid_operations, 1)


def read(text: str, network_id: bytes, passphrase: str) -> Submitted:
    """A base64 envelope. Raises Unreadable for anything that is not exactly one."""
    try:
        if len(text) > LARGEST:
            raise Unreadable("the transaction is too large")
        raw = base64.b64decode(text, validate=True)
        envelope = xdr.TransactionEnvelope.from_xdr_bytes(raw)
        if envelope.to_xdr_bytes() != raw:
            raise Unreadable("the XDR is not canonical or has bytes after its end")
        with warnings.catch_warnings():
            # The SDK warns about flags that came as numbers, which is how they come off the wire.
            warnings.simplefilter("ignore", DeprecationWarning)
            return _submitted(envelope, network_id, passphrase, len(raw))
    except Unreadable:
        raise
    except _BROKEN as error:
        raise Unreadable(f"no transaction envelope: {error}") from error


def _submitted(envelope: xdr.TransactionEnvelope, network_id: bytes, passphrase: str, size: int) -> Submitted:
    if envelope.type is _TYPE.ENVELOPE_TYPE_TX_FEE_BUMP:
        return _fee_bump(envelope, network_id, passphrase, size)
    if envelope.type is not _TYPE.ENVELOPE_TYPE_TX or envelope.v1 is None:
        raise Unreadable("transactions are of version 1, or fee bumps of one")
    inner = TransactionEnvelope.from_xdr_object(envelope, passphrase)
    signed = _hash(network_id, _TYPE.ENVELOPE_TYPE_TX, envelope.v1.tx.to_xdr_bytes())
    signatures = envelope.v1.signatures
    transaction = inner.transaction
    source = transaction.source.account_id
    return Submitted(envelope, inner, signed, signed, signatures, signatures, source, transaction.fee, size)


def _fee_bump(envelope: xdr.TransactionEnvelope, network_id: bytes, passphrase: str, size: int) -> Submitted:
    outside = present(envelope.fee_bump)
    bump = outside.tx
    v1 = present(bump.inner_tx.v1)
    inner = TransactionEnvelope.from_xdr_object(xdr.TransactionEnvelope(_TYPE.ENVELOPE_TYPE_TX, v1=v1), passphrase)
    outer = _hash(network_id, _TYPE.ENVELOPE_TYPE_TX_FEE_BUMP, bump.to_xdr_bytes())
    inner_hash = _hash(network_id, _TYPE.ENVELOPE_TYPE_TX, v1.tx.to_xdr_bytes())
    source = _account_of(bump.fee_source)
    signatures = outside.signatures
    return Submitted(envelope, inner, outer, inner_hash, signatures, v1.signatures, source, bump.fee.int64, size)


def _account_of(source: xdr.MuxedAccount) -> str:
    return MuxedAccount.from_xdr_object(source).account_id


def _hash(network_id: bytes, kind: xdr.EnvelopeType, transaction: bytes) -> bytes:
    return sha256(network_id + kind.value.to_bytes(4, "big") + transaction).digest()
