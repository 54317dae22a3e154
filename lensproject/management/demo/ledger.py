"""The local ledger from outside: what it says of itself, and accounts with play money on it."""

from __future__ import annotations

import asyncio
import http.client
import json
from dataclasses import dataclass
from typing import Any

from lensproject.core.stellar.faults import NodeFault
from lensproject.core.stellar.keypairs import account_of_seed
from lensproject.core.stellar.rpc import Node
from lensproject.core.stellar.trustlines import trust
from lensproject.management.demo.faults import DemoFailed
from lensproject.management.demo.ports import HOST
from payments.x402 import ledger_keys
from payments.x402.accounts import account_states
from payments.x402.ledger_keys import Token

SECONDS = 30
PAUSE_SECONDS = 0.2


@dataclass(frozen=True)
class Ledger:
    """A ledger that answers. `code`, `issuer` and `contract` are its USDC-like asset."""

    port: int
    network: str
    passphrase: str
    code: str
    issuer: str
    contract: str

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"


def described(port: int) -> Ledger:
    """The ledger on a port, as it describes itself. Raises DemoFailed."""
    about = _get(port, "/")
    try:
        asset = about["asset"]
        return Ledger(port, about["network"], about["passphrase"], asset["code"], asset["issuer"], asset["contract"])
    except (KeyError, TypeError):
        raise DemoFailed("The ledger does not say what it is; is the port another program's?") from None


def open_account(ledger: Ledger, address: str) -> bool:
    """Have the friendbot make the account where it is not there. Returns whether it did."""
    if asyncio.run(_exists(ledger, address)):
        return False
    _get(ledger.port, f"/friendbot?addr={address}")
    return True


def open_trustline(ledger: Ledger, seed: bytes) -> bool:
    """Open an account that can hold the ledger's asset. Returns whether anything was missing. Raises DemoFailed."""
    made = open_account(ledger, account_of_seed(seed))
    try:
        return asyncio.run(_trusted(ledger, seed)) or made
    except NodeFault as fault:
        raise DemoFailed(f"The ledger does not open a trustline: {fault}.") from None


async def _exists(ledger: Ledger, address: str) -> bool:
    async with Node(ledger.url) as node:
        return address in await account_states(node, [address])


async def _trusted(ledger: Ledger, seed: bytes) -> bool:
    address = account_of_seed(seed)
    line = ledger_keys.trustline(address, Token(ledger.contract, ledger.code, ledger.issuer))
    async with Node(ledger.url) as node:
        if line in (await node.entries([line])).found:
            return False
        sequence = (await account_states(node, [address]))[address].sequence
        envelope, hash = trust(seed, ledger.code, ledger.issuer, passphrase=ledger.passphrase, sequence=sequence)
        await node.send(envelope)
        for _ in range(int(SECONDS / PAUSE_SECONDS)):
            found = await node.transaction(hash)
            if found.status != "NOT_FOUND":
                break
            await asyncio.sleep(PAUSE_SECONDS)
    if found.status != "SUCCESS":
        raise DemoFailed(f"The ledger does not open a trustline: the transaction is {found.status}.")
    return True


def _get(port: int, path: str) -> Any:
    connection = http.client.HTTPConnection(HOST, port, timeout=SECONDS)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise DemoFailed(f"The ledger does not answer ({type(error).__name__}).") from None
    finally:
        connection.close()
    if answer.status != 200:
        raise DemoFailed(f"The ledger answers {answer.status} to {path}: {text[:200]}")
    try:
        return json.loads(text)
    except ValueError:
        raise DemoFailed("The ledger's answer is not JSON; is the port another program's?") from None
