"""The change log: database triggers write down which rows changed, and readers and subscribers ask it.

`track` declares what a topic rests on. `generation` numbers the state of topics, `read_through` keeps payloads under
it, `Sweep` says what changed since the last look, `fold` keeps the log small. docs/change-log.md has the guarantee.
"""

from __future__ import annotations

from mcp_bridge.changes import announcing, hints
from mcp_bridge.changes.announcing import announce
from mcp_bridge.changes.columns import TrackingError
from mcp_bridge.changes.fold import fold
from mcp_bridge.changes.generations import Generation, generation
from mcp_bridge.changes.hints import hint, look_now
from mcp_bridge.changes.keeping import Fresh, Kept, read_through
from mcp_bridge.changes.sweep import Sweep
from mcp_bridge.changes.tracking import scratch, topics, track

__all__ = [
    "Fresh",
    "Generation",
    "Kept",
    "Sweep",
    "TrackingError",
    "announce",
    "connect",
    "fold",
    "generation",
    "hint",
    "look_now",
    "read_through",
    "scratch",
    "topics",
    "track",
]


def connect() -> None:
    """Called once by the bridge's AppConfig."""
    announcing.connect()
    hints.connect()
