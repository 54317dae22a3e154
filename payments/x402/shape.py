"""The one shape that clients produce, read byte for byte: everything about a payment that needs no node, in one pass.

Nothing is decoded: frames are compared, the rest is cut out, and the preimage of the signature is put together from
the input itself. What does not have this shape is no refusal yet: the XDR path (`envelope`) reads it anew. What has it
means the same on both paths, and `terms` says what is right or wrong with it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from hashlib import sha256

from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError

from payments.x402.resources import is_soroban_data

_ENVELOPE_V1 = struct.pack(">ii", 2, 0)  # ENVELOPE_TYPE_TX, KEY_TYPE_ED25519
_NO_MEMO_ONE_CALL = struct.pack(">iiiii", 0, 1, 0, 24, 0)  # MEMO_NONE, one operation without source, INVOKE_CONTRACT
_OPERATION_HEAD = 12  # Of which these bytes are the operation's: no source, its type, INVOKE_CONTRACT.
_CONTRACT = struct.pack(">i", 1)
_ACCOUNT = struct.pack(">ii", 0, 0)  # SC_ADDRESS_TYPE_ACCOUNT, PUBLIC_KEY_TYPE_ED25519
_ADDRESS_VALUE = struct.pack(">i", 18)
_I128 = struct.pack(">i", 10)
_TRANSFER_FROM = struct.pack(">I8sI", 8, b"transfer", 3) + _ADDRESS_VALUE + _ACCOUNT
_SIGNATURE_HEAD = struct.pack(">iiIiiI", 16, 1, 1, 17, 1, 2) + struct.pack(">iI12siI", 15, 10, b"public_key", 13, 32)
_SIGNATURE_MIDDLE = struct.pack(">iI12siI", 15, 9, b"signature", 13, 64)
_CREDENTIALS = {struct.pack(">i", 1): False, struct.pack(">i", 2): True}
_PREIMAGE = struct.pack(">i", 9)
_PREIMAGE_WITH_ADDRESS = struct.pack(">i", 10)
_ONE = struct.pack(">I", 1)
_ZERO = struct.pack(">I", 0)


@dataclass(frozen=True, slots=True)
class Call:
    """`asset.transfer(payer, to, units)`; keys are raw, `to` is an SCAddress. `raw` is all of it."""

    asset: bytes
    payer: bytes
    to: bytes
    units: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class Shape:
    """A client's envelope: one call and one account's authorisation of exactly this call, with one signature.

    `signer` is the account that the authorisation is of, `key` the one that is said to have signed. `operation` is the
    operation's XDR. All keys are raw.
    """

    source: bytes
    call: Call
    signer: bytes
    nonce: int
    expiration: int
    key: bytes
    signature: bytes
    binds_address: bool
    operation: bytes

    def is_signed(self, network_id: bytes) -> bool:
        """Whether the signature is `key`'s, over this authorisation, on this network."""
        kind, bound = (_PREIMAGE_WITH_ADDRESS, _ACCOUNT + self.signer) if self.binds_address else (_PREIMAGE, b"")
        limits = struct.pack(">qI", self.nonce, self.expiration)
        preimage = kind + network_id + limits + bound + _ZERO + self.call.raw + _ZERO
        return verifies(self.key, sha256(preimage).digest(), self.signature)


def read_shape(raw: bytes) -> Shape | None:
    """The envelope, when it has the shape from its first byte to its last; else None."""
    head = _head(raw)
    call = None if head is None else _call(raw, head)
    if head is None or call is None:
        return None
    at = head + len(call.raw)
    binds_address, signed = _CREDENTIALS.get(raw[at + 4 : at + 8]), at + 60
    key, middle = signed + len(_SIGNATURE_HEAD), signed + len(_SIGNATURE_HEAD) + 32
    signature = middle + len(_SIGNATURE_MIDDLE)
    invocation = _ZERO + call.raw + _ZERO
    end = signature + 64 + len(invocation)
    if (
        raw[at : at + 4] != _ONE
        or binds_address is None
        or raw[at + 8 : at + 16] != _ACCOUNT
        or raw[signed:key] != _SIGNATURE_HEAD
        or raw[middle:signature] != _SIGNATURE_MIDDLE
        or raw[signature + 64 : end] != invocation
        or not is_soroban_data(raw, end)
    ):
        return None
    nonce, expiration = struct.unpack_from(">qI", raw, at + 48)
    return Shape(
        source=raw[8:40],
        call=call,
        signer=raw[at + 16 : at + 48],
        nonce=nonce,
        expiration=expiration,
        key=raw[key:middle],
        signature=raw[signature : signature + 64],
        binds_address=binds_address,
        operation=raw[head - _OPERATION_HEAD : end],
    )


def _head(raw: bytes) -> int | None:
    """Where the call begins: after source, fee, sequence and time bounds, which mean nothing to the result."""
    if raw[:8] != _ENVELOPE_V1:
        return None
    start = {_ZERO: 56, _ONE: 72}.get(raw[52:56])
    if start is None or raw[start : start + 20] != _NO_MEMO_ONE_CALL:
        return None
    return start + 20


def _call(raw: bytes, at: int) -> Call | None:
    payer = at + 36 + len(_TRANSFER_FROM)
    to = payer + 36
    amount = to + (36 if raw[to : to + 4] == _CONTRACT else 40)
    end = amount + 20
    if (
        raw[at : at + 4] != _CONTRACT
        or raw[at + 36 : payer] != _TRANSFER_FROM
        or raw[payer + 32 : to] != _ADDRESS_VALUE
        or (raw[to : to + 4] != _CONTRACT and raw[to : to + 8] != _ACCOUNT)
        or raw[amount : amount + 4] != _I128
        or len(raw) < end
    ):
        return None
    high, low = struct.unpack_from(">qQ", raw, amount + 4)
    return Call(raw[at + 4 : at + 36], raw[payer : payer + 32], raw[to:amount], (high << 64) | low, raw[at:end])


def verifies(key: bytes, digest: bytes, signature: bytes) -> bool:
    """Whether the ed25519 signature over the digest is this key's."""
    try:
        crypto_sign_open(signature + digest, key)
    except BadSignatureError:
        return False
    return True
