"""The Makefile's one decision, which Python it takes, and what .ci/run calls."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.processes import ROOT

NEW = f'exec "{sys.executable}" "$@"'
OLD = '[ "$1" = --version ] && echo "Python 3.9.2"\nexit 1'
BROKEN = "echo 'command not found' >&2\nexit 127"


def make(folder: Path, *arguments: str, **pythons: str) -> subprocess.CompletedProcess[str]:
    """`make` where PATH has only the given programs: what it would run is printed and not run."""
    for name, body in pythons.items():
        program = folder / name.replace("_", ".")
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
    make_program = shutil.which("make")
    assert make_program is not None
    return subprocess.run(
        [make_program, "--no-print-directory", "-n", *arguments],
        cwd=ROOT,
        env={"PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("pythons", "taken"),
    [
        ({"python3_11": NEW, "python3": NEW}, "python3.11"),
        ({"python3": NEW}, "python3"),
        ({"python3_11": BROKEN, "python3": NEW}, "python3"),
        ({"python3_11": NEW, "python3": OLD}, "python3.11"),
    ],
    ids=["both", "python3 only", "a shim without its Python", "an old python3"],
)
def test_the_first_python_that_is_new_enough_is_taken(tmp_path: Path, pythons: dict[str, str], taken: str) -> None:
    done = make(tmp_path, "run", **pythons)
    assert done.stdout.splitlines() == [f"{taken} -I lensproject/virtualenv.py", ".venv/bin/python manage.py demo"]
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("pythons", "found"), [({"python3": OLD}, "Python 3.9.2"), ({}, "not found")], ids=["an old one", "none"]
)
@pytest.mark.parametrize("target", ["run", "test"])
def test_without_a_new_one_it_says_what_it_found(
    tmp_path: Path, target: str, pythons: dict[str, str], found: str
) -> None:
    done = make(tmp_path, target, **pythons)
    assert done.returncode == 2
    assert "Python 3.11 or newer is needed: there is no python3.11, and python3 is" in done.stderr
    assert found in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("test", ".venv/bin/python -m tests.run check sqlite postgresql"),
        ("check", ".venv/bin/python -m tests.run check"),
        ("fresh", "rm -rf var"),
    ],
)
def test_what_the_targets_run(tmp_path: Path, target: str, command: str) -> None:
    assert make(tmp_path, target, python3_11=NEW).stdout.splitlines()[-1] == command


def test_ci_runs_make_test_in_the_projects_folder_without_input(tmp_path: Path) -> None:
    stub = tmp_path / "make"
    stub.write_text('#!/bin/sh\necho "$@" in "$PWD"\ncat\nexit 7\n')
    stub.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CI": "true"}
    done = subprocess.run(
        [ROOT / ".ci" / "run"],
        cwd=tmp_path,
        env=environment,
        input="not for you",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (7, f"test in {ROOT}\n")
