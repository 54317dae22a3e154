"""Seeding as the demo does it, with keys in a folder of the test's own."""

from __future__ import annotations

from pathlib import Path

from lensproject.management.demo import seeding
from lensproject.management.demo.run_file import Secrets
from lensproject.management.demo.seeding import Seeded


def seed(folder: Path, earlier: Secrets | None = None) -> Seeded:
    """Seed; with `earlier` as after a run that wrote these secrets."""
    return seeding.seed(folder / "keys", earlier or Secrets(), before_commit=lambda _: None)


def secrets_of(seeded: Seeded) -> Secrets:
    """What run.json would hold of it."""
    return Secrets(seeded.operator.user.username, seeded.operator.password, seeded.key.token)
