from __future__ import annotations

import pytest

from lensproject.core.stellar.addresses import is_account
from lensproject.core.stellar.keypairs import account_of_seed


def test_the_account_of_a_seed_is_its_ed25519_public_key() -> None:
    # The public key of the seed of zeros is 3b6a27bc…59da29 (RFC 8032's arithmetic), here in strkey.
    assert account_of_seed(bytes(32)) == "GA5WUJ54Z23KILLCUOUNAKTPBVZWKMQVO4O6EQ5GHLAERIMLLHNCSKYH"


def test_another_seed_is_another_account_and_the_same_one_always_the_same() -> None:
    assert is_account(account_of_seed(b"\x01" * 32))
    assert account_of_seed(b"\x01" * 32) != account_of_seed(bytes(32))
    assert account_of_seed(b"\x01" * 32) == account_of_seed(b"\x01" * 32)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_seed_of_another_length_is_refused_without_being_repeated(length: int) -> None:
    with pytest.raises(ValueError, match="32") as refused:
        account_of_seed(b"\x07" * length)
    assert "\\x07" not in str(refused.value)
