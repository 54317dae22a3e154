"""The one shape that clients produce, read byte for byte: everything about a payment that needs no node, in one pass.

Nothing is decoded. The bytes that are known beforehand (the call, the frame around the signature) are compared, the
rest is cut out, and the preimage of the signature is put together from the input itself. What does not have this shape,
or not these values, is no refusal yet: the XDR path (`envelope`, `terms`) reads it anew and says what is wrong.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError
from stellar_sdk import StrKey

from payments.x402.ledger_keys import address_bytes
from payments.x402.resources import is_soroban_data

_ENVELOPE_V1 = struct.pack(">ii", 2, 0)  # ENVELOPE_TYPE_TX, KEY_TYPE_ED25519
_NO_MEMO_ONE_CALL = struct.pack(">iiiii", 0, 1, 0, 24, 0)  # MEMO_NONE, one operation without source, INVOKE_CONTRACT
_OPERATION_HEAD = 12  # Of which these bytes are the operation's: no source, its type, INVOKE_CONTRACT.
_TRANSFER = struct.pack(">I8sI", 8, b"transfer", 3)
_ACCOUNT = struct.pack(">ii", 0, 0)  # SC_ADDRESS_TYPE_ACCOUNT, PUBLIC_KEY_TYPE_ED25519
_ADDRESS_VALUE = struct.pack(">i", 18)
_SIGNATURE_HEAD = struct.pack(">iiIiiI", 16, 1, 1, 17, 1, 2) + struct.pack(">iI12siI", 15, 10, b"public_key", 13, 32)
_SIGNATURE_MIDDLE = struct.pack(">iI12siI", 15, 9, b"signature", 13, 64)
# In the call: the contract's address, the function, the number of arguments, and the head of the first.
_PAYER_AT = 36 + len(_TRANSFER) + len(_ADDRESS_VALUE) + len(_ACCOUNT)
_CREDENTIALS = {struct.pack(">i", 1): False, struct.pack(">i", 2): True}
_PREIMAGE = struct.pack(">i", 9)
_PREIMAGE_WITH_ADDRESS = struct.pack(">i", 10)
_ONE = struct.pack(">I", 1)
_ZERO = struct.pack(">I", 0)


@dataclass(frozen=True)
class Quick:
    """A payment whose bytes, signature included, are right: the payer's raw key, its nonce, its last ledger, and the
    XDR of the operation.
    """

    payer: bytes
    nonce: int
    expiration: int
    operation: bytes

    @property
    def address(self) -> str:
        return StrKey.encode_ed25519_public_key(self.payer)


def read_quickly(
    raw: bytes, *, asset: str, pay_to: str, units: int, network_id: bytes, own: Collection[bytes]
) -> Quick | None:
    """The payment, when the envelope has the shape and these values and its one signature is the payer's; else None.

    `own` are the raw keys that this facilitator holds: none of them may be a source or the payer.
    """
    head = _head(raw)
    if head is None or raw[8:40] in own:
        return None
    payer = raw[head + _PAYER_AT : head + _PAYER_AT + 32]
    call = _call(asset, pay_to, units, payer)
    end = head + len(call)
    if payer in own or raw[head:end] != call:
        return None
    return _authorised(raw, end, call, payer, network_id)


def _head(raw: bytes) -> int | None:
    """Where the call begins: after source, fee, sequence and time bounds, which mean nothing to the result."""
    if raw[:8] != _ENVELOPE_V1:
        return None
    start = {_ZERO: 56, _ONE: 72}.get(raw[52:56])
    if start is None or raw[start : start + 20] != _NO_MEMO_ONE_CALL:
        return None
    return start + 20


def _call(asset: str, pay_to: str, units: int, payer: bytes) -> bytes:
    before, after = _frame(asset, pay_to)
    return before + payer + after + struct.pack(">iqQ", 10, units >> 64, units & (2**64 - 1))


@lru_cache(maxsize=1024)
def _frame(asset: str, pay_to: str) -> tuple[bytes, bytes]:
    """What of the call is known before the payer is: contract and function, then the recipient."""
    before = struct.pack(">i32s", 1, StrKey.decode_contract(asset)) + _TRANSFER + _ADDRESS_VALUE + _ACCOUNT
    return before, _ADDRESS_VALUE + address_bytes(pay_to)


def _authorised(raw: bytes, at: int, call: bytes, payer: bytes, network_id: bytes) -> Quick | None:
    """One authorisation of the payer for exactly the call, rightly signed, and nothing after it but resources."""
    with_address = _CREDENTIALS.get(raw[at + 4 : at + 8])
    address = _ACCOUNT + payer
    if raw[at : at + 4] != _ONE or with_address is None or raw[at + 8 : at + 48] != address:
        return None
    limits, signed = raw[at + 48 : at + 60], at + 60
    invocation = _ZERO + call + _ZERO
    frame_end = signed + len(_SIGNATURE_HEAD) + 32 + len(_SIGNATURE_MIDDLE) + 64
    key_at = signed + len(_SIGNATURE_HEAD)
    middle = key_at + 32
    if (
        raw[signed:key_at] != _SIGNATURE_HEAD
        or raw[key_at:middle] != payer
        or raw[middle : middle + len(_SIGNATURE_MIDDLE)] != _SIGNATURE_MIDDLE
        or raw[frame_end : frame_end + len(invocation)] != invocation
        or not is_soroban_data(raw, frame_end + len(invocation))
    ):
        return None
    kind, bound = (_PREIMAGE_WITH_ADDRESS, address) if with_address else (_PREIMAGE, b"")
    digest = sha256(kind + network_id + limits + bound + invocation).digest()
    if not verifies(payer, digest, raw[frame_end - 64 : frame_end]):
        return None
    nonce, expiration = struct.unpack(">qI", limits)
    operation_at = at - len(call) - _OPERATION_HEAD
    return Quick(payer, nonce, expiration, raw[operation_at : frame_end + len(invocation)])


def verifies(key: bytes, digest: bytes, signature: bytes) -> bool:
    """Whether the ed25519 signature over the digest is this key's."""
    try:
        crypto_sign_open(signature + digest, key)
    except BadSignatureError:
        return False
    return True
