"""Authorisations of addresses: who must sign, until when, once, and exactly this call."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from stellar_sdk import Keypair, scval, xdr
from stellar_sdk.auth import authorize_entry, build_authorization_preimage
from stellar_sdk.utils import sha256

from payments.sandbox import entries
from tests.payments.sandbox.bench import NULL, Bench, operation_code, transfer_arguments


def refused(bench: Bench, entry: xdr.SorobanAuthorizationEntry, payer: Keypair, payee: str, units: int = 5) -> str:
    """The error of the enforcing simulation; the payer's money is where it was."""
    before = bench.units(payer)
    arguments = transfer_arguments(payer.public_key, payee, units)
    answer = bench.simulate(bench.call(NULL, "transfer", arguments, [entry], sequence=0))
    assert bench.units(payer) == before
    return str(answer["error"])


@pytest.mark.parametrize("upgraded", [False, True])
def test_recording_asks_for_a_signature_with_a_fresh_nonce(bench: Bench, upgraded: bool) -> None:
    payer, payee = bench.account(), bench.account("0")
    builder = bench.call(NULL, "transfer", transfer_arguments(payer.public_key, payee.public_key, 5), sequence=0)
    found = [
        xdr.SorobanAuthorizationEntry.from_xdr(
            bench.simulate(builder, useUpgradedAuth=upgraded)["results"][0]["auth"][0]
        )
        for _ in range(2)
    ]
    parts = [each.credentials.address_v2 if upgraded else each.credentials.address for each in found]
    assert all(part is not None for part in parts)
    first, second = (part for part in parts if part is not None)
    assert first.signature.type is xdr.SCValType.SCV_VOID
    assert first.signature_expiration_ledger.uint32 == 0
    assert first.nonce.int64 != second.nonce.int64
    assert found[0].root_invocation.sub_invocations == []


def test_the_source_account_needs_no_signature_of_its_own(bench: Bench) -> None:
    payer, payee = bench.account(), bench.account("0")
    builder = bench.call(payer.public_key, "transfer", transfer_arguments(payer.public_key, payee.public_key, 5))
    simulated = bench.simulate(builder)
    entry = xdr.SorobanAuthorizationEntry.from_xdr(simulated["results"][0]["auth"][0])
    assert entry.credentials.type is xdr.SorobanCredentialsType.SOROBAN_CREDENTIALS_SOURCE_ACCOUNT
    arguments = transfer_arguments(payer.public_key, payee.public_key, 5)
    assert bench.apply(bench.assembled(payer, arguments, entry, simulated["transactionData"])).succeeded
    assert bench.units(payee) == 5


def test_source_credentials_are_not_the_payers_when_another_sends(bench: Bench) -> None:
    payer, payee = bench.account(), bench.account("0")
    entry = bench.signed_transfer(payer, payee.public_key, 5)
    entry.credentials = xdr.SorobanCredentials(xdr.SorobanCredentialsType.SOROBAN_CREDENTIALS_SOURCE_ACCOUNT)
    assert refused(bench, entry, payer, payee.public_key).startswith("HostError: Error(Auth, InvalidAction)")


@pytest.mark.parametrize("upgraded", [False, True])
def test_an_authorisation_is_used_once(bench: Bench, upgraded: bool) -> None:
    payer, payee, sender = bench.account(), bench.account("0"), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, 5, upgraded=upgraded)
    assert bench.apply(bench.transfer(sender, entry, payer, payee.public_key, 5)).succeeded
    assert refused(bench, entry, payer, payee.public_key).startswith("HostError: Error(Auth, ExistingValue)")
    assert bench.units(payee) == 5


def test_of_two_sends_of_one_authorisation_in_one_ledger_the_second_fails(bench: Bench) -> None:
    payer, payee, one, two = bench.account(), bench.account("0"), bench.account(None), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, 5)
    sent = [bench.send(bench.transfer(sender, entry, payer, payee.public_key, 5)) for sender in (one, two)]
    assert [each.status for each in sent] == ["PENDING", "PENDING"]
    bench.node.close()
    rows = [bench.node.store.transaction(each.hash, bench.sequence) for each in sent]
    assert [row.succeeded for row in rows if row] == [True, False]
    assert rows[1] is not None
    assert operation_code(rows[1]) == "INVOKE_HOST_FUNCTION_TRAPPED"
    assert bench.units(payee) == 5


