"""What selling on the local ledger needs: the network's node, an account of the facilitator, and the seller's terms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from bazaar.catalog.networks import revise_network
from bazaar.models import Asset, Network
from lensproject.checks import is_local
from lensproject.core.stellar.keypairs import account_of_seed
from lensproject.local_secrets import local_secret
from lensproject.management.demo.ledger import Ledger
from lensproject.management.demo.seeding.catalogue import demo_account
from lensproject.management.demo.seeding.once import REASON, Once
from payments.facilitator.keys import KEY_NAME
from payments.models import SourceAccount


@dataclass(frozen=True)
class Selling:
    """What the demo seller asks for, and who settles it. All are public addresses."""

    network: str
    asset: str
    pay_to: str
    facilitator: str


def on_ledger(network: Network, ledger: Ledger | None) -> Network:
    """The network with the ledger as its node, unless an operator gave it one elsewhere."""
    if ledger is None or network.rpc_url == ledger.url or not _is_ours(network.rpc_url):
        return network
    changes = {"rpc_url": ledger.url}
    return revise_network(network, changes, row_version=network.row_version, by=None, reason=REASON)


def prepared(once: Once, network: Network, usdc: Asset | None, keys: Path, ledger: Ledger | None) -> Selling | None:
    """The facilitator's account as a row, and the terms; None without a ledger, or where an operator removed USDC."""
    if ledger is None or usdc is None or network.name != ledger.network:
        return None
    address = facilitator_account(keys)
    accounts = SourceAccount.objects.filter(network=network, key_name=KEY_NAME)
    # The key was replaced: what it signed for before is of no use.
    accounts.exclude(address=address).update(state=SourceAccount.State.PAUSED)
    account, made = accounts.get_or_create(network=network, address=address, defaults={"key_name": KEY_NAME})
    if made:
        once.made.append(f"source account {account}")
    return Selling(network.name, usdc.contract, demo_account(keys, "seller"), address)


def facilitator_account(keys: Path) -> str:
    """The account of LENS_FACILITATOR_KEY, else of the key in var/keys, made when it is not there."""
    given = settings.LENS.facilitator_key
    return account_of_seed(bytes.fromhex(given.get_secret_value() if given else local_secret(keys, KEY_NAME)))


def _is_ours(url: str) -> bool:
    """Whether it is empty, or of this machine: where an earlier run's ledger was."""
    return not url or is_local(urlsplit(url).hostname or "")
