"""Secrets of accounts: in files that nobody else can read, or in the setting, and never in a message."""

from __future__ import annotations

from pathlib import Path

import pytest
from nacl.signing import VerifyKey
from pydantic import SecretStr
from pytest_django import Settings
from stellar_sdk import Keypair

from payments.facilitator.keys import KeyUnusable, seed, signer

KEYPAIR = Keypair.from_raw_ed25519_seed(b"\x07" * 32)
SEED = KEYPAIR.raw_secret_key()


@pytest.fixture
def keys(tmp_path: Path, settings: Settings) -> Path:
    settings.LENS = settings.LENS.model_copy(update={"var": tmp_path, "facilitator_key": None})
    folder = tmp_path / "keys"
    folder.mkdir()
    return folder


def write(path: Path, text: str, mode: int = 0o600) -> None:
    path.write_text(text)
    path.chmod(mode)


def test_a_file_signs_for_its_account(keys: Path) -> None:
    write(keys / "facilitator", SEED.hex() + "\n")

    signature = signer("facilitator", KEYPAIR.public_key)(b"\x01" * 32)

    assert VerifyKey(KEYPAIR.raw_public_key()).verify(b"\x01" * 32, signature) == b"\x01" * 32


def test_the_setting_replaces_the_file_of_that_name_only(keys: Path, settings: Settings) -> None:
    settings.LENS = settings.LENS.model_copy(update={"facilitator_key": SecretStr(SEED.hex())})

    assert seed("facilitator") == SEED
    with pytest.raises(KeyUnusable, match="channel_2 cannot be read"):
        seed("channel_2")


def test_the_key_of_another_account_is_refused(keys: Path) -> None:
    write(keys / "facilitator", SEED.hex())
    with pytest.raises(KeyUnusable, match="is of another account"):
        signer("facilitator", Keypair.random().public_key)


def test_a_key_that_others_can_read_is_refused(keys: Path) -> None:
    write(keys / "facilitator", SEED.hex(), 0o640)
    with pytest.raises(KeyUnusable, match="0600"):
        seed("facilitator")


@pytest.mark.parametrize("text", ["", "zz", SEED.hex()[:-2], KEYPAIR.secret, "é"])
def test_what_is_no_seed_is_refused_without_repeating_it(keys: Path, text: str) -> None:
    write(keys / "facilitator", text)
    with pytest.raises(KeyUnusable) as refusal:
        seed("facilitator")
    assert not text or text not in str(refusal.value)


def test_a_key_that_is_not_there_is_refused(keys: Path) -> None:
    with pytest.raises(KeyUnusable, match="facilitator cannot be read"):
        seed("facilitator")
