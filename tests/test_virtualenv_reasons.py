"""Why `.venv` is built again, decided from files alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from lensproject.virtualenv import Build, discard, read_stamp, reason_to_build, settle


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "requirements.txt").write_text("a==1\n")
    (tmp_path / "requirements-dev.txt").write_text("a==1\nb==1\n")
    return tmp_path


@pytest.fixture
def lock(tmp_path: Path) -> Iterator[IO[str]]:
    with (tmp_path / ".venv.lock").open("a") as file:
        yield file


def pretend_built(root: Path, lock: IO[str], *, dev: bool) -> None:
    """A folder that looks as a build leaves it."""
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch(mode=0o755)
    (root / ".venv" / "stamp.json").write_text(json.dumps(Build(root, dev=dev, lock=lock).wanted))


def reason(root: Path, lock: IO[str], *, dev: bool = False) -> str | None:
    build = Build(root, dev=dev, lock=lock)
    return reason_to_build(build.place, build.stamp, build.wanted)


def test_there_is_none(root: Path, lock: IO[str]) -> None:
    assert reason(root, lock) == "there is none"


@pytest.mark.parametrize("stamp", [None, "", "[1]", "{"], ids=["no file", "empty", "a list", "broken"])
def test_one_of_somebody_else(root: Path, lock: IO[str], stamp: str | None) -> None:
    (root / ".venv").mkdir()
    if stamp is not None:
        (root / ".venv" / "stamp.json").write_text(stamp)
    assert reason(root, lock) == "the one that is there has no stamp of this script"


@pytest.mark.parametrize("dev", [False, True])
def test_one_that_agrees(root: Path, lock: IO[str], dev: bool) -> None:
    pretend_built(root, lock, dev=dev)
    assert reason(root, lock, dev=dev) is None


def test_a_developers_one_serves_without_dev_too(root: Path, lock: IO[str]) -> None:
    pretend_built(root, lock, dev=True)
    assert reason(root, lock, dev=False) is None


def test_a_plain_one_does_not_serve_a_developer(root: Path, lock: IO[str]) -> None:
    pretend_built(root, lock, dev=False)
    assert reason(root, lock, dev=True) == "requirements-dev.txt is not what it was built from"


def test_a_developers_one_stays_one(root: Path, lock: IO[str]) -> None:
    pretend_built(root, lock, dev=True)
    (root / "requirements-dev.txt").write_text("a==2\nb==1\n")
    assert reason(root, lock, dev=False) == "requirements-dev.txt is not what it was built from"
    assert Build(root, dev=False, lock=lock).dev


@pytest.mark.parametrize("fact", ["place", "python", "requirements.txt"])
def test_a_fact_that_changed(root: Path, lock: IO[str], fact: str) -> None:
    pretend_built(root, lock, dev=False)
    path = root / ".venv" / "stamp.json"
    path.write_text(json.dumps({**read_stamp(path), fact: "another"}))
    assert reason(root, lock) == f"{fact} is not what it was built from"


def test_a_python_that_was_uninstalled(root: Path, lock: IO[str]) -> None:
    pretend_built(root, lock, dev=False)
    python = root / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/no/such/python")
    assert reason(root, lock) == "its Python is gone"


def test_settling_rewrites_texts_and_leaves_programs_and_links_alone(tmp_path: Path) -> None:
    side, place = tmp_path / ".venv.new", tmp_path / ".venv"
    (side / "bin").mkdir(parents=True)
    (side / "pyvenv.cfg").write_text(f"command = python -m venv {side}\n")
    (side / "bin" / "tool").write_text(f"#!{side}/bin/python\n")
    program = b"\x7fELF\0" + bytes(side)
    (side / "bin" / "program").write_bytes(program)
    (side / "bin" / "python").symlink_to("/no/such/python")

    settle(side, place)

    assert (side / "pyvenv.cfg").read_text() == f"command = python -m venv {place}\n"
    assert (side / "bin" / "tool").read_text() == f"#!{place}/bin/python\n"
    assert (side / "bin" / "program").read_bytes() == program
    assert (side / "bin" / "python").is_symlink()


def test_discarding_a_link_leaves_what_it_points_to(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (tmp_path / "link").symlink_to(kept)
    (tmp_path / "file").touch()
    (tmp_path / "folder" / "inside").mkdir(parents=True)

    for name in ("link", "file", "folder", "never there"):
        discard(tmp_path / name)

    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
