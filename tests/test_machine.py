from __future__ import annotations

from pathlib import Path

import pytest

from tests import machine


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH of its own, with apt-get on it and no chromium."""
    monkeypatch.setenv("PATH", str(tmp_path))
    _program(tmp_path, "apt-get")
    return tmp_path


def _program(folder: Path, name: str) -> None:
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)


def test_nothing_is_done_where_all_is_there(programs: Path) -> None:
    _program(programs, "chromium")
    assert machine.prepare(_refused, root=True) is None


def _refused(words: list[str]) -> int:
    raise AssertionError(words)


def test_who_is_not_root_is_told_the_one_command(programs: Path) -> None:
    assert machine.prepare(_refused, root=False) == "Missing on this machine: apt-get install -y chromium"


def test_without_apt_the_command_is_told_too(programs: Path) -> None:
    (programs / "apt-get").unlink()
    assert machine.prepare(_refused, root=True) == "Missing on this machine: apt-get install -y chromium"


def test_root_installs(programs: Path) -> None:
    said: list[list[str]] = []

    def run(words: list[str]) -> int:
        said.append(words)
        _program(programs, "chromium")
        return 0

    assert machine.prepare(run, root=True) is None
    assert said == [["apt-get", "install", "-y", "--no-install-recommends", "chromium"]]


def test_old_lists_are_refreshed_once(programs: Path) -> None:
    said: list[str] = []

    def run(words: list[str]) -> int:
        said.append(words[1])
        return 0 if words[1] == "update" else 100

    assert machine.prepare(run, root=True) == "Missing on this machine: apt-get install -y chromium"
    assert said == ["install", "update", "install"]
