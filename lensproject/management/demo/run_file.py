"""`var/run.json`: where everything is, for programs on this machine. Mode 0600, because keys are in it.

It appears when everything has answered, and a new start takes it away. Until it appears its content stands in a second
file, so that a key or a password that was made is not lost when the start fails afterwards.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

NAME = "run.json"
DRAFT = "run.starting.json"


@dataclass(frozen=True)
class Run:
    """What run.json holds, under these names. Null: there is none, or nobody knows it any more."""

    mcpUrl: str
    sseUrl: str | None
    apiUrl: str
    adminUrl: str
    adminUser: str | None
    adminPassword: str | None
    agentKey: str | None
    network: str | None
    rpcUrl: str | None
    sellerUrl: str | None = None
    facilitatorUrl: str | None = None


@dataclass(frozen=True)
class Secrets:
    """What an earlier run wrote and the database cannot give back."""

    admin_user: str | None = None
    admin_password: str | None = None
    agent_key: str | None = None


def take_back(var: Path) -> Secrets:
    """The secrets of the run before. From here on there is no run.json until `publish`."""
    written, draft = var / NAME, var / DRAFT
    if written.exists():
        written.replace(draft)
    found = _read(draft)
    return Secrets(found.get("adminUser"), found.get("adminPassword"), found.get("agentKey"))


def keep(var: Path, run: Run) -> None:
    """Write everything down, not yet under the name that means that all answers."""
    side = var / f".{DRAFT}"
    side.unlink(missing_ok=True)
    with os.fdopen(os.open(side, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(json.dumps(asdict(run), indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    side.replace(var / DRAFT)


def publish(var: Path) -> Path:
    """Everything answers: run.json appears, whole."""
    (var / DRAFT).replace(var / NAME)
    return var / NAME


def _read(path: Path) -> dict[str, str | None]:
    """The texts in it; none when it is missing or was damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    items = content.items() if isinstance(content, dict) else ()
    return {name: value for name, value in items if isinstance(value, str)}
