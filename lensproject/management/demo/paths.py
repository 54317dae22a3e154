"""How paths are written for people."""

from __future__ import annotations

import os
from pathlib import Path

from lensproject.environment import ROOT


def shown(path: Path) -> str:
    """Relative to the project where it lies in it."""
    return os.path.relpath(path, ROOT) if path.is_relative_to(ROOT) else str(path)
