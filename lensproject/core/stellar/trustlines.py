"""Opening a trustline: one classic transaction of the account that wants to hold an asset."""

from __future__ import annotations


def trust(seed: bytes, code: str, issuer: str, *, passphrase: str, sequence: int, fee: int = 1_000) -> tuple[str, str]:
    """A signed envelope (base64) and its hash. `seed` is the account's, `sequence` the last one that it used."""
    from stellar_sdk import Account, Asset, Keypair, TransactionBuilder  # Half a second to import.

    keypair = Keypair.from_raw_ed25519_seed(seed)
    builder = TransactionBuilder(Account(keypair.public_key, sequence), passphrase, base_fee=fee)
    transaction = builder.append_change_trust_op(Asset(code, issuer)).set_timeout(120).build()
    transaction.sign(keypair)
    return transaction.to_xdr(), transaction.hash_hex()
