from __future__ import annotations

from stellar_sdk import ChangeTrust, Keypair, TransactionEnvelope

from lensproject.core.stellar.networks import LOCAL, PASSPHRASES
from lensproject.core.stellar.trustlines import trust
from tests.builders.numbers import account

KEYPAIR = Keypair.from_raw_ed25519_seed(b"\x05" * 32)


def test_it_is_one_signed_change_of_trust() -> None:
    envelope, hash = trust(KEYPAIR.raw_secret_key(), "USDC", account(1), passphrase=PASSPHRASES[LOCAL], sequence=7)

    read = TransactionEnvelope.from_xdr(envelope, PASSPHRASES[LOCAL])
    (operation,) = read.transaction.operations
    assert isinstance(operation, ChangeTrust)
    assert (operation.asset.code, operation.asset.issuer) == ("USDC", account(1))  # type: ignore[union-attr]
    assert read.transaction.source.account_id == KEYPAIR.public_key
    assert read.transaction.sequence == 8
    assert read.hash_hex() == hash
    KEYPAIR.verify(read.hash(), read.signatures[0].signature)
