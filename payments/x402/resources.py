"""Whether the end of an envelope is well-formed: Soroban resources as a transfer has them, no signatures, nothing
after.

A facilitator takes nothing from the client's resources; they must only be XDR, so that a cut or lengthened envelope is
seen. What is rarer than a transfer's footprint is left to the XDR path.
"""

from __future__ import annotations

import struct

_CODE_BYTES = {1: 4, 2: 12}


class _Unknown(Exception):
    """Another shape than a transfer's."""


def is_soroban_data(raw: bytes, at: int) -> bool:
    """Whether from `at` on there is the transaction's extension, with or without resources, and an empty signature
    list.
    """
    try:
        version = _int(raw, at)
        at = _resources(raw, at + 4) if version == 1 else at + 4
        return version in (0, 1) and raw[at:] == b"\0\0\0\0"
    except (_Unknown, struct.error):
        return False


def _resources(raw: bytes, at: int) -> int:
    if _int(raw, at) != 0:
        raise _Unknown
    at = _keys(raw, _keys(raw, at + 4))
    return at + 20  # instructions, bytes read, bytes written, fee


def _keys(raw: bytes, at: int) -> int:
    count, at = _int(raw, at), at + 4
    if count > 100:
        raise _Unknown
    for _ in range(count):
        at = _key(raw, at)
    return at


def _key(raw: bytes, at: int) -> int:
    kind = _int(raw, at)
    if kind == 0:  # account
        return _zero(raw, at + 4) + 32
    if kind == 1:  # trustline
        at = _zero(raw, at + 4) + 32
        asset = _int(raw, at)
        if asset == 0:
            return at + 4
        size = _CODE_BYTES.get(asset)
        if size is None:
            raise _Unknown
        return _zero(raw, at + 4 + size) + 32
    if kind == 6:  # contract data, then its durability
        at = _value(raw, _address(raw, at + 4))
        if _int(raw, at) > 1:
            raise _Unknown
        return at + 4
    if kind == 7:  # contract code
        return at + 36
    raise _Unknown


def _address(raw: bytes, at: int) -> int:
    kind = _int(raw, at)
    if kind == 1:
        return at + 36
    return _zero(raw, _zero(raw, at)) + 32


def _value(raw: bytes, at: int, *, inside: bool = False) -> int:
    """A key of contract data: the instance, a nonce, or a vector of symbols and addresses such as a balance's."""
    kind = _int(raw, at)
    if kind == 20:
        return at + 4
    if kind == 21:
        return at + 12
    if kind == 18:
        return _address(raw, at + 4)
    if kind == 15:
        return _symbol(raw, at + 4)
    if kind == 16 and not inside and _int(raw, at + 4) == 1 and (count := _int(raw, at + 8)) <= 4:
        at += 12
        for _ in range(count):
            at = _value(raw, at, inside=True)
        return at
    raise _Unknown


def _symbol(raw: bytes, at: int) -> int:
    length = _int(raw, at)
    end = at + 4 + length + (-length % 4)
    if length > 32 or any(raw[at + 4 + length : end]):
        raise _Unknown
    return end


def _zero(raw: bytes, at: int) -> int:
    if _int(raw, at) != 0:
        raise _Unknown
    return at + 4


def _int(raw: bytes, at: int) -> int:
    return int(struct.unpack_from(">I", raw, at)[0])
