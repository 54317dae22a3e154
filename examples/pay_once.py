#!/usr/bin/env python
"""Pays for one request by x402: asks, signs what is asked for with a key of its own, and shows what moved.

    .venv/bin/python examples/pay_once.py [URL] [--key FILE] [--ledger URL]

Without arguments everything is that of a `make run` that is up (var/run.json). The key is a file of mode 0600 with the
seed of an account in hex, made when it is not there; nobody but this script reads it. On the local ledger the script
opens the account too: play money from the friendbot, a trustline, and some of the asset from the faucet.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import sys
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from stellar_sdk import Account, Asset, Keypair, SorobanServer, TransactionBuilder, xdr
from stellar_sdk.exceptions import AccountNotFoundException

from lensproject.core.stellar.networks import PASSPHRASES
from lensproject.core.stellar.rpc import Node
from lensproject.core.x402.codec import (
    PAYMENT_REQUIRED,
    PAYMENT_RESPONSE,
    PAYMENT_SIGNATURE,
    decode_header,
    encode_header,
)
from lensproject.core.x402.wire import PaymentRequired, PaymentRequirements
from payments.x402.client import Unsigned, pay

VAR = Path(__file__).resolve().parent.parent / "var"
CITY = "Berlin"
SECONDS = 60
DECIMALS = 7
POCKET_MONEY = "10"

Headers = dict[str, str]


class NotPaid(Exception):
    """What kept the payment from being made, in words."""


@dataclass(frozen=True)
class Ledger:
    """A ledger of the sandbox, as it describes itself."""

    url: str
    asset: Asset
    passphrase: str

    def units(self, address: str) -> int:
        """What an account holds of the asset; 0 without a trustline."""
        account = Keypair.from_public_key(address).xdr_account_id()
        line = xdr.LedgerKeyTrustLine(account, self.asset.to_trust_line_asset_xdr_object())
        key = xdr.LedgerKey(xdr.LedgerEntryType.TRUSTLINE, trust_line=line)
        with SorobanServer(self.url) as server:
            entries = server.get_ledger_entries([key]).entries or []
        found = xdr.LedgerEntryData.from_xdr(entries[0].xdr).trust_line if entries else None
        return found.balance.int64 if found else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Pay for one request by x402, on the local ledger.")
    parser.add_argument("url", nargs="?", help="what to buy (default: the weather of the demo seller)")
    parser.add_argument("--key", type=Path, default=VAR / "keys" / "demo_payer", help="file with the payer's seed")
    parser.add_argument("--ledger", help="URL of the local ledger (default: that of var/run.json)")
    options = parser.parse_args()
    run = _run_file()
    url = options.url or (f"{run['sellerUrl']}/weather/{CITY}" if run.get("sellerUrl") else None)
    ledger_url = options.ledger or run.get("rpcUrl")
    if not url or not ledger_url:
        parser.error("name a URL and --ledger, or start the platform with `make run` and come back")
    try:
        buy(url, opened(ledger_url, keypair_of(options.key)), keypair_of(options.key))
    except (NotPaid, OSError) as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    except Exception as error:  # Of the client: a payment that is refused, a node that is away.
        print(f"failed: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


def buy(url: str, ledger: Ledger, payer: Keypair) -> None:
    """Ask, pay, and print both balances before and after. Raises NotPaid."""
    status, headers, _ = fetch(url)
    if status != 402 or PAYMENT_REQUIRED not in headers:
        raise NotPaid(f"{url} answers {status}, and asks for no payment")
    required = PaymentRequired.read(decode_header(headers[PAYMENT_REQUIRED]))
    terms = required.accepts[0]
    before = balances(ledger, payer, terms)
    print(f"GET {url}\n  402: {required.error}; {amount(int(terms.amount))} {ledger.asset.code} to {terms.pay_to}")
    payment = asyncio.run(signed(required, terms, ledger, payer))
    status, headers, body = fetch(url, {PAYMENT_SIGNATURE: payment})
    receipt = decode_header(headers[PAYMENT_RESPONSE]) if PAYMENT_RESPONSE in headers else {}
    if status != 200 or not receipt.get("success"):
        told = decode_header(headers[PAYMENT_REQUIRED])["error"] if PAYMENT_REQUIRED in headers else body[:200]
        raise NotPaid(f"{url} answers {status} to the payment: {receipt.get('errorReason') or told}")
    print(f"  {status}: {body}")
    show(ledger, terms, receipt["transaction"], before, balances(ledger, payer, terms))


async def signed(required: PaymentRequired, terms: PaymentRequirements, ledger: Ledger, payer: Keypair) -> str:
    """The header with a payment of these terms."""

    async def sign(unsigned: Unsigned) -> bytes:
        return payer.sign(unsigned.digest)

    async with Node(ledger.url) as node:
        payment = await pay(
            terms,
            payer=payer.public_key,
            sign=sign,
            node=node,
            resource=required.resource,
            extensions=required.extensions,
        )
    return encode_header(payment.write())


def show(ledger: Ledger, terms: PaymentRequirements, hash: str, before: list[int], after: list[int]) -> None:
    with SorobanServer(ledger.url) as server:
        found = server.get_transaction(hash)
    print(f"  transaction {hash}\n  ledger      {found.ledger}, {found.status.value}")
    for name, was, now in zip(("payer", "seller"), before, after, strict=True):
        print(f"  {name:<6} {amount(was)} -> {amount(now)} {ledger.asset.code}")
    if [was - now for was, now in zip(before, after, strict=True)] != [int(terms.amount), -int(terms.amount)]:
        raise NotPaid("the balances did not move by the amount")


def balances(ledger: Ledger, payer: Keypair, terms: PaymentRequirements) -> list[int]:
    return [ledger.units(payer.public_key), ledger.units(terms.pay_to)]


def amount(units: int) -> str:
    whole, part = divmod(units, 10**DECIMALS)
    return f"{whole}.{part:0{DECIMALS}d}"


def opened(url: str, payer: Keypair) -> Ledger:
    """The ledger, on which the payer's account has a trustline and some of the asset."""
    about = json.loads(asked(f"{url}/"))
    ledger = Ledger(url, Asset(about["asset"]["code"], about["asset"]["issuer"]), PASSPHRASES[about["network"]])
    with SorobanServer(url) as server:
        try:
            account = server.load_account(payer.public_key)
        except AccountNotFoundException:
            asked(f"{url}/friendbot?addr={payer.public_key}")
            account = server.load_account(payer.public_key)
        if ledger.units(payer.public_key) == 0:
            _trust(server, account, ledger, payer)
            asked(f"{url}/faucet", {"address": payer.public_key, "amount": POCKET_MONEY})
    return ledger


