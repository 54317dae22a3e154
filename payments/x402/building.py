"""Transactions around one operation, byte by byte: the client's own and the one that is simulated."""

from __future__ import annotations

import base64
import struct
from hashlib import sha256

from lensproject.core.stellar.networks import NETWORK_IDS
from lensproject.core.stellar.strkeys import account_address, raw_account

NULL_ACCOUNT = account_address(bytes(32))
"""Nobody's account: the source of what is only looked at, or built anew by a facilitator."""

INCLUSION_FEE = 100
"""The least inclusion fee of a transaction with one operation, in stroops."""

_TX, _TIME, _FULL = 2, 1, 2
_UNSIGNED = struct.pack(">I", 0)


def to_simulate(operation: bytes, source: str = NULL_ACCOUNT) -> str:
    """An envelope around an operation (XDR) that a node simulates: no resources, no bounds. Base64."""
    body = _head(source, INCLUSION_FEE, 1) + struct.pack(">i", 0) + _one(operation) + struct.pack(">i", 0)
    return _text(struct.pack(">i", _TX) + body + _UNSIGNED)


def to_pay(operation: bytes, resources: bytes, resource_fee: int, until: int) -> str:
    """What a client hands over: from the null account, valid until a Unix time, unsigned. Base64."""
    fee = min(INCLUSION_FEE + resource_fee, 2**32 - 1)
    times = struct.pack(">iQQ", _TIME, 0, until)
    body = _head(NULL_ACCOUNT, fee, 1) + times + _one(operation) + struct.pack(">i", 1) + resources
    return _text(struct.pack(">i", _TX) + body + _UNSIGNED)


def to_settle(
    operation: bytes,
    resources: bytes,
    *,
    source: str,
    sequence: int,
    fee: int,
    until: int,
    before_ledger: int,
) -> bytes:
    """The transaction (XDR without envelope) that a facilitator signs. It ends at a Unix time, and before a ledger."""
    bounds = struct.pack(">iiQQiII", _FULL, 1, 0, until, 1, 0, before_ledger)
    no_more = struct.pack(">iQII", 0, 0, 0, 0)  # No least sequence number, its age or gap, no further signers.
    body = _head(source, fee, sequence) + bounds + no_more + _one(operation)
    return body + struct.pack(">i", 1) + resources


def transaction_hash(transaction: bytes, network: str) -> bytes:
    """What is signed, and under which a transaction is found. `transaction` is its XDR without the envelope."""
    return sha256(NETWORK_IDS[network] + struct.pack(">i", _TX) + transaction).digest()


def sealed(transaction: bytes, source: str, signature: bytes) -> str:
    """The envelope with one signature of the source account. Base64."""
    hint = raw_account(source)[-4:]
    return _text(struct.pack(">i", _TX) + transaction + struct.pack(">I4sI64s", 1, hint, 64, signature))


def _head(source: str, fee: int, sequence: int) -> bytes:
    return struct.pack(">i32sIq", 0, raw_account(source), fee, sequence)


def _one(operation: bytes) -> bytes:
    """No memo, and the operation alone."""
    return struct.pack(">iI", 0, 1) + operation


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
