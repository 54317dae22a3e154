"""What needs no node, by the numbers of the reference's section 11.1."""

from __future__ import annotations

from typing import Any

import pytest
from stellar_sdk import Asset, Keypair, Payment, scval, xdr

from lensproject.core.stellar.networks import TESTNET
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements
from payments.x402 import reasons, terms
from payments.x402.reasons import Refused
from tests.payments.x402 import golden, made
from tests.payments.x402.made import OTHER, arguments, call, entry, operation, paying, payment, transaction, with_auth

OWN = frozenset({golden.FACILITATOR})


def check(
    payload: PaymentPayload,
    requirements: PaymentRequirements | None = None,
    networks: tuple[str, ...] = (TESTNET,),
) -> terms.Checked:
    return terms.check(payload, requirements or made.terms(), networks=networks, own=OWN)


def refusal(*args: Any, **kwargs: Any) -> tuple[str, str | None]:
    with pytest.raises(Refused) as caught:
        check(*args, **kwargs)
    return caught.value.reason, caught.value.payer


@pytest.mark.parametrize("transaction", [pytest.param(golden.V1, id="V2"), pytest.param(golden.V2, id="V3")])
def test_good_payments_are_read(transaction: str) -> None:
    found = check(paying(transaction))
    assert (found.payer, found.nonce, found.expiration, found.units, found.network) == (
        golden.PAYER,
        golden.NONCE,
        golden.EXPIRATION,
        golden.AMOUNT,
        TESTNET,
    )


OFFERS = [
    pytest.param(paying(x402Version=1), {}, reasons.INVALID_VERSION, id="V4"),
    pytest.param(paying(accepted=made.terms(scheme="upto").write()), {}, reasons.UNSUPPORTED_SCHEME, id="V5"),
    pytest.param(paying(), {"scheme": "upto"}, reasons.UNSUPPORTED_SCHEME, id="V6"),
    pytest.param(paying(), {"network": "stellar:pubnet"}, reasons.NETWORK_MISMATCH, id="V7"),
    *(
        pytest.param(
            paying(accepted=made.terms(network=name).write()), {"network": name}, reasons.INVALID_NETWORK, id=id
        )
        for id, name in (("V8", "eip155:84532"), ("V9", "stellar:pubnet"))
    ),
    *(
        pytest.param(paying(), {"amount": amount}, reasons.INVALID_REQUIREMENTS, id=f"{id} {amount!r}")
        for id, amounts in {
            "V30": ["10000.0"],
            "V31": [" 10000 ", "0x2710", "+10000", "010000"],
            "V31b": ["1e4", "", "-10000", "0", str(2**63)],
        }.items()
        for amount in amounts
    ),
    pytest.param(paying(), {"maxTimeoutSeconds": 0}, reasons.INVALID_REQUIREMENTS, id="V68"),
    pytest.param(paying(), {"asset": "USDC:" + golden.PAY_TO}, reasons.INVALID_REQUIREMENTS, id="asset no contract"),
]


@pytest.mark.parametrize(("payload", "over", "reason"), OFFERS)
def test_offers_that_cannot_be_paid(payload: PaymentPayload, over: dict[str, Any], reason: str) -> None:
    assert refusal(payload, made.terms(**over)) == (reason, None)


CLASSIC = Payment(golden.PAY_TO, Asset.native(), "1")
UPLOAD = xdr.HostFunction(xdr.HostFunctionType.HOST_FUNCTION_TYPE_UPLOAD_CONTRACT_WASM, wasm=b"\0asm")


def uploading(tx: xdr.Transaction) -> None:
    body = tx.operations[0].body.invoke_host_function_op
    assert body is not None
    body.host_function = UPLOAD


def muxed_source(tx: xdr.Transaction) -> None:
    key = xdr.Uint256(made.FACILITATOR.raw_public_key())
    med = xdr.MuxedAccountMed25519(xdr.Uint64(7), key)
    tx.source_account = xdr.MuxedAccount(xdr.CryptoKeyType.KEY_TYPE_MUXED_ED25519, med25519=med)


