"""Payments made with stellar-sdk, none of our own code: as a client sends them, or with one thing changed."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any

from stellar_sdk import (
    Address,
    FeeBumpTransaction,
    FeeBumpTransactionEnvelope,
    InvokeHostFunction,
    Keypair,
    MuxedAccount,
    Operation,
    TransactionEnvelope,
    scval,
    xdr,
)
from stellar_sdk.auth import authorize_entry

from lensproject.core.stellar.networks import PASSPHRASES, TESTNET
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements
from tests.payments.x402 import golden

PAYER = Keypair.from_raw_ed25519_seed(golden.PAYER_SEED)
PAY_TO = Keypair.from_raw_ed25519_seed(golden.PAY_TO_SEED)
FACILITATOR = Keypair.from_raw_ed25519_seed(golden.FACILITATOR_SEED)
OTHER = Keypair.from_raw_ed25519_seed(b"\x04" * 32)
PASSPHRASE = PASSPHRASES[TESTNET]
CREDENTIALS = xdr.SorobanCredentialsType
AUTHORISED_FUNCTION = xdr.SorobanAuthorizedFunctionType.SOROBAN_AUTHORIZED_FUNCTION_TYPE_CONTRACT_FN

Args = list[xdr.SCVal]


def terms(**over: Any) -> PaymentRequirements:
    fields = {
        "scheme": "exact",
        "network": TESTNET,
        "amount": str(golden.AMOUNT),
        "asset": golden.ASSET,
        "payTo": golden.PAY_TO,
        "maxTimeoutSeconds": 60,
        "extra": {"areFeesSponsored": True},
    }
    return PaymentRequirements.read({key: value for key, value in (fields | over).items() if value is not None})


def paying(transaction: Any = golden.V1, **over: Any) -> PaymentPayload:
    """A payload; `transaction` goes into it as it is."""
    fields = {
        "x402Version": 2,
        "accepted": terms().write(),
        "payload": {"transaction": transaction},
        "resource": {"url": "https://weather.example/weather/Oslo"},
    }
    return PaymentPayload.read(fields | over)


def arguments(*, from_: str = golden.PAYER, to: str = golden.PAY_TO, amount: xdr.SCVal | int = golden.AMOUNT) -> Args:
    return [
        scval.to_address(from_),
        scval.to_address(to),
        amount if isinstance(amount, xdr.SCVal) else scval.to_int128(amount),
    ]


def call(args: Args | None = None, *, asset: str = golden.ASSET, function: str = "transfer") -> xdr.InvokeContractArgs:
    name = xdr.SCSymbol(function.encode())
    return xdr.InvokeContractArgs(Address(asset).to_xdr_sc_address(), name, args or arguments())


def entry(
    of: xdr.InvokeContractArgs,
    *,
    signer: Keypair | None = PAYER,
    address: str = "",
    nonce: int = golden.NONCE,
    expiration: int = golden.EXPIRATION,
    below: Sequence[xdr.SorobanAuthorizedInvocation] = (),
    passphrase: str = PASSPHRASE,
    with_address: bool = False,
) -> xdr.SorobanAuthorizationEntry:
    """An authorisation of `signer`, or, without one, of `address` and unsigned."""
    credentials = xdr.SorobanAddressCredentials(
        Address(address or (signer or PAYER).public_key).to_xdr_sc_address(),
        xdr.Int64(nonce),
        xdr.Uint32(expiration),
        scval.to_void(),
    )
    held = (
        xdr.SorobanCredentials(CREDENTIALS.SOROBAN_CREDENTIALS_ADDRESS_V2, address_v2=credentials)
        if with_address
        else xdr.SorobanCredentials(CREDENTIALS.SOROBAN_CREDENTIALS_ADDRESS, address=credentials)
    )
    made = xdr.SorobanAuthorizationEntry(held, invocation(of, below))
    return made if signer is None else authorize_entry(made, signer, expiration, passphrase)


def invocation(
    of: xdr.InvokeContractArgs, below: Sequence[xdr.SorobanAuthorizedInvocation] = ()
) -> xdr.SorobanAuthorizedInvocation:
    return xdr.SorobanAuthorizedInvocation(
        xdr.SorobanAuthorizedFunction(AUTHORISED_FUNCTION, contract_fn=of), list(below)
    )


def operation(
    of: xdr.InvokeContractArgs, auth: Sequence[xdr.SorobanAuthorizationEntry], source: str | None = None
) -> InvokeHostFunction:
    kind = xdr.HostFunctionType.HOST_FUNCTION_TYPE_INVOKE_CONTRACT
    return InvokeHostFunction(xdr.HostFunction(kind, invoke_contract=of), list(auth), source)


def transaction(
    *operations: Operation,
    source: str | None = None,
    change: Callable[[xdr.Transaction], None] | None = None,
) -> str:
    """The golden envelope with other operations, another source, or a change that is made to its XDR. Base64."""
    envelope = TransactionEnvelope.from_xdr(golden.V1, PASSPHRASE)
    if operations:
        envelope.transaction.operations = list(operations)
    if source is not None:
        envelope.transaction.source = MuxedAccount(source)
    read = envelope.to_xdr_object()
    assert read.v1 is not None
    if change is not None:
        change(read.v1.tx)
    return read.to_xdr()


def payment(args: Args | None = None, *, asset: str = golden.ASSET, function: str = "transfer", **how: Any) -> str:
    """A transaction whose call is this and is rightly signed; `how` goes to `entry`."""
    of = call(args, asset=asset, function=function)
    return transaction(operation(of, [entry(of, **how)]))


def with_auth(*entries: xdr.SorobanAuthorizationEntry) -> str:
    """The right call with these authorisations."""
    return transaction(operation(call(), entries))


def fee_bump() -> str:
    inner = TransactionEnvelope.from_xdr(golden.V1, PASSPHRASE)
    bump = FeeBumpTransaction(OTHER.public_key, 100_000, inner)
    return FeeBumpTransactionEnvelope(bump, PASSPHRASE).to_xdr()


def version_0() -> str:
    read = xdr.TransactionEnvelope.from_xdr(golden.V1)
    assert read.v1 is not None
    tx = read.v1.tx
    assert tx.source_account.ed25519 is not None
    old = xdr.TransactionV0(
        tx.source_account.ed25519,
        tx.fee,
        tx.seq_num,
        tx.cond.time_bounds,
        tx.memo,
        tx.operations,
        xdr.TransactionV0Ext(0),
    )
    kind = xdr.EnvelopeType.ENVELOPE_TYPE_TX_V0
    return xdr.TransactionEnvelope(kind, v0=xdr.TransactionV0Envelope(old, [])).to_xdr()


def patched(transaction: str, at: int, value: bytes) -> str:
    raw = bytearray(base64.b64decode(transaction))
    raw[at : at + len(value)] = value
    return base64.b64encode(raw).decode("ascii")
