from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lensproject.management.demo import run_file
from lensproject.management.demo.run_file import DRAFT, NAME, Run, Secrets

RUN = Run(
    mcpUrl="http://127.0.0.1:8000/mcp",
    sseUrl="http://127.0.0.1:8000/sse",
    apiUrl="http://127.0.0.1:8000/api/v1",
    adminUrl="http://127.0.0.1:8000/admin/",
    adminUser="admin",
    adminPassword="generated",
    agentKey="lens_key",
    network="stellar:local",
    rpcUrl=None,
)


def test_it_holds_the_eleven_names_and_null_for_what_there_is_not(tmp_path: Path) -> None:
    run_file.keep(tmp_path, RUN)
    written = run_file.publish(tmp_path)
    assert written == tmp_path / NAME
    assert json.loads(written.read_text()) == {
        "mcpUrl": "http://127.0.0.1:8000/mcp",
        "sseUrl": "http://127.0.0.1:8000/sse",
        "apiUrl": "http://127.0.0.1:8000/api/v1",
        "adminUrl": "http://127.0.0.1:8000/admin/",
        "adminUser": "admin",
        "adminPassword": "generated",
        "agentKey": "lens_key",
        "network": "stellar:local",
        "rpcUrl": None,
        "sellerUrl": None,
        "facilitatorUrl": None,
    }


def test_only_its_owner_may_read_it_at_every_moment(tmp_path: Path) -> None:
    run_file.keep(tmp_path, RUN)
    assert (tmp_path / DRAFT).stat().st_mode & 0o777 == 0o600
    assert run_file.publish(tmp_path).stat().st_mode & 0o777 == 0o600


def test_it_does_not_appear_before_it_is_published(tmp_path: Path) -> None:
    run_file.keep(tmp_path, RUN)
    assert not (tmp_path / NAME).exists()
    run_file.publish(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_a_new_start_takes_it_away_and_keeps_its_secrets(tmp_path: Path) -> None:
    run_file.keep(tmp_path, RUN)
    run_file.publish(tmp_path)
    assert run_file.take_back(tmp_path) == Secrets("admin", "generated", "lens_key")
    assert not (tmp_path / NAME).exists()


def test_the_secrets_of_a_start_that_failed_are_not_lost(tmp_path: Path) -> None:
    run_file.keep(tmp_path, RUN)
    assert run_file.take_back(tmp_path) == Secrets("admin", "generated", "lens_key")


def test_the_newest_is_what_counts(tmp_path: Path) -> None:
    run_file.keep(tmp_path, RUN)
    run_file.publish(tmp_path)
    run_file.take_back(tmp_path)
    run_file.keep(tmp_path, replace(RUN, agentKey="another"))
    run_file.publish(tmp_path)
    assert run_file.take_back(tmp_path).agent_key == "another"


def test_without_a_run_before_there_are_no_secrets(tmp_path: Path) -> None:
    assert run_file.take_back(tmp_path) == Secrets(None, None, None)


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"agentKey": 5, "adminUser": ["admin"]}', "\x00"])
def test_a_damaged_file_counts_as_lost(tmp_path: Path, damage: str) -> None:
    (tmp_path / NAME).write_text(damage)
    assert run_file.take_back(tmp_path) == Secrets(None, None, None)


def test_bytes_that_are_no_text_count_as_lost(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"\xff\xfe\x00")
    assert run_file.take_back(tmp_path) == Secrets()


def test_a_side_file_that_a_killed_start_left_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / f".{DRAFT}").write_text("half")
    run_file.keep(tmp_path, RUN)
    assert run_file.take_back(tmp_path).agent_key == "lens_key"
