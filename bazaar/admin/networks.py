"""Networks: which Stellar networks there are, which nodes are asked, and which may be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString

from bazaar.admin.switches import Switch
from bazaar.catalog.networks import create_network, revise_network
from bazaar.markets.shown_urls import only_host
from bazaar.models import Network
from lensproject.core.admin import CuratedAdmin, CuratedForm, Fact
from lensproject.core.admin.display import badge, when


class NetworkSwitch(Switch):
    permission = "bazaar.enable_network"
    bulk = False
    revise = staticmethod(revise_network)

    def consequences(self, row: Network) -> Sequence[Fact]:
        then = "usable" if self.turns_on else "refused in payments and quotes"
        money = "Play money" if row.is_play_money else "Real money" if row.name == Network.Name.PUBNET else "Test money"
        return (
            Fact("What moves on it", money),
            Fact("Assets on it", str(row.assets.count()), then),
            Fact("Pairs on it", str(row.pairs.count()), then),
            Fact("Venues on it", str(row.venues.count()), then),
        )


class EnableNetwork(NetworkSwitch):
    slug, label, done, turns_on = "enable", "Enable", "enabled", True


class DisableNetwork(NetworkSwitch):
    slug, label, done, turns_on = "disable", "Disable", "disabled", False


class NetworkForm(CuratedForm):
    def _get_validation_exclusions(self) -> set[str]:
        """The default's mark is left to the service, which takes it from the network that has it."""
        excluded: set[str] = super()._get_validation_exclusions()  # type: ignore[misc]
        return excluded | {"is_default"}


@admin.register(Network)
class NetworkAdmin(CuratedAdmin[Network]):
    """Enabling has a page of its own; mainnet also needs LENS_MAINNET_ENABLED."""

    form = NetworkForm
    create = staticmethod(create_network)
    revise = staticmethod(revise_network)
    dangers = (EnableNetwork(), DisableNetwork())
    history_words: ClassVar[Mapping[str, Callable[[Any], object]]] = {"rpc_url": only_host, "horizon_url": only_host}
    fixed = ("name",)
    read_as: ClassVar[Mapping[str, str]] = {"rpc_url": "rpc_host", "horizon_url": "horizon_host"}
    list_display = ("name", "state", "is_default", "rpc_host", "horizon_host", when("updated_at", "changed"))
    list_filter = ("enabled",)
    search_fields = ("name__startswith",)
    search_help_text = "The beginning of the CAIP-2 name, such as stellar:test."
    readonly_fields = ("state",)
    empty_hint = "No network yet. Add the local one to begin with play money: `make run` does that by itself."

    fieldsets = (
        (None, {"fields": ("name", "state", "is_default", "passphrase")}),
        ("Nodes", {"fields": ("rpc_url", "horizon_url")}),
    )

    @admin.display(description="state")
    def state(self, row: Network) -> SafeString:
        return badge("Enabled", "good") if row.enabled else badge("Disabled", "quiet")

    @admin.display(description="RPC node")
    def rpc_host(self, row: Network) -> str:
        return only_host(row.rpc_url) or "–"

    @admin.display(description="Horizon node")
    def horizon_host(self, row: Network) -> str:
        return only_host(row.horizon_url) or "–"
