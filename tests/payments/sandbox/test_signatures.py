"""Weights of signers, without a ledger around them."""

from __future__ import annotations

import pytest
from stellar_sdk import Keypair, xdr
from stellar_sdk.signer_key import SignerKey

from payments.sandbox import entries
from payments.sandbox.signatures import HIGH, LOW, MEDIUM, Signatures, address_of, is_signed, threshold, weight_of

HASH = bytes(range(32))
OWNER, SECOND, STRANGER = (Keypair.from_raw_ed25519_seed(bytes([number]) * 32) for number in (7, 8, 9))


def account(master: int = 1, low: int = 0, medium: int = 0, high: int = 0, **signers: int) -> xdr.AccountEntry:
    """OWNER's account; `SECOND=2` gives the second key a weight of 2."""
    made = entries.new_account(OWNER.public_key, 0, 0).account
    assert made is not None
    made.thresholds = xdr.Thresholds(bytes((master, low, medium, high)))
    keys = {"second": SECOND}
    made.signers = [
        xdr.Signer(SignerKey.ed25519_public_key(keys[name].public_key).to_xdr_object(), xdr.Uint32(weight))
        for name, weight in signers.items()
    ]
    return made


def signed(*signers: Keypair, message: bytes = HASH) -> Signatures:
    return Signatures(HASH, [each.sign_decorated(message).to_xdr_object() for each in signers])


def test_an_address_comes_from_its_account() -> None:
    assert address_of(account().account_id) == OWNER.public_key


@pytest.mark.parametrize(("level", "expected"), [(LOW, 1), (MEDIUM, 2), (HIGH, 3)])
def test_thresholds_by_level(level: int, expected: int) -> None:
    assert threshold(account(low=1, medium=2, high=3), level) == expected


def test_weights_by_key() -> None:
    held = account(master=3, second=5)
    found = [weight_of(held, each.raw_public_key()) for each in (OWNER, SECOND, STRANGER)]
    assert found == [3, 5, 0]


def test_a_weight_counts_up_to_255() -> None:
    assert weight_of(account(second=2**31), SECOND.raw_public_key()) == 255


def test_a_good_signature_and_bad_ones() -> None:
    signature = OWNER.sign(HASH)
    assert is_signed(OWNER.raw_public_key(), HASH, signature)
    assert not is_signed(OWNER.raw_public_key(), HASH[::-1], signature)
    assert not is_signed(SECOND.raw_public_key(), HASH, signature)
    assert not is_signed(OWNER.raw_public_key(), HASH, bytes(64))
    assert not is_signed(OWNER.raw_public_key(), HASH, b"")
    assert not is_signed(bytes(32), HASH, signature)
    assert not is_signed(b"\xff" * 32, HASH, signature)


@pytest.mark.parametrize(
    ("held", "signers", "level", "reached"),
    [
        (account(), (OWNER,), LOW, True),
        (account(), (), LOW, False),
        (account(), (STRANGER,), LOW, False),
        (account(master=0), (OWNER,), LOW, False),
        (account(medium=2), (OWNER,), LOW, True),
        (account(medium=2), (OWNER,), MEDIUM, False),
        (account(medium=2, second=1), (OWNER, SECOND), MEDIUM, True),
        (account(medium=2, second=1), (SECOND,), MEDIUM, False),
        (account(medium=2, second=2), (SECOND,), MEDIUM, True),
        (account(medium=2, second=0), (SECOND,), LOW, False),
        (account(medium=2), (OWNER, OWNER), MEDIUM, False),
        (account(high=255, master=255), (OWNER,), HIGH, True),
        (account(high=255, master=254), (OWNER,), HIGH, False),
    ],
    ids=[f"case {number}" for number in range(13)],
)
def test_who_reaches_a_threshold(
    held: xdr.AccountEntry, signers: tuple[Keypair, ...], level: int, reached: bool
) -> None:
    assert signed(*signers).reach(held, level) is reached


def test_a_signature_over_something_else_reaches_nothing() -> None:
    assert not signed(OWNER, message=HASH[::-1]).reach(account(), LOW)


def test_a_signature_that_served_nobody_is_noticed() -> None:
    signatures = signed(OWNER, SECOND)
    assert signatures.reach(account(), LOW)
    assert not signatures.all_used()
    assert signatures.reach_key_alone(SECOND.public_key)
    assert signatures.all_used()


def test_a_key_alone() -> None:
    assert signed(OWNER).reach_key_alone(OWNER.public_key)
    assert not signed(OWNER).reach_key_alone(SECOND.public_key)


def test_a_whole_transaction_as_a_signer() -> None:
    one, other = (
        xdr.SignerKey(xdr.SignerKeyType.SIGNER_KEY_TYPE_PRE_AUTH_TX, pre_auth_tx=xdr.Uint256(each))
        for each in (HASH, HASH[::-1])
    )
    assert signed().holds(one)
    assert not signed().holds(other)
    assert signed().all_used()
