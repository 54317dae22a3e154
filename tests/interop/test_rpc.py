"""Every method of the ledger through both generations of the JavaScript SDK, over HTTPS."""

from __future__ import annotations

from typing import Any

import pytest
from stellar_sdk import Keypair

from tests.interop.conftest import Ledger
from tests.interop.node import Node, ScriptFailed

ASSET_NAME = "USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5"


@pytest.fixture(params=[14, 17])
def version(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def ask(node: Node, ledger: Ledger, version: int, function: str, **given: Any) -> Any:
    return node.call("rpc", function, {"version": version, "url": ledger.https, **given})


def transfer(ledger: Ledger, payer: Keypair, to: str, amount: int = 25_000) -> dict[str, Any]:
    return {
        "secret": payer.secret,
        "to": to,
        "asset": ledger.asset,
        "amount": str(amount),
        "passphrase": ledger.sandbox.passphrase,
    }


def told(payer: Keypair, to: str, amount: int = 25_000) -> dict[str, str]:
    """The event of a transfer, as an SDK reads it."""
    return {"from": payer.public_key, "to": to, "asset": ASSET_NAME, "amount": str(amount)}


def test_health(node: Node, ledger: Ledger, version: int) -> None:
    health = ask(node, ledger, version, "plain", method="getHealth")
    assert health["status"] == "healthy"
    assert 1 <= health["oldestLedger"] <= health["latestLedger"]
    assert health["ledgerRetentionWindow"] == 120_960


def test_network(node: Node, ledger: Ledger, version: int) -> None:
    network = ask(node, ledger, version, "plain", method="getNetwork")
    assert network["passphrase"] == "Test SDF Network ; September 2015"
    assert int(network["protocolVersion"]) >= 23


def test_version_info_names_the_sandbox(node: Node, ledger: Ledger, version: int) -> None:
    about = ask(node, ledger, version, "plain", method="getVersionInfo")
    assert about["version"].startswith("sandbox")
    assert about["protocolVersion"] == ask(node, ledger, version, "latest")["protocol"]


def test_fee_stats(node: Node, ledger: Ledger, version: int) -> None:
    fees = ask(node, ledger, version, "plain", method="getFeeStats")
    assert int(fees["sorobanInclusionFee"]["p99"]) >= 100
    assert int(fees["inclusionFee"]["min"]) >= 100
    assert fees["latestLedger"] > 1


def test_the_latest_ledger_has_a_real_header(node: Node, ledger: Ledger, version: int) -> None:
    latest = ask(node, ledger, version, "latest")
    assert latest["inHeader"] == latest["sequence"] > 1
    assert len(bytes.fromhex(latest["id"])) == 32


def test_ledgers_come_in_order_and_page_by_page(node: Node, ledger: Ledger, version: int) -> None:
    start = ledger.sandbox.step(4) - 3
    first = ask(node, ledger, version, "ledgers", start=start, limit=2)
    second = ask(node, ledger, version, "ledgers", cursor=first["cursor"], limit=2)
    expected = [
        {"sequence": sequence, "inHeader": sequence, "hash": True, "metadata": True}
        for sequence in range(start, start + 4)
    ]
    assert first["ledgers"] + second["ledgers"] == expected


def test_ledger_entries_hold_accounts_and_trustlines(node: Node, ledger: Ledger, version: int) -> None:
    payer = ledger.payer("12.5")
    held = ask(
        node,
        ledger,
        version,
        "holdings",
        address=payer.public_key,
        code=ledger.sandbox.code,
        issuer=ledger.sandbox.issuer,
    )
    assert held == {
        "sequence": str(ledger.sandbox.account(payer.public_key).sequence),
        "native": str(ledger.sandbox.native_balance(payer.public_key)),
        "asset": "125000000",
        "limit": str(2**63 - 1),
    }


def test_an_account_that_is_not_there_is_not_found(node: Node, ledger: Ledger, version: int) -> None:
    stranger = Keypair.random().public_key
    with pytest.raises(ScriptFailed, match=f"(?i)account not found: {stranger}"):
        ask(node, ledger, version, "holdings", address=stranger, code="USDC", issuer=ledger.sandbox.issuer)


def test_ledger_entries_hold_the_contract_with_its_life(node: Node, ledger: Ledger, version: int) -> None:
    found = ask(node, ledger, version, "instance", contract=ledger.asset)
    assert found["until"] > ask(node, ledger, version, "latest")["sequence"]
    assert found["modified"] >= 1


def test_a_transfer_is_recorded_then_enforced(node: Node, ledger: Ledger, version: int) -> None:
    payer, seller = ledger.payer(), ledger.seller
    seen = ask(node, ledger, version, "simulated", **transfer(ledger, payer, seller))
    recorded, enforced = seen["recorded"], seen["enforced"]
    assert recorded["authorisations"] == ["sorobanCredentialsAddress" + ("V2" if version == 17 else "")]
    assert enforced["authorisations"] == []
    for simulation in (recorded, enforced):
        assert simulation["transfers"] == [told(payer, seller)]
        assert simulation["fee"] > 0
        assert simulation["returned"] is None
        assert simulation["resources"] is True
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000


def test_a_signature_of_another_key_fails_when_enforced(node: Node, ledger: Ledger, version: int) -> None:
    payer, seller = ledger.payer(), ledger.seller
    given = transfer(ledger, payer, seller)
    seen = ask(node, ledger, version, "simulated", **given, signer=Keypair.random().secret)
    assert seen["recorded"]["fee"] > 0
    assert "HostError" in seen["enforced"]["error"]
    assert seen["enforced"]["events"] > 0


def test_more_than_there_is_fails_in_simulation(node: Node, ledger: Ledger, version: int) -> None:
    payer, seller = ledger.payer("0.001"), ledger.seller
    seen = ask(node, ledger, version, "simulated", **transfer(ledger, payer, seller, 10_001))
    assert "Error(Contract, #10)" in seen["recorded"]["error"]
    assert seen["recorded"]["events"] > 0


def test_a_sent_transfer_is_found_with_its_result_and_event(node: Node, ledger: Ledger, version: int) -> None:
    payer, seller = ledger.payer(), ledger.seller
    before = ledger.sandbox.balance(seller)
    sent = ask(node, ledger, version, "sent", **transfer(ledger, payer, seller), twice=True)
    assert (sent["status"], sent["again"], sent["outcome"]) == ("PENDING", "DUPLICATE", "SUCCESS")
    assert sent["hash"] == sent["own"]
    assert sent["result"] == "txSuccess"
    assert 100 < sent["fee"] <= sent["bid"]
    assert sent["returned"] is None
    assert sent["transfers"] == [told(payer, seller)]
    assert ledger.sandbox.balance(seller) == before + 25_000
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000 - 25_000


def test_a_wrong_sequence_is_refused_with_its_reason(node: Node, ledger: Ledger, version: int) -> None:
    payer, seller = ledger.payer(), ledger.seller
    sent = ask(node, ledger, version, "sent", **transfer(ledger, payer, seller), sequence="7")
    assert (sent["status"], sent["result"]) == ("ERROR", "txBadSeq")
    assert ask(node, ledger, version, "transaction", hash=sent["hash"])["status"] == "NOT_FOUND"
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000


def test_a_busy_node_says_to_try_again_later(node: Node, ledger: Ledger, version: int) -> None:
    payer, seller = ledger.payer(), ledger.seller
    ledger.sandbox.control("busy", count=1)
    sent = ask(node, ledger, version, "sent", **transfer(ledger, payer, seller))
    assert (sent["status"], sent["result"]) == ("TRY_AGAIN_LATER", None)
    assert ask(node, ledger, version, "sent", **transfer(ledger, payer, seller))["outcome"] == "SUCCESS"


def test_an_unknown_transaction_is_not_found(node: Node, ledger: Ledger, version: int) -> None:
    found = ask(node, ledger, version, "transaction", hash="ab" * 32)
    assert found["status"] == "NOT_FOUND"
    assert 1 <= found["oldest"] <= found["latest"]


def test_transactions_of_a_ledger_are_listed(node: Node, ledger: Ledger, version: int) -> None:
    payer, seller = ledger.payer(), ledger.seller
    sent = ask(node, ledger, version, "sent", **transfer(ledger, payer, seller))
    page = ask(node, ledger, version, "transactions", start=sent["ledger"], limit=1)
    assert page["transactions"] == [
        {"txHash": sent["hash"], "status": "SUCCESS", "ledger": sent["ledger"], "result": "txSuccess"}
    ]


def test_events_are_found_by_contract_and_payer(node: Node, ledger: Ledger, version: int) -> None:
    payer, seller = ledger.payer(), ledger.seller
    start = ask(node, ledger, version, "latest")["sequence"]
    given = {"contract": ledger.asset, "from": payer.public_key}
    sent = ask(node, ledger, version, "sent", **transfer(ledger, payer, seller))
    page = ask(node, ledger, version, "events", **given, start=start)
    event = {"ledger": sent["ledger"], "hash": sent["hash"], "contract": ledger.asset, **told(payer, seller)}
    assert page["events"] == [event]
    assert ask(node, ledger, version, "events", **given, cursor=page["cursor"])["events"] == []