RIGHT = operation(call(), [entry(call())])
BYTES = [
    pytest.param({}, reasons.MALFORMED, id="V10"),
    pytest.param({"transaction": "AAAA"}, reasons.MALFORMED, id="V11"),
    pytest.param({"transaction": 7}, reasons.MALFORMED, id="V12"),
    pytest.param({"transaction": made.fee_bump()}, reasons.MALFORMED, id="V13"),
    pytest.param({"transaction": golden.V1[:-4]}, reasons.MALFORMED, id="V14 cut"),
    pytest.param({"transaction": golden.V1 + "AAAA"}, reasons.MALFORMED, id="V14 longer"),
    pytest.param({"transaction": made.version_0()}, reasons.MALFORMED, id="V14 version 0"),
    pytest.param({"transaction": transaction(RIGHT, RIGHT)}, reasons.WRONG_OPERATION, id="V15"),
    pytest.param({"transaction": transaction(CLASSIC)}, reasons.WRONG_OPERATION, id="V16"),
    pytest.param({"transaction": transaction(change=uploading)}, reasons.WRONG_OPERATION, id="V17"),
    pytest.param({"transaction": transaction(source=golden.FACILITATOR)}, reasons.UNSAFE_SOURCE, id="V18"),
    pytest.param({"transaction": transaction(change=muxed_source)}, reasons.UNSAFE_SOURCE, id="V18 muxed"),
    pytest.param(
        {"transaction": transaction(operation(call(), [entry(call())], golden.FACILITATOR))},
        reasons.UNSAFE_SOURCE,
        id="V19",
    ),
    pytest.param(
        {"transaction": payment(asset=Asset.native().contract_id(made.PASSPHRASE))}, reasons.WRONG_ASSET, id="V21"
    ),
    pytest.param({"transaction": payment(function="mint")}, reasons.WRONG_FUNCTION, id="V22"),
    pytest.param({"transaction": payment([*arguments(), scval.to_void()])}, reasons.WRONG_FUNCTION, id="V23"),
    pytest.param(
        {"transaction": payment(arguments(from_=golden.FACILITATOR), signer=made.FACILITATOR)},
        reasons.FACILITATOR_IS_PAYER,
        id="V24",
    ),
    pytest.param({"transaction": golden.V1.replace("+", "-").replace("/", "_")}, reasons.MALFORMED, id="V69 url-safe"),
    pytest.param({"transaction": golden.V1[:40] + "\n" + golden.V1[40:]}, reasons.MALFORMED, id="V69 newline"),
    pytest.param({"transaction": "A" * 64_004}, reasons.MALFORMED, id="64 kB"),
    pytest.param({"transaction": golden.V1[:-4] + "AAB="}, reasons.MALFORMED, id="another base64 of the same bytes"),
    pytest.param({"transaction": "Ä" + golden.V1[1:]}, reasons.MALFORMED, id="not ASCII"),
]


@pytest.mark.parametrize(("payload", "reason"), BYTES)
def test_bytes_that_are_no_payment_of_a_known_payer(payload: dict[str, Any], reason: str) -> None:
    assert refusal(paying(payload=payload)) == (reason, None)


SUB = made.invocation(call(arguments(amount=1)))
SOURCE_ACCOUNT = xdr.SorobanAuthorizationEntry(
    xdr.SorobanCredentials(made.CREDENTIALS.SOROBAN_CREDENTIALS_SOURCE_ACCOUNT), made.invocation(call())
)
CALLS = [
    pytest.param(payment(arguments(to=OTHER.public_key)), reasons.WRONG_RECIPIENT, id="V25"),
    pytest.param(payment(arguments(amount=10_001)), reasons.WRONG_AMOUNT, id="V26"),
    pytest.param(payment(arguments(amount=9_999)), reasons.WRONG_AMOUNT, id="V27"),
    pytest.param(payment(arguments(amount=scval.to_uint64(10_000))), reasons.WRONG_AMOUNT, id="V28 u64"),
    pytest.param(payment(arguments(amount=scval.to_uint128(10_000))), reasons.WRONG_AMOUNT, id="V28 u128"),
    pytest.param(payment(arguments(amount=-10_000)), reasons.WRONG_AMOUNT, id="V29"),
    pytest.param(payment(arguments(amount=2**64 + 10_000)), reasons.WRONG_AMOUNT, id="V29 high half"),
    pytest.param(with_auth(), reasons.NO_AUTH_ENTRIES, id="V45"),
    pytest.param(with_auth(SOURCE_ACCOUNT), reasons.UNSUPPORTED_CREDENTIAL, id="V46"),
    pytest.param(with_auth(entry(call(), signer=None)), reasons.MISSING_PAYER_SIGNATURE, id="V47"),
    pytest.param(
        with_auth(entry(call()), entry(call(), signer=None, address=OTHER.public_key)),
        reasons.UNEXPECTED_PENDING,
        id="V48",
    ),
    pytest.param(
        with_auth(entry(call()), entry(call(), signer=made.FACILITATOR)), reasons.FACILITATOR_IN_AUTH, id="V49"
    ),
    pytest.param(with_auth(entry(call(), below=[SUB])), reasons.HAS_SUBINVOCATIONS, id="V50"),
    pytest.param(with_auth(entry(call(), signer=OTHER)), reasons.MISSING_PAYER_SIGNATURE, id="V56"),
    pytest.param(made.patched(golden.V1, 430, b"\xff"), reasons.MISSING_PAYER_SIGNATURE, id="V57"),
    pytest.param(
        payment(passphrase="Public Global Stellar Network ; September 2015"),
        reasons.MISSING_PAYER_SIGNATURE,
        id="V58",
    ),
    pytest.param(
        with_auth(entry(call(arguments(amount=1)))), reasons.MISSING_PAYER_SIGNATURE, id="V59 authorises another call"
    ),
    pytest.param(with_auth(entry(call()), entry(call(), nonce=43)), reasons.MISSING_PAYER_SIGNATURE, id="V60 twice"),
]


