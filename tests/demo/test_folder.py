from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from lensproject.management.demo import folder
from lensproject.management.demo.faults import DemoFailed


def test_the_folder_and_its_logs_are_made(tmp_path: Path) -> None:
    with folder.held(tmp_path / "new" / "var") as logs:
        assert logs == tmp_path / "new" / "var" / "log"
        assert logs.is_dir()


def test_a_second_demo_is_told_who_runs_there(tmp_path: Path) -> None:
    with folder.held(tmp_path), pytest.raises(DemoFailed) as refused, folder.held(tmp_path):
        pass
    assert f"A demo already runs with {tmp_path}: process {os.getpid()}." in str(refused.value)
    assert "LENS_VAR" in str(refused.value)


def test_the_folder_is_free_again_afterwards(tmp_path: Path) -> None:
    for _ in range(2):
        with folder.held(tmp_path) as logs:
            assert logs.is_dir()
    assert (tmp_path / "demo.lock").read_text() == f"{os.getpid()}\n"


def test_the_lock_file_is_the_owners_alone(tmp_path: Path) -> None:
    with folder.held(tmp_path):
        assert (tmp_path / "demo.lock").stat().st_mode & 0o777 == 0o600


def test_what_is_written_meanwhile_is_the_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with folder.held(tmp_path) as logs:
            subprocess.run(["/bin/sh", "-c", 'echo secret > "$0"', str(logs / "web.log")], check=True)
            sqlite3.connect(tmp_path / "db.sqlite3").execute("CREATE TABLE sessions (id)").connection.close()
        (tmp_path / "later").write_text("as ever")
    finally:
        os.umask(before)
    modes = {
        file.name: file.stat().st_mode & 0o777 for file in (logs / "web.log", *tmp_path.glob("[dl]*")) if file.is_file()
    }
    assert modes == {"web.log": 0o600, "db.sqlite3": 0o600, "demo.lock": 0o600, "later": 0o644}


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("no folder")
    refusal = pytest.raises(DemoFailed, match=r"var/log cannot be written: Not a directory\. Set LENS_VAR")
    with refusal, folder.held(tmp_path / "var"):
        pass


def test_a_folder_in_place_of_the_lock_is_named(tmp_path: Path) -> None:
    (tmp_path / "demo.lock").mkdir()
    with pytest.raises(DemoFailed, match=r"demo\.lock cannot be written: Is a directory"), folder.held(tmp_path):
        pass


def test_what_is_logged_goes_to_a_file_of_its_own_and_no_longer_to_the_screen(tmp_path: Path) -> None:
    screen = (tmp_path / "screen").open("w")
    handler = logging.StreamHandler(screen)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        with folder.own_log(tmp_path) as path:
            logging.getLogger("tests.demo").warning("to the file")
            assert "to the file" in path.read_text()
        logging.getLogger("tests.demo").warning("to the screen again")
    finally:
        root.removeHandler(handler)
        screen.close()
    assert (tmp_path / "screen").read_text() == "to the screen again\n"


def test_a_log_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / folder.OWN_LOG).mkdir()
    with pytest.raises(DemoFailed, match=r"demo\.log cannot be written: Is a directory"), folder.own_log(tmp_path):
        pass
