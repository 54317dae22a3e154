"""What the facilitator accepts at the moment: its networks, its own accounts, the listed asset of a payment, its fees.

Steps on the database: short, and without any other host.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from bazaar.models import Asset, Network
from lensproject.core.stellar.networks import PASSPHRASES
from lensproject.core.x402.wire import PaymentRequirements
from payments.models import SourceAccount
from payments.x402.verification import Rules, Token


@dataclass(frozen=True)
class Situation:
    """`asset`, `token` and `url` are of the asked-for network; None when it or the asset is not listed here."""

    rules: Rules
    asset: Asset | None
    token: Token | None
    url: str | None


def situation(requirements: PaymentRequirements) -> Situation:
    """What we accept, and how what is asked for fits into it."""
    lens = settings.LENS
    networks = {network.name: network for network in served_networks()}
    rules = Rules(
        networks=frozenset(networks),
        own=frozenset(SourceAccount.objects.values_list("address", flat=True)),
        fee_ceiling=lens.facilitator_fee_ceiling,
        inclusion_fee=lens.facilitator_inclusion_fee,
    )
    network = networks.get(requirements.network)
    asset = None if network is None else listed_asset(network, requirements.asset)
    return Situation(rules=rules, asset=asset, token=token_of(asset), url=None if network is None else network.rpc_url)


def served_networks() -> list[Network]:
    """Enabled networks with a node and an account of ours; mainnet only where the setting allows it."""
    lens = settings.LENS
    networks = Network.objects.filter(enabled=True, source_accounts__isnull=False).exclude(rpc_url="").distinct()
    return [
        network
        for network in networks.order_by("name")
        # A row with another passphrase than the name's is none that we can sign for.
        if network.passphrase == PASSPHRASES.get(network.name)
        and (lens.mainnet_enabled or network.name != Network.Name.PUBNET)
    ]


def listed_asset(network: Network, contract: str) -> Asset | None:
    return Asset.objects.select_related("network").filter(network=network, contract=contract, enabled=True).first()


def token_of(asset: Asset | None) -> Token | None:
    """The asset as far as its ledger entries are known; None for a token contract of its own making."""
    if asset is None or asset.kind == Asset.Kind.CONTRACT:
        return None
    return Token(asset.contract, asset.code, asset.issuer)