@pytest.mark.parametrize(("ledgers", "valid"), [(0, False), (1, True), (2, True)])
def test_expiration_counts_the_ledger_that_comes_next(bench: Bench, ledgers: int, valid: bool) -> None:
    payer, payee = bench.account(), bench.account("0")
    entry = bench.signed_transfer(payer, payee.public_key, 5, ledgers=ledgers)
    arguments = transfer_arguments(payer.public_key, payee.public_key, 5)
    answer = bench.simulate(bench.call(NULL, "transfer", arguments, [entry], sequence=0))
    assert ("error" not in answer) is valid
    assert valid or "signature has expired" in answer["error"]


def test_an_authorisation_is_good_in_its_last_ledger_and_not_after(bench: Bench) -> None:
    payer, payee, sender = bench.account(), bench.account("0"), bench.account(None)
    good = bench.signed_transfer(payer, payee.public_key, 5, ledgers=2)
    built = bench.transfer(sender, good, payer, payee.public_key, 5)
    bench.node.close()
    assert bench.apply(built).succeeded
    late = bench.signed_transfer(payer, payee.public_key, 5, ledgers=1)
    built = bench.transfer(sender, late, payer, payee.public_key, 5)
    bench.node.close()
    row = bench.apply(built)
    assert not row.succeeded
    assert bench.units(payee) == 5
    assert bench.node.store.get(nonce_key(payer, late)) is None


def test_an_expiration_beyond_the_longest_life_is_refused(bench: Bench) -> None:
    payer, payee = bench.account(), bench.account("0")
    entry = bench.signed_transfer(payer, payee.public_key, 5, ledgers=3_110_401)
    assert "expiration is too late" in refused(bench, entry, payer, payee.public_key)


@pytest.mark.parametrize("ttl", [16, 17_280])
def test_the_nonce_entry_lives_until_no_use_is_possible(tmp_path: Path, ttl: int) -> None:
    bench = Bench(tmp_path, minimum_temporary_ttl=ttl)
    payer, payee, sender = bench.account(), bench.account("0"), bench.account(None)
    for ledgers in (12, 30):
        entry = bench.signed_transfer(payer, payee.public_key, 5, ledgers=ledgers)
        expiration = bench.sequence + ledgers
        assert bench.apply(bench.transfer(sender, entry, payer, payee.public_key, 5)).succeeded
        found = bench.node.store.get(nonce_key(payer, entry))
        assert found is not None
        assert found.modified == bench.sequence
        assert found.live_until == max(expiration, bench.sequence + ttl - 1)
    bench.node.store.close()


def nonce_key(payer: Keypair, entry: xdr.SorobanAuthorizationEntry) -> bytes:
    part = entry.credentials.address or entry.credentials.address_v2
    assert part is not None
    return entries.nonce_key(payer.public_key, part.nonce.int64)


def test_a_signature_for_another_network_is_refused(bench: Bench) -> None:
    payer, payee = bench.account(), bench.account("0")
    entry = bench.signed_transfer(payer, payee.public_key, 5, passphrase="Test SDF Network ; September 2015")
    assert refused(bench, entry, payer, payee.public_key).startswith("HostError: Error(Crypto, InvalidInput)")


def test_a_stranger_cannot_sign_for_the_payer(bench: Bench) -> None:
    payer, payee = bench.account(), bench.account("0")
    entry = bench.signed_transfer(payer, payee.public_key, 5, signer=payee)
    assert "signature does not belong to the account" in refused(bench, entry, payer, payee.public_key)


def test_the_signed_call_must_be_the_one_that_is_made(bench: Bench) -> None:
    payer, payee = bench.account(), bench.account("0")
    entry = bench.signed_transfer(payer, payee.public_key, 5)
    assert refused(bench, entry, payer, payee.public_key, 6).startswith("HostError: Error(Auth, InvalidAction)")


def test_a_void_signature_is_no_signature(bench: Bench) -> None:
    payer, payee = bench.account(), bench.account("0")
    entry = bench.signed_transfer(payer, payee.public_key, 5)
    assert entry.credentials.address is not None
    entry.credentials.address.signature = scval.to_void()
    assert refused(bench, entry, payer, payee.public_key).startswith("HostError: Error(Auth, InvalidAction)")


def pair(keypair: Keypair, message: bytes) -> xdr.SCVal:
    return scval.to_map(
        {
            scval.to_symbol("public_key"): scval.to_bytes(keypair.raw_public_key()),
            scval.to_symbol("signature"): scval.to_bytes(keypair.sign(message)),
        }
    )


