from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lensproject.local_secrets import local_secret
from tests.servers.processes import ROOT, child_environment


def test_a_secret_is_made_once_and_kept(tmp_path: Path) -> None:
    folder = tmp_path / "var" / "keys"
    first = local_secret(folder, "pepper")
    assert len(bytes.fromhex(first)) == 32
    assert local_secret(folder, "pepper") == first
    assert (folder / "pepper").read_text() == first


def test_each_name_has_a_secret_of_its_own(tmp_path: Path) -> None:
    assert local_secret(tmp_path, "a") != local_secret(tmp_path, "b")


def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    local_secret(tmp_path / "keys", "pepper")
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "keys" / "pepper").stat().st_mode) == 0o600


def test_nothing_is_left_beside_it(tmp_path: Path) -> None:
    local_secret(tmp_path, "pepper")
    assert [path.name for path in tmp_path.iterdir()] == ["pepper"]


def test_threads_that_start_together_agree(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(lambda _: local_secret(tmp_path, "pepper"), range(64)))
    assert found == {(tmp_path / "pepper").read_text()}


def test_processes_that_start_together_agree(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib; from lensproject.local_secrets import local_secret; "
        "print(local_secret(pathlib.Path(sys.argv[1]), 'pepper'))"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    children = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=child_environment())
        for _ in range(4)
    ]
    assert {child.communicate(timeout=30)[0].strip() for child in children} == {(tmp_path / "pepper").read_text()}


def test_an_empty_secret_ends_the_process_with_advice(tmp_path: Path) -> None:
    (tmp_path / "pepper").touch()
    with pytest.raises(SystemExit, match=r"is empty\. Restore it, or delete it"):
        local_secret(tmp_path, "pepper")
    assert (tmp_path / "pepper").read_text() == ""


def test_a_folder_that_cannot_be_made_ends_the_process_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=rf"The secret {tmp_path}/file/pepper cannot be kept there: File exists"):
        local_secret(tmp_path / "file", "pepper")


def test_a_failed_write_leaves_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SystemExit, match="No space left on device"):
        local_secret(tmp_path, "pepper")
    assert list(tmp_path.iterdir()) == []
