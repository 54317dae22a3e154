from __future__ import annotations

import pytest
from pytest_django import Settings

from payments.authentication.tokens import Token, current_pepper, digest, new_token, read_token, same


def test_a_token_reads_back_as_it_was_written() -> None:
    token = new_token()
    assert read_token(token.text()) == token


@pytest.mark.parametrize(
    "text", ["", "lens_", "Bearer x", "lens_abc_def", f"lens_{'a' * 16}_{'g' * 64}", f" lens_{'a' * 16}_{'0' * 64}"]
)
def test_other_texts_are_no_tokens(text: str) -> None:
    assert read_token(text) is None


def test_the_secret_is_not_in_the_repr() -> None:
    token = new_token()
    assert token.secret not in repr(token)


def test_two_tokens_differ() -> None:
    assert new_token() != new_token()


def test_the_digest_depends_on_pepper_key_id_and_secret(settings: Settings) -> None:
    settings.KEY_PEPPERS = {"new": b"n" * 32, "old": b"o" * 32}
    token = Token("a" * 16, "0" * 64)
    digests = {
        digest(token, "new"),
        digest(token, "old"),
        digest(Token("b" * 16, "0" * 64), "new"),
        digest(Token("a" * 16, "1" * 64), "new"),
    }
    assert len(digests) == 4
    assert digest(token, "gone") is None
    assert current_pepper() == "new"


def test_comparison() -> None:
    assert same("abc", "abc")
    assert not same("abc", "abd")
