"""Who has signed: weights of an account's signers, for transactions and for Soroban authorisations."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from stellar_sdk import Keypair, StrKey, xdr
from stellar_sdk.exceptions import BadSignatureError

from payments.sandbox.presence import present

LOW, MEDIUM, HIGH = 1, 2, 3
"""Where an account's thresholds have them; 0 is the master key's weight."""
_KIND = xdr.SignerKeyType


def is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether an ed25519 signature is good. A key that is no point of the curve signs nothing."""
    try:
        Keypair.from_raw_ed25519_public_key(public_key).verify(message, signature)
    except (BadSignatureError, ValueError):
        return False
    return True


def threshold(account: xdr.AccountEntry, level: int) -> int:
    return account.thresholds.thresholds[level]


def weight_of(account: xdr.AccountEntry, public_key: bytes) -> int:
    """The weight of an ed25519 key on the account: its master key's, a signer's, or 0."""
    if _raw(account.account_id) == public_key:
        return account.thresholds.thresholds[0]
    for signer in account.signers:
        if signer.key.type is _KIND.SIGNER_KEY_TYPE_ED25519 and _bytes(signer.key.ed25519) == public_key:
            return min(signer.weight.uint32, 255)
    return 0


def address_of(account: xdr.AccountID) -> str:
    return StrKey.encode_ed25519_public_key(_raw(account))


class Signatures:
    """The signatures of one transaction over its hash. A signature that serves nobody makes it invalid."""

    def __init__(self, transaction_hash: bytes, signatures: Sequence[xdr.DecoratedSignature]) -> None:
        self.hash = transaction_hash
        self.signatures = list(signatures)
        self.used: set[int] = set()

    def reach(self, account: xdr.AccountEntry, level: int) -> bool:
        """Whether the signers' weights reach the threshold. A threshold of 0 still wants one signer."""
        master = xdr.SignerKey(_KIND.SIGNER_KEY_TYPE_ED25519, ed25519=account.account_id.account_id.ed25519)
        signers = [xdr.Signer(master, xdr.Uint32(account.thresholds.thresholds[0])), *account.signers]
        return self._reach(signers, max(threshold(account, level), 1))

    def reach_key_alone(self, address: str) -> bool:
        """Whether the key of an address signed, where the account is not there to ask."""
        key = xdr.SignerKey(
            _KIND.SIGNER_KEY_TYPE_ED25519, ed25519=xdr.Uint256(StrKey.decode_ed25519_public_key(address))
        )
        return self._reach([xdr.Signer(key, xdr.Uint32(1))], 1)

    def holds(self, key: xdr.SignerKey) -> bool:
        """Whether an extra signer of the preconditions signed."""
        return self._reach([xdr.Signer(key, xdr.Uint32(1))], 1)

    def all_used(self) -> bool:
        return len(self.used) == len(self.signatures)

    def _reach(self, signers: list[xdr.Signer], needed: int) -> bool:
        total = 0
        for signer in signers:
            if signer.weight.uint32 and self._signed(signer.key):
                total += min(signer.weight.uint32, 255)
                if total >= needed:
                    return True
        return False

    def _signed(self, key: xdr.SignerKey) -> bool:
        if key.type is _KIND.SIGNER_KEY_TYPE_PRE_AUTH_TX:
            return _bytes(key.pre_auth_tx) == self.hash
        for number, decorated in enumerate(self.signatures):
            if self._matches(key, decorated):
                self.used.add(number)
                return True
        return False

    def _matches(self, key: xdr.SignerKey, decorated: xdr.DecoratedSignature) -> bool:
        signature, hint = decorated.signature.signature, decorated.hint.signature_hint
        if key.type is _KIND.SIGNER_KEY_TYPE_ED25519:
            public = _bytes(key.ed25519)
            return hint == public[-4:] and is_signed(public, self.hash, signature)
        if key.type is _KIND.SIGNER_KEY_TYPE_HASH_X:
            return sha256(signature).digest() == _bytes(key.hash_x)
        return False


def _raw(account: xdr.AccountID) -> bytes:
    return _bytes(account.account_id.ed25519)


def _bytes(value: xdr.Uint256 | None) -> bytes:
    return present(value).uint256