def _trust(server: SorobanServer, account: Account, ledger: Ledger, payer: Keypair) -> None:
    builder = TransactionBuilder(account, ledger.passphrase, base_fee=1_000)
    transaction = builder.append_change_trust_op(ledger.asset).set_timeout(SECONDS).build()
    transaction.sign(payer)
    found = server.poll_transaction(server.send_transaction(transaction).hash, max_attempts=SECONDS)
    if found.status.value != "SUCCESS":
        raise NotPaid(f"the trustline was not opened: {found.status.value}")


def keypair_of(path: Path) -> Keypair:
    """The key in a file, made when it is not there."""
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
    return Keypair.from_raw_ed25519_seed(bytes.fromhex(path.read_text().strip()))


def asked(url: str, body: dict[str, Any] | None = None) -> str:
    """The ledger's own doors: friendbot, faucet, and what it says of itself. Raises NotPaid."""
    data = None if body is None else json.dumps(body).encode()
    status, _, text = fetch(url, {"Content-Type": "application/json"}, data)
    if status != 200:
        raise NotPaid(f"{url} answers {status}: {text}")
    return text


def fetch(url: str, headers: dict[str, str] | None = None, data: bytes | None = None) -> tuple[int, Headers, str]:
    """Status, headers by their x402 names, and body, of an error too. Raises OSError and NotPaid."""
    if not url.startswith(("http://", "https://")):
        raise NotPaid(f"{url} is no http address")
    request = urllib.request.Request(url, data, headers or {})  # noqa: S310 - looked at above
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            return answer.status, _named(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, _named(error.headers), error.read().decode()


def _named(headers: Message) -> Headers:
    return {name.upper(): text for name, text in headers.items()}


def _run_file() -> dict[str, Any]:
    try:
        found = json.loads((VAR / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


if __name__ == "__main__":
    sys.exit(main())
