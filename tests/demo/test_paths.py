from __future__ import annotations

from pathlib import Path

from lensproject.environment import ROOT
from lensproject.management.demo.paths import shown


def test_paths_of_the_project_are_short() -> None:
    assert shown(ROOT / "var" / "run.json") == "var/run.json"


def test_other_paths_are_whole() -> None:
    assert shown(Path("/elsewhere/run.json")) == "/elsewhere/run.json"
    assert shown(ROOT.parent / "run.json") == str(ROOT.parent / "run.json")
