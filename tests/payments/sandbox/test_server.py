"""The HTTP door: what is not JSON-RPC, who may use the controls, the friendbot and the faucet, and scripted faults."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any
from urllib.parse import urlsplit

import pytest
from stellar_sdk import Asset, Keypair, SorobanServer, TransactionBuilder, TransactionEnvelope
from stellar_sdk.soroban_rpc import GetTransactionStatus, SendTransactionStatus

from tests.payments.sandbox.running import LedgerRefused, RunningSandbox

JSON = {"Content-Type": "application/json"}


def asked(
    ledger: RunningSandbox, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
) -> tuple[int, Any, dict[str, str]]:
    connection = http.client.HTTPConnection(urlsplit(ledger.url).netloc, timeout=10)
    try:
        connection.request(method, path, body, {} if headers is None else headers)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None, dict(answer.getheaders())
    finally:
        connection.close()


def rpc_error(ledger: RunningSandbox, body: bytes) -> tuple[int, int]:
    """Status of HTTP and code of JSON-RPC."""
    status, answer, _ = asked(ledger, "POST", "/", body, JSON)
    return status, answer["error"]["code"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[" * 100_000, -32700),
        (b"{}", -32600),
        (b"7", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"getHealth"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"getLedgerEntry"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"getHealth","params":[1]}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"getTransaction","params":{}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"sendTransaction","params":{"transaction":"AAAA"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"getLedgerEntries","params":{"keys":["AAAA"]}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"getLedgerEntries","params":{"keys":[]}}', -32602),
    ],
    ids=[f"body {number}" for number in range(14)],
)
def test_what_is_no_call_gets_an_error_of_json_rpc(ledger: RunningSandbox, body: bytes, code: int) -> None:
    assert rpc_error(ledger, body) == (200, code)


def test_a_batch_is_answered_in_order(ledger: RunningSandbox) -> None:
    calls = [{"jsonrpc": "2.0", "id": name, "method": name} for name in ("getHealth", "getNetwork", "nothing")]
    _, answer, _ = asked(ledger, "POST", "/", json.dumps(calls).encode(), JSON)
    assert [each["id"] for each in answer] == ["getHealth", "getNetwork", "nothing"]
    assert [("result" in each) for each in answer] == [True, True, False]


def test_a_body_that_is_too_large(ledger: RunningSandbox) -> None:
    status, answer, _ = asked(ledger, "POST", "/", b" " * 1_100_000, JSON)
    assert (status, set(answer)) == (413, {"detail"})


def test_paths_that_are_not_there(ledger: RunningSandbox) -> None:
    assert asked(ledger, "GET", "/nothing")[0] == 404
    assert asked(ledger, "DELETE", "/")[0] == 405
    assert asked(ledger, "POST", "/behind/x", b"{}", JSON)[0] in (404, 405)


def test_browsers_may_ask_and_may_not_control(ledger: RunningSandbox) -> None:
    assert asked(ledger, "OPTIONS", "/")[2]["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in asked(ledger, "OPTIONS", "/control")[2]


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Content-Type": "text/plain"}, b'{"do":"reset"}', 415),
        ({**JSON, "Host": "evil.example"}, b'{"do":"reset"}', 403),
        (JSON, b'["reset"]', 400),
        (JSON, b"reset", 400),
        (JSON, b'{"do":"explode"}', 400),
        (JSON, b'{"do":["reset"]}', 400),
        (JSON, b'{"do":"step","ledgers":-1}', 400),
        (JSON, b'{"do":"step","ledgers":"1"}', 400),
        (JSON, b'{"do":"step","ledgers":true}', 400),
        (JSON, b'{"do":"slow"}', 400),
        (JSON, b'{"do":"slow","seconds":-1}', 400),
        (JSON, b'{"do":"authorise"}', 400),
        (JSON, b'{"do":"authorise","address":"G"}', 400),
    ],
    ids=[f"command {number}" for number in range(13)],
)
def test_controls_that_are_refused(ledger: RunningSandbox, headers: dict[str, str], body: bytes, status: int) -> None:
    before = ledger.control("status")
    found, answer, _ = asked(ledger, "POST", "/control", body, headers)
    assert (found, set(answer)) == (status, {"detail"})
    assert ledger.control("status") == before


def test_the_front_page_says_what_this_is(ledger: RunningSandbox) -> None:
    _, answer, _ = asked(ledger, "GET", "/")
    assert (answer["network"], answer["passphrase"]) == ("stellar:local", "Standalone Network ; February 2017")
    assert answer["version"].startswith("sandbox ")
    assert answer["asset"] == {
        "code": "USDC",
        "issuer": "GDH6O6U7RF7YWOBATN5SP6Z66YXX352R5OMI6N27DERDAWLUI2VT6REM",
        "contract": "CBWQWUF33RMEPJMQ4HG7ZJRFJTPLLA3ZCQ347FKQ3FPXFYOPDOUPV6X2",
        "decimals": 7,
    }


def test_the_friendbot_makes_an_account_once(ledger: RunningSandbox) -> None:
    address = Keypair.random().public_key
    made = ledger.friendbot(address)
    assert made["successful"] is True
    assert ledger.native_balance(address) == 10_000 * 10_000_000
    with pytest.raises(LedgerRefused, match=r"400: .*op_already_exists"):
        ledger.friendbot(address)
    posted, answer, _ = asked(ledger, "POST", f"/friendbot?addr={Keypair.random().public_key}")
    assert (posted, answer["successful"]) == (200, True)


@pytest.mark.parametrize("address", ["", "G", "GABC", "C" * 56, "SBLAH"])
def test_the_friendbot_refuses_what_is_no_account(ledger: RunningSandbox, address: str) -> None:
    with pytest.raises(LedgerRefused, match=r"400: .*must be an account"):
        ledger.friendbot(address)


@pytest.mark.parametrize("amount", ["0", "-1", "1e3", "0.00000001", "", "1.", "1,5", "9999999999999"])
def test_the_faucet_refuses_amounts_that_are_none(ledger: RunningSandbox, amount: str) -> None:
    with pytest.raises(LedgerRefused, match=r"400: .*positive decimal"):
        ledger.mint(Keypair.random().public_key, amount)


def test_the_faucet_wants_a_trustline(ledger: RunningSandbox) -> None:
    holder = Keypair.random()
    ledger.friendbot(holder.public_key)
    with pytest.raises(LedgerRefused, match="op_no_trust"):
        ledger.mint(holder.public_key, "5")
    ledger.trust(holder)
    ledger.mint(holder.public_key, "0.0000001")
    assert ledger.balance(holder.public_key) == 1


def payment(ledger: RunningSandbox, rpc: SorobanServer) -> TransactionEnvelope:
    payer = Keypair.random()
    ledger.friendbot(payer.public_key)
    builder = TransactionBuilder(rpc.load_account(payer.public_key), ledger.passphrase, 100)
    built = builder.append_payment_op(payer.public_key, Asset.native(), "1").set_timeout(60).build()
    built.sign(payer)
    return built


def test_a_lost_reply_is_a_transaction_that_was_taken(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    built = payment(ledger, rpc)
    ledger.control("lose_replies", count=1)
    call = {"jsonrpc": "2.0", "id": 1, "method": "sendTransaction", "params": {"transaction": built.to_xdr()}}
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        asked(ledger, "POST", "/", json.dumps(call).encode(), JSON)
    assert rpc.send_transaction(built).status is SendTransactionStatus.DUPLICATE
    assert ledger.wait(built.hash_hex()).status is GetTransactionStatus.SUCCESS
    assert ledger.control("status")["faults"]["lost_replies"] == 0


def test_a_busy_ledger_says_try_again_later(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    built = payment(ledger, rpc)
    ledger.control("busy", count=2)
    assert [rpc.send_transaction(built).status.value for _ in range(3)] == ["TRY_AGAIN_LATER"] * 2 + ["PENDING"]
    assert ledger.wait(built.hash_hex()).status is GetTransactionStatus.SUCCESS


def test_a_transaction_that_is_dropped_is_never_found(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    built = payment(ledger, rpc)
    assert rpc.send_transaction(built).status is SendTransactionStatus.PENDING
    assert ledger.control("drop_waiting")["waiting"] == 0
    assert ledger.wait(built.hash_hex(), seconds=0).status is GetTransactionStatus.NOT_FOUND


def test_a_slow_ledger_answers_late(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    ledger.control("slow", seconds=0.3)
    started = time.monotonic()
    assert rpc.get_health().status == "healthy"
    assert time.monotonic() - started >= 0.3
    assert ledger.control("clear")["faults"]["slow"] == 0


def test_a_node_that_is_behind_does_not_know_yet(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    built = payment(ledger, rpc)
    rpc.send_transaction(built)
    sequence = ledger.step()
    with SorobanServer(f"{ledger.url}/behind/1") as late:
        assert late.get_latest_ledger().sequence == sequence - 1
        assert late.get_transaction(built.hash_hex()).status is GetTransactionStatus.NOT_FOUND
    assert rpc.get_transaction(built.hash_hex()).status is GetTransactionStatus.SUCCESS
    ledger.control("behind", ledgers=3)
    assert rpc.get_latest_ledger().sequence == sequence - 3
    ledger.control("clear")
    assert rpc.get_latest_ledger().sequence == sequence


def test_history_can_be_cut(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    built = payment(ledger, rpc)
    rpc.send_transaction(built)
    sequence = ledger.step(5)
    ledger.control("cut_history", keep=2)
    assert rpc.get_health().oldest_ledger == sequence - 1
    assert rpc.get_transaction(built.hash_hex()).status is GetTransactionStatus.NOT_FOUND


def test_close_times_can_be_skewed(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    before = rpc.get_latest_ledger().close_time
    ledger.control("skew", seconds=90)
    assert rpc.get_latest_ledger().close_time == before + 90
    ledger.control("clear")


def test_a_reset_goes_back_to_the_first_ledger(ledger: RunningSandbox, rpc: SorobanServer) -> None:
    holder = Keypair.random()
    ledger.friendbot(holder.public_key)
    assert ledger.control("reset")["latestLedger"] == 1
    assert rpc.get_latest_ledger().sequence == 1
    ledger.friendbot(holder.public_key)
