"""What the collection refuses, by collecting tests that break its rules in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.rules import ADVICE
from tests.servers.processes import ROOT, child_environment

BROKEN = """
from __future__ import annotations
import pytest
from django.test import TransactionTestCase

@pytest.mark.django_db(transaction=True)
def test_commits(): ...

@pytest.mark.django_db(True)
def test_commits_by_position(): ...

@pytest.mark.django_db(reset_sequences=True)
def test_resets(): ...

def test_by_fixture(transactional_db): ...

def test_live(live_server): ...

class TestOld(TransactionTestCase):
    def test_old(self): ...

def test_both(db, cloned_database): ...

@pytest.mark.django_db
def test_marked_and_cloned(cloned_database): ...
"""
GOOD = """
from __future__ import annotations
import pytest
from django.test import TestCase

@pytest.mark.django_db
def test_marked(): ...

@pytest.mark.django_db(transaction=False)
def test_says_so(): ...

def test_by_fixture(db): ...

def test_cloned(cloned_database): ...

def test_without(): ...

class TestCommon(TestCase):
    def test_common(self): ...
"""


def collect(folder: Path, text: str, engine: str = "sqlite", place: str = "") -> subprocess.CompletedProcess[str]:
    path = folder / place / "test_sample.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    options = [
        "-p",
        "tests.rules",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "--collect-only",
        "-q",
        "-o",
        "addopts=",
    ]
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-c",
            str(ROOT / "pyproject.toml"),
            "--rootdir",
            str(folder),
            *options,
            str(path),
        ],
        cwd=ROOT,
        env=child_environment() | {"LENS_TEST_DATABASE": engine},
        capture_output=True,
        text=True,
        check=False,
    )


def test_whatever_flushes_is_refused_by_name(tmp_path: Path) -> None:
    done = collect(tmp_path, BROKEN)

    both = "cloned_database and db exclude each other: db's transaction would be open on another database"
    assert done.returncode == 4
    lines = done.stderr.removesuffix("\n\n").partition("ERROR: ")[2].splitlines()
    assert lines[-1] == ADVICE
    # pytest-django has its own order of tests.
    assert sorted(lines[:-1]) == sorted(
        [
            "test_sample.py::test_commits: django_db(transaction=True) flushes",
            "test_sample.py::test_commits_by_position: django_db(transaction=True) flushes",
            "test_sample.py::test_resets: django_db(transaction=True) flushes",
            "test_sample.py::test_by_fixture: the fixture transactional_db flushes",
            "test_sample.py::test_live: the fixture live_server flushes",
            "test_sample.py::TestOld::test_old: TransactionTestCase flushes",
            f"test_sample.py::test_both: {both}",
            f"test_sample.py::test_marked_and_cloned: {both}",
        ]
    )


def test_other_tests_are_collected(tmp_path: Path) -> None:
    done = collect(tmp_path, GOOD)

    assert done.returncode == 0, done.stdout + done.stderr
    collected = {line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line}
    assert collected == {
        "test_marked",
        "test_says_so",
        "test_by_fixture",
        "test_cloned",
        "test_without",
        "TestCommon::test_common",
    }


def test_what_asks_for_no_database_is_left_to_sqlite(tmp_path: Path) -> None:
    done = collect(tmp_path, GOOD, engine="postgresql")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "5/6 tests collected (1 deselected)" in done.stdout
    assert "test_without" not in done.stdout


def test_pages_and_other_implementations_are_left_to_sqlite(tmp_path: Path) -> None:
    done = collect(tmp_path, GOOD, engine="postgresql", place="tests/browser")

    assert done.returncode == 5, done.stdout + done.stderr
    assert "no tests collected (6 deselected)" in done.stdout
