from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pydantic import SecretStr
from pytest_django import Settings

from lensproject.core import clock, leases
from lensproject.core.triggers import remove
from lensproject.environment import Environment
from lensproject.management.commands.doctor import setting_lines
from tests.databases import Database
from tests.servers.processes import ROOT
from tests.servers.web import settings as process_settings


@pytest.fixture
def well(db: None, settings: Settings, tmp_path: Path) -> None:
    """A platform with which nothing is wrong: a worker is at work."""
    (tmp_path / "openapi.json").write_text("{}")
    settings.LENS = Environment(var=tmp_path, mcp_openapi_path=tmp_path / "openapi.json")
    assert leases.take("worker:test", "test", 30) is not None


def doctor() -> tuple[str, str | None]:
    """What it says, and the complaint with which it ends."""
    output, complaint = StringIO(), None
    try:
        call_command("doctor", stdout=output)
    except CommandError as error:
        complaint = error
    assert complaint is None or complaint.returncode == 1
    return output.getvalue(), None if complaint is None else str(complaint)


def test_all_is_well(well: None) -> None:
    said, complaint = doctor()
    assert complaint is None
    for line in ("ok    database: answers", "ok    migrations: all applied", "ok    worker: 1 at work"):
        assert f"  {line}\n" in said
    assert "WRONG" not in said
    assert said.endswith("\nAll is well.\n")


def test_without_a_worker_it_says_how_to_start_one(well: None) -> None:
    with clock.frozen(clock.now() + timedelta(minutes=1)):
        said, complaint = doctor()
    assert "  WRONG worker: none is at work\n        Start one: `manage.py worker`." in said
    assert complaint == "1 thing(s) to put right."


def test_triggers_that_are_gone(well: None) -> None:
    remove()
    said, complaint = doctor()
    assert "  WRONG triggers: " in said
    assert "Run `manage.py migrate`: it puts them back." in said
    assert "  WRONG check core.E010: " in said
    assert complaint is not None


def test_errors_of_system_checks_are_wrong_and_warnings_are_told(well: None, settings: Settings) -> None:
    settings.LENS = settings.LENS.model_copy(update={"public_url": "http://lens.example", "secret_key": None})
    said, complaint = doctor()
    assert (
        "  WRONG check lens.E001: The platform is public and has no secret key of its own.\n        Set LENS_SE" in said
    )
    assert "  ok    check lens.W001: Keys and passwords are sent in clear to LENS_PUBLIC_URL.\n        End TLS" in said
    assert complaint == "3 thing(s) to put right."  # E001, E002 (peppers) and E004 (allowed hosts).


def test_settings_are_shown_and_secrets_are_not() -> None:
    lines = list(
        setting_lines(
            Environment(
                secret_key=SecretStr("hush" * 10),
                redis_url=SecretStr("redis://:hush@cache"),
                allowed_hosts=("a.example", "b.example"),
                pool_threads=3,
            )
        )
    )
    assert len(lines) == len(Environment.model_fields)
    assert "hush" not in "".join(lines)
    shown = dict(line.split(maxsplit=1) for line in lines)
    assert shown["LENS_SECRET_KEY"] == "set"
    assert shown["LENS_KEY_PEPPERS"] == "unset"
    assert shown["DATABASE_URL"] == "unset"
    assert shown["REDIS_URL"] == "set"
    assert shown["LENS_ALLOWED_HOSTS"] == "a.example, b.example"
    assert shown["LENS_CSRF_TRUSTED_ORIGINS"] == "none (default)"
    assert shown["LENS_POOL_THREADS"] == "3"
    assert shown["LENS_DEBUG"] == "False (default)"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=50, check=False)


def test_a_database_that_is_away_is_told_with_what_to_do(tmp_path: Path) -> None:
    found = run("doctor", **process_settings(f"sqlite:///{tmp_path}/gone/lens.sqlite3", tmp_path / "var", {}))
    assert found.returncode == 1
    assert "  WRONG database: does not answer\n        OperationalError: unable to open database file\n" in found.stdout
    assert "Look at DATABASE_URL" in found.stdout
    assert "Traceback" not in found.stdout + found.stderr


def test_a_process_of_its_own_ends_with_status_0_or_1(cloned_database: Database, tmp_path: Path) -> None:
    environment = process_settings(cloned_database.url, tmp_path / "var", {})
    found = run("doctor", **environment)
    assert (found.returncode, "WRONG worker" in found.stdout) == (1, True)
    assert leases.take("worker:test", "test", 60) is not None
    found = run("doctor", **environment)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.endswith("All is well.\n")


def test_mistakes_of_the_environment_are_told_before_anything_else(tmp_path: Path) -> None:
    more = {"LENS_DEBGU": "1", "LENS_POOL_THREADS": "none", "LENS_SECRET_KEY": "hush"}
    found = run("doctor", **process_settings("sqlite:///x", tmp_path, more))
    assert found.returncode == 1
    assert found.stderr.splitlines() == [
        "The environment has 3 mistake(s); .env.example lists every setting:",
        "  LENS_DEBGU: no such setting; LENS_DEBUG is one",
        "  LENS_SECRET_KEY: needs at least 32 characters",
        "  LENS_POOL_THREADS: Input should be a valid integer, unable to parse string as an integer",
    ]
    assert found.stdout == ""


def test_the_deployment_checks_are_clean_where_it_is_set_up_well(cloned_database: Database, tmp_path: Path) -> None:
    more = {
        "LENS_PUBLIC_URL": "https://lens.example",
        "LENS_ALLOWED_HOSTS": "lens.example",
        "LENS_PROXY_COUNT": "1",
        "LENS_SECRET_KEY": os.urandom(40).hex(),
        "LENS_KEY_PEPPERS": f"1:{os.urandom(32).hex()}",
    }
    environment = process_settings(cloned_database.url, tmp_path / "var", more)
    found = run("check", "--deploy", "--fail-level", "WARNING", "--database", "default", **environment)
    assert (found.returncode, found.stdout) == (0, "System check identified no issues (1 silenced).\n")
