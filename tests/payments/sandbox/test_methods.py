"""Each method of the JSON-RPC door through stellar-sdk's own client, against the ledger as a process."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from hashlib import sha256
from itertools import pairwise
from typing import Any

import aiohttp
import pytest
from asgiref.sync import async_to_sync
from stellar_sdk import Account, Asset, Keypair, SorobanServer, TransactionBuilder, scval, xdr
from stellar_sdk.auth import authorize_entry
from stellar_sdk.client.base_async_client import BaseAsyncClient
from stellar_sdk.client.response import Response
from stellar_sdk.exceptions import PrepareTransactionException, SorobanRpcErrorResponse
from stellar_sdk.soroban_rpc import (
    AuthMode,
    EventFilter,
    EventFilterType,
    GetTransactionStatus,
    SendTransactionStatus,
)
from stellar_sdk.soroban_server_async import SorobanServerAsync

from tests.payments.sandbox.bench import NULL, transfer_arguments
from tests.payments.sandbox.running import RunningSandbox

XLM = 10_000_000


def transfer(ledger: RunningSandbox, source: Account, payer: str, payee: str, units: int, auth: Any = None) -> Any:
    builder = TransactionBuilder(source, ledger.passphrase, 100)
    arguments = transfer_arguments(payer, payee, units)
    builder.append_invoke_contract_function_op(ledger.contract, "transfer", arguments, auth=auth)
    return builder.set_timeout(300).build()


def paid(ledger: RunningSandbox, rpc: SorobanServer, units: int = 5) -> tuple[Keypair, Keypair, Any]:
    """A transfer that is done: payer, payee, and the answer of getTransaction."""
    payer, payee, sender = ledger.funded(Keypair.random()), ledger.funded(Keypair.random(), "0"), Keypair.random()
    ledger.friendbot(sender.public_key)
    recorded = rpc.simulate_transaction(
        transfer(ledger, Account(NULL, 0), payer.public_key, payee.public_key, units), use_upgraded_auth=False
    )
    assert recorded.results is not None
    assert recorded.results[0].auth is not None
    entry = authorize_entry(recorded.results[0].auth[0], payer, recorded.latest_ledger + 12, ledger.passphrase)
    built = transfer(ledger, rpc.load_account(sender.public_key), payer.public_key, payee.public_key, units, [entry])
    prepared = rpc.prepare_transaction(built)
    prepared.sign(sender)
    sent = rpc.send_transaction(prepared)
    assert (sent.status, sent.hash) == (SendTransactionStatus.PENDING, prepared.hash_hex())
    return payer, payee, ledger.wait(sent.hash)


def test_get_health(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    found = rpc.get_health()
    assert (found.status, found.oldest_ledger, found.ledger_retention_window) == ("healthy", 1, 120_960)
    assert found.latest_ledger == ledger.step() - 1


def test_get_network(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    found = rpc.get_network()
    assert (found.passphrase, found.protocol_version) == ("Standalone Network ; February 2017", 28)
    assert found.friendbot_url == "/friendbot"


def test_get_version_info_names_the_sandbox(rpc: SorobanServer) -> None:
    found = rpc.get_version_info()
    assert found.version.startswith("sandbox ")
    assert found.protocol_version == 28


def test_get_latest_ledger_has_real_header_and_meta(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    sequence = ledger.step()
    found = rpc.get_latest_ledger()
    header = xdr.LedgerHeader.from_xdr(found.header_xdr)
    assert (found.sequence, header.ledger_seq.uint32, found.protocol_version) == (sequence, sequence, 28)
    assert sha256(header.to_xdr_bytes()).hexdigest() == found.id
    assert header.scp_value.close_time.time_point.uint64 == found.close_time
    meta = xdr.LedgerCloseMeta.from_xdr(found.metadata_xdr).v2
    assert meta is not None
    assert meta.ledger_header.header == header


def test_get_ledgers_pages_without_a_gap(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    ledger.step(7)
    first = rpc.get_ledgers(start_ledger=1, limit=3)
    second = rpc.get_ledgers(cursor=first.cursor, limit=4)
    found = [*first.ledgers, *second.ledgers]
    assert [each.sequence for each in found] == list(range(1, 8))
    headers = [xdr.LedgerHeaderHistoryEntry.from_xdr(each.header_xdr) for each in found]
    assert [each.hash.hash.hex() for each in headers] == [each.hash for each in found]
    assert all(after.header.previous_ledger_hash == before.hash for before, after in pairwise(headers))
    assert len(rpc.get_ledgers(start_ledger=1).ledgers) == 5


def test_get_ledger_entries_of_every_kind(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    holder = ledger.funded(Keypair.random(), "2.5")
    kinds = xdr.LedgerEntryType
    keys = [
        xdr.LedgerKey(kinds.ACCOUNT, account=xdr.LedgerKeyAccount(holder.xdr_account_id())),
        xdr.LedgerKey(
            kinds.TRUSTLINE,
            trust_line=xdr.LedgerKeyTrustLine(holder.xdr_account_id(), ledger.asset.to_trust_line_asset_xdr_object()),
        ),
        instance_key(ledger.contract),
        xdr.LedgerKey(
            kinds.CONFIG_SETTING,
            config_setting=xdr.LedgerKeyConfigSetting(xdr.ConfigSettingID.CONFIG_SETTING_STATE_ARCHIVAL),
        ),
        xdr.LedgerKey(kinds.ACCOUNT, account=xdr.LedgerKeyAccount(Keypair.random().xdr_account_id())),
    ]
    found = rpc.get_ledger_entries(keys).entries
    assert found is not None
    assert [each.key for each in found] == [key.to_xdr() for key in keys[:4]]
    account, line, instance, setting = (xdr.LedgerEntryData.from_xdr(each.xdr) for each in found)
    assert account.account is not None
    assert account.account.balance.int64 == 10_000 * XLM - 100
    assert line.trust_line is not None
    assert line.trust_line.balance.int64 == 25_000_000
    assert instance.contract_data is not None
    assert instance.contract_data.val.instance is not None
    assert setting.config_setting is not None
    assert setting.config_setting.state_archival_settings is not None
    assert setting.config_setting.state_archival_settings.min_temporary_ttl.uint32 == 17_280


def instance_key(contract: str) -> xdr.LedgerKey:
    return xdr.LedgerKey(
        xdr.LedgerEntryType.CONTRACT_DATA,
        contract_data=xdr.LedgerKeyContractData(
            scval.to_address(contract).address or xdr.SCAddress(xdr.SCAddressType.SC_ADDRESS_TYPE_CONTRACT),
            xdr.SCVal(xdr.SCValType.SCV_LEDGER_KEY_CONTRACT_INSTANCE),
            xdr.ContractDataDurability.PERSISTENT,
        ),
    )


def test_the_balance_of_a_contract_is_an_entry(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    before = rpc.get_sac_balance(ledger.native_contract, ledger.asset, ledger.passphrase)
    assert before.balance_entry is None
    payer = ledger.funded(Keypair.random())
    built = transfer(ledger, rpc.load_account(payer.public_key), payer.public_key, ledger.native_contract, 9)
    prepared = rpc.prepare_transaction(built)
    prepared.sign(payer)
    assert ledger.wait(rpc.send_transaction(prepared).hash).status is GetTransactionStatus.SUCCESS
    after = rpc.get_sac_balance(ledger.native_contract, ledger.asset, ledger.passphrase)
    assert after.balance_entry is not None
    assert (after.balance_entry.amount, after.balance_entry.authorized) == (9, True)


def test_simulate_transaction_enforces_when_asked(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    payer, payee = ledger.funded(Keypair.random()), ledger.funded(Keypair.random(), "0")
    built = transfer(ledger, Account(NULL, 0), payer.public_key, payee.public_key, 5)
    recorded = rpc.simulate_transaction(built, auth_mode=AuthMode.RECORD)
    assert recorded.error is None
    assert recorded.results is not None
    entry = xdr.SorobanAuthorizationEntry.from_xdr((recorded.results[0].auth or [""])[0])
    assert entry.credentials.type is xdr.SorobanCredentialsType.SOROBAN_CREDENTIALS_ADDRESS_V2
    enforced = rpc.simulate_transaction(built, auth_mode=AuthMode.ENFORCE)
    assert enforced.error is not None
    assert enforced.error.startswith("HostError: Error(Auth, InvalidAction)")
    signed = authorize_entry(entry, payer, recorded.latest_ledger + 3, ledger.passphrase)
    again = transfer(ledger, Account(NULL, 0), payer.public_key, payee.public_key, 5, [signed])
    assert rpc.simulate_transaction(again).error is None
    refused = rpc.simulate_transaction(again, auth_mode=AuthMode.RECORD)
    assert refused.error is not None
    assert "authMode" in refused.error


def test_simulate_transaction_tells_errors_with_diagnostics(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    payer, payee = ledger.funded(Keypair.random(), "1"), ledger.funded(Keypair.random(), "0")
    built = transfer(ledger, Account(NULL, 0), payer.public_key, payee.public_key, 10_000_001)
    found = rpc.simulate_transaction(built)
    assert found.error is not None
    assert found.error.startswith("HostError: Error(Contract, #10)\n")
    events = [xdr.DiagnosticEvent.from_xdr(each).event.body.v0 for each in found.events or []]
    assert [each and each.topics[0].sym and each.topics[0].sym.sc_symbol for each in events] == [b"fn_call", b"error"]
    with pytest.raises(PrepareTransactionException):
        rpc.prepare_transaction(built)


def test_simulate_transaction_tells_state_changes_and_footprint(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    payer, payee = ledger.funded(Keypair.random(), "1"), ledger.funded(Keypair.random(), "0")
    found = rpc.simulate_transaction(transfer(ledger, Account(NULL, 0), payer.public_key, payee.public_key, 7))
    assert found.transaction_data is not None
    data = xdr.SorobanTransactionData.from_xdr(found.transaction_data)
    footprint = data.resources.footprint
    assert [each.type.name for each in footprint.read_only] == ["CONTRACT_DATA", "ACCOUNT"]
    assert [each.type.name for each in footprint.read_write] == ["CONTRACT_DATA", "TRUSTLINE", "TRUSTLINE"]
    assert data.resource_fee.int64 == found.min_resource_fee
    assert [each.type for each in found.state_changes or []] == ["created", "updated", "updated"]
    balances = []
    for each in (found.state_changes or [])[1:]:
        for told in (each.before, each.after):
            line = xdr.LedgerEntry.from_xdr(told or "").data.trust_line
            assert line is not None
            balances.append(line.balance.int64)
    assert balances == [10_000_000, 9_999_993, 0, 7]


def test_simulate_transaction_is_for_one_call(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    builder = TransactionBuilder(Account(NULL, 0), ledger.passphrase, 100)
    built = builder.append_payment_op(NULL, Asset.native(), "1").set_timeout(30).build()
    found = rpc.simulate_transaction(built)
    assert found.error is not None
    assert "no contract call" in found.error


def test_a_paid_transfer_from_beginning_to_end(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    payer, payee, found = paid(ledger, rpc, 10_000)
    assert found.status is GetTransactionStatus.SUCCESS
    assert (ledger.balance(payer.public_key), ledger.balance(payee.public_key)) == (999_990_000, 10_000)
    events = rpc.get_events(
        start_ledger=found.ledger, filters=[EventFilter(type=EventFilterType.CONTRACT, contract_ids=[ledger.contract])]
    ).events
    assert [each.transaction_hash for each in events] == [found.transaction_hash]
    assert scval.from_int128(events[0].value) == 10_000


def test_get_transaction_before_and_after(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    _, _, found = paid(ledger, rpc)
    assert xdr.TransactionResult.from_xdr(found.result_xdr).result.code is xdr.TransactionResultCode.txSUCCESS
    assert xdr.TransactionMeta.from_xdr(found.result_meta_xdr).v4 is not None
    assert (found.application_order, found.fee_bump) == (1, False)
    assert found.events is not None
    assert len(found.events.contract_events_xdr) == 1
    assert len(found.events.transaction_events_xdr) == 2
    missing = rpc.get_transaction("00" * 32)
    assert (missing.status, missing.ledger) == (GetTransactionStatus.NOT_FOUND, None)
    assert missing.latest_ledger == found.latest_ledger


def test_send_transaction_has_its_four_answers(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    payer = Keypair.random()
    ledger.friendbot(payer.public_key)

    def built(amount: str, ahead: int = 0) -> Any:
        account = rpc.load_account(payer.public_key)
        account.sequence += ahead
        builder = TransactionBuilder(account, ledger.passphrase, 100)
        made = builder.append_payment_op(payer.public_key, Asset.native(), amount).set_timeout(60).build()
        made.sign(payer)
        return made

    one, two, wrong = built("1"), built("2"), built("1", ahead=5)
    refused = rpc.send_transaction(wrong)
    assert refused.status is SendTransactionStatus.ERROR
    result = xdr.TransactionResult.from_xdr(refused.error_result_xdr or "").result
    assert result.code is xdr.TransactionResultCode.txBAD_SEQ
    assert [rpc.send_transaction(each).status.value for each in (one, one, two)] == [
        "PENDING",
        "DUPLICATE",
        "TRY_AGAIN_LATER",
    ]
    assert ledger.wait(one.hash_hex()).status is GetTransactionStatus.SUCCESS


def test_get_transactions_pages_in_order(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    paid(ledger, rpc)
    everything = rpc.get_transactions(start_ledger=1, limit=200).transactions
    first = rpc.get_transactions(start_ledger=1, limit=3)
    second = rpc.get_transactions(cursor=first.cursor, limit=197)
    found = [each.transaction_hash for each in [*first.transactions, *second.transactions]]
    assert found == [each.transaction_hash for each in everything]
    assert len(set(found)) == len(found) >= 6
    assert [each.ledger for each in everything] == sorted(each.ledger for each in everything)
    assert rpc.get_transactions(cursor=second.cursor).transactions == []


def test_get_fee_stats(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    paid(ledger, rpc)
    found = rpc.get_fee_stats()
    for each in (found.soroban_inclusion_fee, found.inclusion_fee):
        assert (each.min, each.p50, each.p99, each.max, each.mode) == (100, 100, 100, 100, 100)
    assert found.soroban_inclusion_fee.transaction_count >= 1
    assert found.latest_ledger == rpc.get_latest_ledger().sequence


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda rpc: rpc.get_ledgers(start_ledger=9_999), "startLedger must be within the ledger range: 1 - "),
        (lambda rpc: rpc.get_transactions(start_ledger=9_999), "startLedger must be within the ledger range: 1 - "),
        (lambda rpc: rpc.get_events(start_ledger=9_999), "startLedger must be within the ledger range: 1 - "),
        (lambda rpc: rpc.get_transactions(start_ledger=1, limit=201), "limit must not exceed 200"),
        (lambda rpc: rpc.get_transaction("abc"), "64 hexadecimal digits"),
        (lambda rpc: rpc.get_ledger_entries([instance_key(NATIVE)] * 201), "maximum 200 allowed"),
    ],
    ids=["ledgers", "transactions", "events", "limit", "hash", "keys"],
)
def test_refusals_come_as_errors_of_the_client(
    rpc: SorobanServer, ask: Callable[[SorobanServer], object], message: str
) -> None:
    with pytest.raises(SorobanRpcErrorResponse) as caught:
        ask(rpc)
    assert message in str(caught.value.message)


NATIVE = "CDMLFMKMMD7MWZP3FKUBZPVHTUEDLSX4BYGYKH4GCESXYHS3IHQ4EIG4"


def test_the_async_client_reads_and_sends(ledger: RunningSandbox) -> None:
    holder = ledger.funded(Keypair.random())
    found = async_to_sync(through_async)(ledger, holder)
    assert found == ("healthy", ledger.passphrase, "sandbox 1.0.0", 100 * XLM, "PENDING")
    assert ledger.step() > 0


class Client(BaseAsyncClient):
    """The SDK's own client over aiohttp wants a package for event streams, which RPC has none of."""

    async def post(
        self, url: str, data: dict[str, str] | None = None, json_data: dict[str, Any] | None = None
    ) -> Response:
        async with aiohttp.ClientSession() as session, session.post(url, json=json_data) as answer:
            return Response(answer.status, await answer.text(), dict(answer.headers), str(answer.url))

    async def get(
        self, url: str, params: dict[str, str] | None = None, max_content_size: int | None = None
    ) -> Response:
        raise NotImplementedError("RPC is asked by POST")

    def stream(self, url: str, params: dict[str, str] | None = None) -> AsyncGenerator[dict[str, Any], None]:
        raise NotImplementedError("RPC has no streams")

    async def close(self) -> None:
        """Each call closed what it opened."""


async def through_async(ledger: RunningSandbox, holder: Keypair) -> tuple[str, str, str, int, str]:
    async with SorobanServerAsync(ledger.url, Client()) as rpc:
        health, network, version = await rpc.get_health(), await rpc.get_network(), await rpc.get_version_info()
        await rpc.get_latest_ledger()
        await rpc.get_fee_stats()
        await rpc.get_ledgers(start_ledger=1)
        await rpc.get_transactions(start_ledger=1)
        await rpc.get_events(start_ledger=1)
        built = TransactionBuilder(Account(NULL, 0), ledger.passphrase, 100)
        built.append_invoke_contract_function_op(ledger.contract, "balance", [scval.to_address(holder.public_key)])
        simulated = await rpc.simulate_transaction(built.set_timeout(60).build())
        assert simulated.results is not None
        builder = TransactionBuilder(await rpc.load_account(holder.public_key), ledger.passphrase, 100)
        payment = builder.append_payment_op(holder.public_key, Asset.native(), "1").set_timeout(60).build()
        payment.sign(holder)
        sent = await rpc.send_transaction(payment)
        await rpc.get_transaction(sent.hash)
        units = scval.from_int128(simulated.results[0].xdr)
        return health.status, network.passphrase, version.version, units, sent.status.value