@pytest.mark.parametrize(
    "spoiled",
    [
        scval.to_vec([]),
        scval.to_vec([scval.to_void()]),
        scval.to_symbol("signature"),
        scval.to_vec([scval.to_map({scval.to_symbol("public_key"): scval.to_bytes(b"1" * 32)})]),
        scval.to_vec([pair(Keypair.random(), b"")] * 21),
    ],
)
def test_signatures_of_another_shape_are_refused(bench: Bench, spoiled: xdr.SCVal) -> None:
    payer, payee = bench.account(), bench.account("0")
    entry = bench.signed_transfer(payer, payee.public_key, 5)
    assert entry.credentials.address is not None
    entry.credentials.address.signature = spoiled
    assert refused(bench, entry, payer, payee.public_key).startswith("HostError: Error(Auth, InvalidAction)")


def with_signers(bench: Bench, medium: int) -> tuple[Keypair, Keypair]:
    """A payer whose second signer has weight 1, as its own key has."""
    payer, second = bench.account(), Keypair.random()
    bench.done(payer, lambda builder: builder.append_ed25519_public_key_signer(second.public_key, 1))
    bench.done(payer, lambda builder: builder.append_set_options_op(med_threshold=medium, high_threshold=medium))
    return payer, second


def signed_by(bench: Bench, payer: Keypair, payee: str, signers: list[Keypair]) -> xdr.SorobanAuthorizationEntry:
    entry = copy.deepcopy(bench.signed_transfer(payer, payee, 5))
    assert entry.credentials.address is not None
    expiration = entry.credentials.address.signature_expiration_ledger.uint32
    message = sha256(build_authorization_preimage(entry, expiration, bench.network.passphrase).to_xdr_bytes())
    entry.credentials.address.signature = scval.to_vec([pair(each, message) for each in signers])
    return entry


def test_two_signers_reach_a_medium_threshold_of_two(bench: Bench) -> None:
    payer, second = with_signers(bench, 2)
    payee, sender = bench.account("0"), bench.account(None)
    both = sorted([payer, second], key=Keypair.raw_public_key)
    entry = signed_by(bench, payer, payee.public_key, both)
    assert bench.apply(bench.transfer(sender, entry, payer, payee.public_key, 5)).succeeded
    assert bench.units(payee) == 5


def test_one_of_two_signers_does_not_reach_it(bench: Bench) -> None:
    payer, second = with_signers(bench, 2)
    payee = bench.account("0")
    for alone in (payer, second):
        entry = signed_by(bench, payer, payee.public_key, [alone])
        assert "weight is lower than the threshold" in refused(bench, entry, payer, payee.public_key)


def test_the_same_signer_twice_or_out_of_order_is_refused(bench: Bench) -> None:
    payer, second = with_signers(bench, 2)
    payee = bench.account("0")
    ordered = sorted([payer, second], key=Keypair.raw_public_key)
    for signers in ([payer, payer], ordered[::-1]):
        entry = signed_by(bench, payer, payee.public_key, signers)
        assert "not ordered or not unique" in refused(bench, entry, payer, payee.public_key)


def test_a_payer_that_is_no_account_cannot_authorise(bench: Bench) -> None:
    payee = bench.account("0")
    stranger = Keypair.random()
    arguments = transfer_arguments(stranger.public_key, payee.public_key, 5)
    recorded = bench.simulate(bench.call(NULL, "transfer", arguments, sequence=0))
    assert recorded["error"].startswith("HostError: Error(Contract, #13)")


def test_a_contract_cannot_pay_because_nothing_authorises_for_it(bench: Bench) -> None:
    payee = bench.account("0")
    arguments = transfer_arguments(bench.native, payee.public_key, 0)
    recorded = bench.simulate(bench.call(NULL, "transfer", arguments, sequence=0))
    entry = authorize_entry(recorded["results"][0]["auth"][0], payee, bench.sequence + 9, bench.network.passphrase)
    answer = bench.simulate(bench.call(NULL, "transfer", arguments, [entry], sequence=0))
    assert "no contract here can authorise" in answer["error"]


def test_authorisations_that_are_not_asked_for_stay_unused(bench: Bench) -> None:
    """As the host does: they are not checked, and their nonce is not consumed."""
    payer, payee, sender = bench.account(), bench.account("0"), bench.account(None)
    used = bench.signed_transfer(payer, payee.public_key, 5)
    spare = bench.signed_transfer(payer, payee.public_key, 6)
    arguments = transfer_arguments(payer.public_key, payee.public_key, 5)
    simulated = bench.simulate(bench.call(sender.public_key, "transfer", arguments, [spare, used]))
    builder = bench.call(sender.public_key, "transfer", arguments, [spare, used])
    built = builder.set_soroban_data(simulated["transactionData"]).build()
    built.sign(sender)
    assert bench.apply(built).succeeded
    assert bench.node.store.get(nonce_key(payer, used)) is not None
    assert bench.node.store.get(nonce_key(payer, spare)) is None
