"""Who signed an authorisation, checked here without a node (design: facilitator, Verification).

Every signature in the vector must be valid for the key that it names, the keys strictly ascending. Whether those keys
may sign for the payer is the account's matter (signers and thresholds) and is left to the enforcing simulation. A
contract's signature is what its own code says: simulation only.
"""

from __future__ import annotations

from hashlib import sha256

from stellar_sdk import xdr

from lensproject.core.stellar.strkeys import is_account
from payments.x402.envelope import Authorisation
from payments.x402.shape import verifies


def preimage(entry: xdr.SorobanAuthorizationEntry, network_id: bytes) -> bytes:
    """The XDR whose SHA-256 is signed: of the legacy form, or of the form that binds the address (CAP-71)."""
    bound = entry.credentials.address_v2
    credentials = bound or entry.credentials.address
    if credentials is None:
        raise ValueError("only address credentials are signed")
    network, nonce = xdr.Hash(network_id), credentials.nonce
    last, call = credentials.signature_expiration_ledger, entry.root_invocation
    kinds = xdr.EnvelopeType
    if bound is None:
        legacy = xdr.HashIDPreimageSorobanAuthorization(network, nonce, last, invocation=call)
        whole = xdr.HashIDPreimage(kinds.ENVELOPE_TYPE_SOROBAN_AUTHORIZATION, soroban_authorization=legacy)
    else:
        newer = xdr.HashIDPreimageSorobanAuthorizationWithAddress(
            network, nonce, last, address=bound.address, invocation=call
        )
        whole = xdr.HashIDPreimage(
            kinds.ENVELOPE_TYPE_SOROBAN_AUTHORIZATION_WITH_ADDRESS, soroban_authorization_with_address=newer
        )
    return whole.to_xdr_bytes()


def is_rightly_signed(authorisation: Authorisation, network_id: bytes) -> bool:
    """Whether the signature is there and, for an account, made by the keys that it names over this very entry."""
    if authorisation.signature is None:
        return False
    if not is_account(authorisation.address):
        return True
    signatures = _vector(authorisation.signature)
    if not signatures:
        return False
    keys = [key for key, _ in signatures]
    digest = sha256(preimage(authorisation.entry, network_id)).digest()
    return sorted(set(keys)) == keys and all(verifies(key, digest, signature) for key, signature in signatures)


def _vector(value: xdr.SCVal) -> list[tuple[bytes, bytes]] | None:
    """Keys and signatures of an account's signature value; None when it is no vector of such maps."""
    if value.vec is None:
        return None
    pairs = [_pair(item) for item in value.vec.sc_vec]
    return [pair for pair in pairs if pair is not None] if None not in pairs else None


def _pair(item: xdr.SCVal) -> tuple[bytes, bytes] | None:
    entries = item.map.sc_map if item.map is not None else []
    fields = [
        (entry.key.sym.sc_symbol, entry.val.bytes.sc_bytes)
        for entry in entries
        if entry.key.sym is not None and entry.val.bytes is not None
    ]
    if [name for name, _ in fields] != [b"public_key", b"signature"] or len(entries) != 2:
        return None
    key, signature = fields[0][1], fields[1][1]
    return (key, signature) if len(key) == 32 and len(signature) == 64 else None
