"""Play money: new accounts from the friendbot, the USDC-like asset from its issuer. Each closes a ledger at once."""

from __future__ import annotations

import re
from collections.abc import Callable

from stellar_sdk import Account, Asset, Keypair, StrKey, TransactionBuilder, TrustLineFlags, xdr

from payments.sandbox import entries
from payments.sandbox.node import Node
from payments.sandbox.presence import present
from payments.sandbox.records import TransactionRow
from payments.sandbox.state import State

STARTING_BALANCE = "10000"
_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,7})?")


class FaucetRefused(Exception):
    """The money was not given. The message says why."""


def fund(node: Node, address: str) -> TransactionRow:
    """Make the account with 10,000 XLM. Raises FaucetRefused, as friendbots do, when it is there already."""
    _account_address(address)
    if node.store.get(entries.account_key(address)) is not None:
        raise FaucetRefused(f"the account {address} is there already (op_already_exists)")
    return _closed(
        node,
        node.keys.friendbot,
        node.keys.friendbot.public_key,
        lambda builder: builder.append_create_account_op(address, STARTING_BALANCE),
    )


def mint(node: Node, address: str, amount: str) -> TransactionRow:
    """Pay `amount` of the asset from its issuer to an account with a trustline."""
    _account_address(address)
    if not _AMOUNT.fullmatch(amount) or not amount.strip("0."):
        raise FaucetRefused("amount must be a positive decimal with at most 7 places, as text")
    asset = node.keys.asset
    line = State(node.store, node.latest.sequence + 1).trustline(entries.trustline_key(address, asset))
    if line is None:
        raise FaucetRefused(f"the account {address} has no trustline to {asset.code}:{asset.issuer} (op_no_trust)")
    return _closed(
        node, node.keys.minter, node.keys.issuer, lambda builder: builder.append_payment_op(address, asset, amount)
    )


def authorise(node: Node, address: str, *, authorised: bool) -> TransactionRow:
    """Let an account use the asset, or no longer."""
    _account_address(address)
    flag, asset = TrustLineFlags.AUTHORIZED_FLAG, node.keys.asset
    given, taken = (flag, None) if authorised else (None, flag)
    return _closed(
        node,
        node.keys.minter,
        node.keys.issuer,
        lambda builder: builder.append_set_trust_line_flags_op(address, asset, taken, given),
    )


def _closed(
    node: Node, signer: Keypair, source: str, add: Callable[[TransactionBuilder], TransactionBuilder]
) -> TransactionRow:
    account = present(State(node.store, node.latest.sequence + 1).account(entries.account_key(source)))
    builder = TransactionBuilder(Account(source, account.seq_num.sequence_number.int64), node.network.passphrase, 100)
    transaction = add(builder).add_time_bounds(0, 0).build()
    transaction.sign(signer)
    submitted = node.read(transaction.to_xdr())
    sent = node.send(submitted)
    if sent.status != "PENDING":
        raise FaucetRefused(f"the ledger answered {sent.status}")
    node.close()
    row = present(node.store.transaction(submitted.hash, node.latest.sequence))
    if not row.succeeded:
        result = xdr.TransactionResult.from_xdr_bytes(row.result).result
        raise FaucetRefused(f"the transaction failed: {_reason(result)}")
    return row


def _reason(result: xdr.TransactionResultResult) -> str:
    for each in result.results or []:
        if each.tr is not None:
            inner = next(value for name, value in vars(each.tr).items() if name != "type" and value is not None)
            return str(inner.code.name)
    return result.code.name


def _account_address(address: str) -> None:
    if not StrKey.is_valid_ed25519_public_key(address):
        raise FaucetRefused("the address must be an account (G…)")


def native_contract(node: Node) -> str:
    return Asset.native().contract_id(node.network.passphrase)
