"""The node without its process: on a file of the test's own, with a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stellar_sdk import (
    Account,
    Asset,
    FeeBumpTransactionEnvelope,
    Keypair,
    TransactionBuilder,
    TransactionEnvelope,
    scval,
    xdr,
)
from stellar_sdk.auth import authorize_entry

from payments.sandbox import entries, faucet, keys, network
from payments.sandbox.node import Node, Sent
from payments.sandbox.records import TransactionRow
from payments.sandbox.rpc import methods
from payments.sandbox.rpc.parameters import Json
from payments.sandbox.store import Store

NULL = "GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF"
START = 1_700_000_000
Add = Callable[[TransactionBuilder], TransactionBuilder]
Built = TransactionEnvelope | FeeBumpTransactionEnvelope


@dataclass
class Clock:
    seconds: float = START

    def __call__(self) -> float:
        return self.seconds


class Refused(Exception):
    """An error of JSON-RPC: code and message."""


@dataclass
class Bench:
    """A node and the accounts that tests make on it."""

    folder: Path
    name: str = "stellar:local"
    minimum_temporary_ttl: int = 17_280
    retention: int = 120_960
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.network = network.network(
            self.name, minimum_temporary_ttl=self.minimum_temporary_ttl, retention=self.retention
        )
        self.keys = keys.load(self.folder / "keys.json", self.name)
        self.node = self.open()

    def open(self) -> Node:
        return Node(Store(self.folder / "ledger.sqlite3", self.network), self.network, self.keys, now=self.clock)

    def reopen(self) -> None:
        self.node.store.close()
        self.node = self.open()

    @property
    def asset(self) -> Asset:
        return self.keys.asset

    @property
    def contract(self) -> str:
        return self.asset.contract_id(self.network.passphrase)

    @property
    def native(self) -> str:
        return faucet.native_contract(self.node)

    @property
    def sequence(self) -> int:
        return self.node.latest.sequence

    def account(self, amount: str | None = "100") -> Keypair:
        """A new account with 10,000 XLM and, unless None, a trustline with `amount`."""
        keypair = Keypair.random()
        faucet.fund(self.node, keypair.public_key)
        if amount is not None:
            self.done(keypair, lambda builder: builder.append_change_trust_op(self.asset))
            if amount != "0":
                faucet.mint(self.node, keypair.public_key, amount)
        return keypair

    def entry(self, address: str) -> xdr.AccountEntry:
        found = self.node.store.get(entries.account_key(address))
        assert found is not None
        account = found.read().account
        assert account is not None
        return account

    def stroops(self, keypair: Keypair) -> int:
        return self.entry(keypair.public_key).balance.int64

    def units(self, keypair: Keypair) -> int:
        found = self.node.store.get(entries.trustline_key(keypair.public_key, self.asset))
        line = found.read().trust_line if found else None
        return 0 if line is None else line.balance.int64

    def next_sequence(self, address: str) -> Account:
        return Account(address, self.entry(address).seq_num.sequence_number.int64)

    def build(
        self, source: Keypair, add: Add, *, fee: int = 100, signers: Sequence[Keypair] | None = None
    ) -> TransactionEnvelope:
        """Signed by its source, or by `signers`; valid for 300 s of the bench's clock."""
        builder = TransactionBuilder(self.next_sequence(source.public_key), self.network.passphrase, fee)
        built = add(builder).add_time_bounds(0, int(self.clock()) + 300).build()
        for signer in [source] if signers is None else signers:
            built.sign(signer)
        return built

    def send(self, built: Built) -> Sent:
        return self.node.send(self.node.read(built.to_xdr()))

    def apply(self, built: Built) -> TransactionRow:
        """Send, close, read."""
        sent = self.send(built)
        assert sent.status == "PENDING", (sent.status, sent.error)
        self.node.close()
        row = self.node.store.transaction(sent.hash, self.sequence)
        assert row is not None
        return row

    def done(self, source: Keypair, add: Add) -> TransactionRow:
        row = self.apply(self.build(source, add))
        assert row.succeeded, result(row)
        return row

    def refusal(self, built: Built) -> xdr.TransactionResultCode:
        """The code with which a transaction is refused before it enters a ledger."""
        sent = self.send(built)
        assert sent.status == "ERROR"
        assert sent.error is not None
        return sent.error.result.code

    def ask(self, method: str, *, behind: int = 0, **parameters: object) -> Json:
        """The result of a JSON-RPC call. Raises Refused with the text of its error."""
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        answer = methods.answer(self.node.view(behind), call)
        if "error" in answer:
            raise Refused(f"{answer['error']['code']}: {answer['error']['message']}")
        found: Json = answer["result"]
        return found

    def call(
        self,
        source: str,
        function: str,
        arguments: Sequence[xdr.SCVal],
        auth: Sequence[xdr.SorobanAuthorizationEntry] = (),
        *,
        contract: str | None = None,
        sequence: int | None = None,
    ) -> TransactionBuilder:
        """A transaction with one contract call, not simulated and not signed."""
        account = Account(source, sequence) if sequence is not None else self.next_sequence(source)
        builder = TransactionBuilder(account, self.network.passphrase, 100)
        builder.append_invoke_contract_function_op(
            contract or self.contract, function, arguments, auth=list(auth) or None
        )
        return builder.add_time_bounds(0, int(self.clock()) + 300)

    def simulate(self, builder: TransactionBuilder, **more: Any) -> Json:
        return self.ask("simulateTransaction", transaction=builder.build().to_xdr(), **more)

    def signed_transfer(
        self,
        payer: Keypair,
        payee: str,
        units: int,
        *,
        upgraded: bool = False,
        ledgers: int = 12,
        contract: str | None = None,
        signer: Keypair | None = None,
        passphrase: str | None = None,
    ) -> xdr.SorobanAuthorizationEntry:
        """The payer's authorisation of one transfer, valid for so many ledgers."""
        arguments = transfer_arguments(payer.public_key, payee, units)
        recorded = self.simulate(
            self.call(NULL, "transfer", arguments, contract=contract, sequence=0), useUpgradedAuth=upgraded
        )
        return authorize_entry(
            recorded["results"][0]["auth"][0],
            signer or payer,
            self.sequence + ledgers,
            passphrase or self.network.passphrase,
        )

    def transfer(
        self,
        sender: Keypair,
        entry: xdr.SorobanAuthorizationEntry,
        payer: Keypair,
        payee: str,
        units: int,
        *,
        contract: str | None = None,
    ) -> TransactionEnvelope:
        """A transfer that somebody else sends: simulated with the authorisation, assembled and signed."""
        arguments = transfer_arguments(payer.public_key, payee, units)
        simulated = self.simulate(self.call(sender.public_key, "transfer", arguments, [entry], contract=contract))
        assert "error" not in simulated, simulated["error"]
        return self.assembled(sender, arguments, entry, simulated["transactionData"], contract=contract)

    def assembled(
        self,
        sender: Keypair,
        arguments: Sequence[xdr.SCVal],
        entry: xdr.SorobanAuthorizationEntry,
        data: str,
        *,
        contract: str | None = None,
    ) -> TransactionEnvelope:
        builder = self.call(sender.public_key, "transfer", arguments, [entry], contract=contract)
        built = builder.set_soroban_data(data).build()
        built.sign(sender)
        return built


def transfer_arguments(payer: str, payee: str, units: int) -> list[xdr.SCVal]:
    to = scval.to_address(payee)
    return [scval.to_address(payer), to, scval.to_int128(units)]


def result(row: TransactionRow) -> xdr.TransactionResult:
    return xdr.TransactionResult.from_xdr_bytes(row.result)


def operation_code(row: TransactionRow) -> str:
    """The name of the first operation's own result code."""
    told = result(row).result
    results = told.results or (told.inner_result_pair and told.inner_result_pair.result.result.results) or []
    first = results[0]
    if first.tr is None:
        return first.code.name
    inner = next(value for name, value in vars(first.tr).items() if name != "type" and value is not None)
    return str(inner.code.name)


def meta(row: TransactionRow) -> xdr.TransactionMetaV4:
    found = xdr.TransactionMeta.from_xdr_bytes(row.meta).v4
    assert found is not None
    return found
