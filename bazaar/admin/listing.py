"""Listing, pausing and delisting an entry: a page each, with the reason that is shown with the state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from bazaar.catalog.entries import set_entry_state
from bazaar.models import CatalogEntry
from lensproject.core.admin import Danger, Fact

State = CatalogEntry.State


class Listing(Danger[CatalogEntry]):
    permission = "bazaar.list_catalogentry"
    bulk = True
    target: ClassVar[State]
    found: ClassVar[str]
    """What agents see of it afterwards."""

    def unavailable(self, row: CatalogEntry) -> str | None:
        return f"it is {self.done} already" if row.state == self.target else None

    def effect(self, row: CatalogEntry, answers: Mapping[str, Any]) -> Sequence[Fact]:
        ways = row.options.count()
        return (
            Fact("State", row.get_state_display(), self.target.label),
            Fact("Agents that search", "find it" if row.state == State.LISTED else "do not find it", self.found),
            Fact("Ways to pay", str(ways)),
        )

    def act(self, row: CatalogEntry, answers: Mapping[str, Any], *, row_version: int, by: Any, reason: str) -> Any:
        return set_entry_state(row, self.target, row_version=row_version, by=by, reason=reason)


class ListEntry(Listing):
    slug, label, done = "list", "List", "listed"
    target, found = State.LISTED, "find it"


class PauseEntry(Listing):
    slug, label, done = "pause", "Pause", "paused"
    target, found = State.PAUSED, "do not find it"


class DelistEntry(Listing):
    slug, label, done = "delist", "Delist", "delisted"
    bulk = False
    target, found = State.DELISTED, "do not find it; who knows its id reads the reason"
