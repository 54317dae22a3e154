"""Addresses and raw keys, with the checksums of SEP-23."""

from __future__ import annotations

from hashlib import sha256

import pytest

from lensproject.core.stellar import addresses, networks, strkeys

ACCOUNT = "GCFIRY65OQE7DFP5KLNS2PF2LVZMUZYJX4OZIEQ36N2IQANUB5XVYOJR"
CONTRACT = "CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA"
MUXED = "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ"
WRONG = ["", "G", ACCOUNT[:-1] + "A", ACCOUNT.lower(), MUXED, ACCOUNT + "A", "S" + ACCOUNT[1:], "é" * 56]


def test_there_and_back() -> None:
    assert strkeys.account_address(strkeys.raw_account(ACCOUNT)) == ACCOUNT
    assert strkeys.contract_address(strkeys.raw_contract(CONTRACT)) == CONTRACT
    assert len(strkeys.raw_account(ACCOUNT)) == len(strkeys.raw_contract(CONTRACT)) == 32


@pytest.mark.parametrize("module", [addresses, strkeys])
def test_what_is_which(module: object) -> None:
    is_account, is_contract = vars(module)["is_account"], vars(module)["is_contract"]
    assert (is_account(ACCOUNT), is_contract(ACCOUNT)) == (True, False)
    assert (is_account(CONTRACT), is_contract(CONTRACT)) == (False, True)


@pytest.mark.parametrize("address", WRONG)
def test_what_is_neither(address: str) -> None:
    assert not strkeys.is_address(address)
    with pytest.raises(ValueError):  # noqa: PT011 - the SDK's words
        strkeys.raw_account(address)
    with pytest.raises(ValueError):  # noqa: PT011
        strkeys.raw_contract(address)


def test_one_kind_is_not_read_as_the_other() -> None:
    assert strkeys.is_address(ACCOUNT)
    assert strkeys.is_address(CONTRACT)
    with pytest.raises(ValueError, match="Invalid"):
        strkeys.raw_account(CONTRACT)
    with pytest.raises(ValueError, match="Invalid"):
        strkeys.raw_contract(ACCOUNT)


def test_networks_have_different_ids() -> None:
    assert networks.NETWORK_IDS.keys() == networks.PASSPHRASES.keys()
    assert len(set(networks.NETWORK_IDS.values())) == 3
    # The id of testnet, as every explorer shows it.
    assert networks.NETWORK_IDS[networks.TESTNET].hex() == (
        "cee0302d59844d32bdca915c8203dd44b33fbb7edc19051ea37abedf28ecd472"
    )
    assert networks.NETWORK_IDS[networks.PUBNET] == sha256(b"Public Global Stellar Network ; September 2015").digest()
