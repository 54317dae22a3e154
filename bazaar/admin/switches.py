"""Turning something on or off: each way has a page that shows the effect and asks why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from lensproject.core.admin import Danger, Fact


class Switch(Danger[Any]):
    """Sets `enabled`. Subclasses name the service and count what hangs on it."""

    bulk = True
    turns_on: ClassVar[bool]
    revise: ClassVar[Callable[..., Any]]

    def unavailable(self, row: Any) -> str | None:
        return f"it is {self.done} already" if row.enabled == self.turns_on else None

    def effect(self, row: Any, answers: Mapping[str, Any]) -> Sequence[Fact]:
        on, off = "enabled", "disabled"
        return (Fact(str(row), off if self.turns_on else on, on if self.turns_on else off), *self.consequences(row))

    def consequences(self, row: Any) -> Sequence[Fact]:
        """What else is touched."""
        return ()

    def act(self, row: Any, answers: Mapping[str, Any], *, row_version: int, by: Any, reason: str) -> Any:
        change = {"enabled": self.turns_on}
        return type(self).revise(row, change, row_version=row_version, by=by, reason=reason)
