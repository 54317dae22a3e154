"""What a test may ask the ledger to do wrong. Each fault ends by itself or with `clear`."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass
class Faults:
    """`lost_replies`: sends that are taken and whose answer never comes. `busy`: sends answered TRY_AGAIN_LATER.
    `slow`: seconds before each answer. `behind`: ledgers that this node lags. `failing_ledgers`: ledgers in which every
    contract call traps. `skew`: seconds added to close times that are told.
    """

    lost_replies: int = 0
    busy: int = 0
    slow: float = 0.0
    behind: int = 0
    failing_ledgers: int = 0
    skew: int = 0

    def clear(self) -> None:
        for each in fields(self):
            setattr(self, each.name, each.default)

    def take(self, name: str) -> bool:
        """Use one of a counted fault, if there is one left."""
        left = int(getattr(self, name))
        if left:
            setattr(self, name, left - 1)
        return bool(left)
