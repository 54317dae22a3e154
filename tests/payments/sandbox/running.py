"""The local ledger as a real process, for every test that pays: `with sandbox(folder) as ledger: …`.

It closes a ledger each `ledger_seconds`, or only on `ledger.step()` when that is 0.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stellar_sdk import Account, Asset, Keypair, SorobanServer, TransactionBuilder
from stellar_sdk import xdr as stellar_xdr
from stellar_sdk.soroban_rpc import GetTransactionResponse, GetTransactionStatus

from tests.servers import processes
from tests.servers.ports import free_port

Json = dict[str, Any]


class LedgerRefused(Exception):
    """The ledger's own doors (friendbot, faucet, control) said no: status and text."""


@dataclass(frozen=True)
class RunningSandbox:
    """A ledger that has answered. `code`, `issuer` and `contract` are its USDC-like asset (7 decimals)."""

    url: str
    network: str
    passphrase: str
    code: str
    issuer: str
    contract: str
    native_contract: str
    by_step: bool
    process: subprocess.Popen[bytes]
    file: Path
    log: Path

    @property
    def asset(self) -> Asset:
        return Asset(self.code, self.issuer)

    def rpc(self) -> SorobanServer:
        """A client of the JSON-RPC door, to be closed by who asked for it."""
        return SorobanServer(self.url)

    def friendbot(self, address: str) -> Json:
        """10,000 XLM of play money for a new account; its ledger is closed when this returns."""
        return _call(f"{self.url}/friendbot?addr={address}")

    def mint(self, address: str, amount: str) -> Json:
        """`amount` ("12.5") of the USDC-like asset from its issuer; the account needs a trustline."""
        return _call(f"{self.url}/faucet", {"address": address, "amount": amount})

    def control(self, do: str, **more: Any) -> Json:
        """A scripted step or fault; the names are in docs/sandbox.md."""
        return _call(f"{self.url}/control", {"do": do, **more})

    def step(self, ledgers: int = 1) -> int:
        """Close ledgers now. Returns the latest sequence."""
        return int(self.control("step", ledgers=ledgers)["latestLedger"])

    def trust(self, keypair: Keypair, asset: Asset | None = None) -> GetTransactionResponse:
        """A trustline of an account that exists, to the USDC-like asset if no other is named."""
        return self.submit(keypair, lambda builder: builder.append_change_trust_op(asset or self.asset))

    def funded(self, keypair: Keypair, amount: str = "100") -> Keypair:
        """An account with 10,000 XLM, a trustline and `amount` of the asset ("0" for none)."""
        self.friendbot(keypair.public_key)
        self.trust(keypair)
        if amount != "0":
            self.mint(keypair.public_key, amount)
        return keypair

    def submit(self, keypair: Keypair, add: Any, *, base_fee: int = 100) -> GetTransactionResponse:
        """Build with `add(builder)`, sign, send and wait; the transaction must succeed."""
        with self.rpc() as rpc:
            builder = TransactionBuilder(rpc.load_account(keypair.public_key), self.passphrase, base_fee)
            transaction = add(builder).set_timeout(300).build()
            transaction.sign(keypair)
            sent = rpc.send_transaction(transaction)
            assert sent.status.value == "PENDING", sent
            found = self.wait(sent.hash)
        assert found.status is GetTransactionStatus.SUCCESS, found
        return found

    def wait(self, transaction_hash: str, seconds: float = 20.0) -> GetTransactionResponse:
        """The final answer about a transaction. Closes a ledger itself where ledgers close by step."""
        if self.by_step:
            self.step()
        deadline = time.monotonic() + seconds
        with self.rpc() as rpc:
            while True:
                found = rpc.get_transaction(transaction_hash)
                if found.status is not GetTransactionStatus.NOT_FOUND or time.monotonic() > deadline:
                    return found
                time.sleep(0.05)

    def balance(self, address: str) -> int:
        """Units of the USDC-like asset that an account (its trustline) holds; 0 without a trustline."""
        key = stellar_xdr.LedgerKey(
            stellar_xdr.LedgerEntryType.TRUSTLINE,
            trust_line=stellar_xdr.LedgerKeyTrustLine(
                Keypair.from_public_key(address).xdr_account_id(), self.asset.to_trust_line_asset_xdr_object()
            ),
        )
        with self.rpc() as rpc:
            entries = rpc.get_ledger_entries([key]).entries or []
        if not entries:
            return 0
        line = stellar_xdr.LedgerEntryData.from_xdr(entries[0].xdr).trust_line
        assert line is not None
        return line.balance.int64

    def native_balance(self, address: str) -> int:
        """Stroops of an account."""
        key = stellar_xdr.LedgerKey(
            stellar_xdr.LedgerEntryType.ACCOUNT,
            account=stellar_xdr.LedgerKeyAccount(Keypair.from_public_key(address).xdr_account_id()),
        )
        with self.rpc() as rpc:
            entries = rpc.get_ledger_entries([key]).entries or []
        account = stellar_xdr.LedgerEntryData.from_xdr(entries[0].xdr).account
        assert account is not None
        return account.balance.int64

    def account(self, address: str) -> Account:
        with self.rpc() as rpc:
            return rpc.load_account(address)

    def stop(self) -> int:
        return processes.end(self.process)


@contextmanager
def sandbox(
    folder: Path,
    *,
    network: str = "stellar:local",
    ledger_seconds: float = 0.5,
    port: int | None = None,
    more: tuple[str, ...] = (),
) -> Iterator[RunningSandbox]:
    """A running ledger whose files are in `folder` (start again on the same folder to restart it). Ended afterwards."""
    port = free_port() if port is None else port
    file, log = folder / "ledger.sqlite3", folder / f"ledger-{port}.log"
    command = [sys.executable, "-m", "payments.sandbox", "--port", str(port), "--as", network]
    command += ["--ledger-seconds", f"{ledger_seconds:g}", "--file", str(file), *more]
    process = processes.start(command, log=log)
    url = f"http://127.0.0.1:{port}"
    try:
        about: Json = {}
        processes.wait_until(lambda: bool(_about(url, about)), process=process, log=log, what="the ledger")
        asset = about["asset"]
        yield RunningSandbox(
            url=url,
            network=about["network"],
            passphrase=about["passphrase"],
            code=asset["code"],
            issuer=asset["issuer"],
            contract=asset["contract"],
            native_contract=about["native"]["contract"],
            by_step=ledger_seconds == 0,
            process=process,
            file=file,
            log=log,
        )
    finally:
        processes.end(process)


def _about(url: str, into: Json) -> Json:
    try:
        into.update(_call(f"{url}/"))
    except (OSError, LedgerRefused):
        return {}
    return into


def _call(url: str, body: Json | None = None) -> Json:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})  # noqa: S310 - loopback
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - loopback
            found = json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            raise LedgerRefused(f"{error.code}: {error.read().decode()}") from None
    assert isinstance(found, dict)
    return found