@pytest.mark.parametrize(("transaction", "reason"), CALLS)
def test_calls_that_are_not_the_payment_asked_for(transaction: str, reason: str) -> None:
    assert refusal(paying(transaction)) == (reason, golden.PAYER)


def test_v61_what_was_accepted_is_the_sellers_to_match() -> None:
    assert check(paying(accepted=made.terms(amount="1", payTo=golden.PAYER).write())).payer == golden.PAYER


def test_v62_sponsored_fees_are_the_clients_to_ask_for() -> None:
    assert check(paying(), made.terms(extra={"areFeesSponsored": False})).payer == golden.PAYER


@pytest.mark.parametrize("pay_to", [golden.PAY_TO.lower(), "M" + golden.PAY_TO[1:], ""])
def test_v72_pay_to_is_compared_exactly(pay_to: str) -> None:
    assert refusal(paying(), made.terms(payTo=pay_to)) == (reasons.WRONG_RECIPIENT, golden.PAYER)


def test_operation_source_of_somebody_else_is_dropped() -> None:
    found = check(paying(transaction(operation(call(), [entry(call())], OTHER.public_key))))
    assert found.operation == check(paying()).operation


def test_a_contract_may_be_paid_and_may_pay() -> None:
    contract = Asset.native().contract_id(made.PASSPHRASE)
    to_contract = check(paying(payment(arguments(to=contract))), made.terms(payTo=contract))
    assert to_contract.payer == golden.PAYER

    of = call(arguments(from_=contract))
    signed = entry(of, signer=None, address=contract)
    assert signed.credentials.address is not None
    unsigned = paying(transaction(operation(of, [signed])))
    assert refusal(unsigned) == (reasons.MISSING_PAYER_SIGNATURE, contract)
    signed.credentials.address.signature = scval.to_bytes(b"what its code asks for")
    # What a contract's signature is worth, only its own code can say.
    assert check(paying(transaction(operation(of, [signed])))).payer == contract


def test_several_signers_are_checked_one_by_one() -> None:
    signed = entry(call())
    assert signed.credentials.address is not None
    digest = bytes.fromhex(golden.PREIMAGE_HASH)

    def vector(*keys: Keypair) -> xdr.SCVal:
        maps = [
            scval.to_map(
                {
                    scval.to_symbol("public_key"): scval.to_bytes(key.raw_public_key()),
                    scval.to_symbol("signature"): scval.to_bytes(key.sign(digest)),
                }
            )
            for key in keys
        ]
        return scval.to_vec(maps)

    keys = sorted((made.PAYER, OTHER), key=lambda key: key.raw_public_key())
    signed.credentials.address.signature = vector(*keys)
    assert check(paying(with_auth(signed))).payer == golden.PAYER
    for wrong in (keys[::-1], [keys[0], keys[0]], []):
        signed.credentials.address.signature = vector(*wrong)
        assert refusal(paying(with_auth(signed))) == (reasons.MISSING_PAYER_SIGNATURE, golden.PAYER)
    signed.credentials.address.signature = scval.to_bytes(b"no vector")
    assert refusal(paying(with_auth(signed))) == (reasons.MISSING_PAYER_SIGNATURE, golden.PAYER)
