"""What /supported tells: the kinds that can be settled now, and every account that transactions leave from."""

from __future__ import annotations

from typing import Any

from lensproject.core.x402.wire import VERSION
from payments.facilitator.situation import served_networks
from payments.models import SourceAccount
from payments.x402.terms import SCHEME

FAMILY = "stellar:*"


def supported() -> dict[str, Any]:
    """Kinds, extensions and signers (reference: section 3). A network whose accounts are all low or paused has none."""
    active = SourceAccount.objects.filter(state=SourceAccount.State.ACTIVE, network__in=served_networks())
    accounts = list(active.order_by("network__name", "pk").values_list("network__name", "address"))
    return {
        "kinds": [kind(network) for network in dict.fromkeys(network for network, _ in accounts)],
        "extensions": [],
        "signers": {FAMILY: list(dict.fromkeys(address for _, address in accounts))},
    }


def kind(network: str) -> dict[str, Any]:
    return {"x402Version": VERSION, "scheme": SCHEME, "network": network, "extra": {"areFeesSponsored": True}}
