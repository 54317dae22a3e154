from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.servers import folders
from tests.servers.folders import PREFIX, has_room, is_reachable, remove_orphans, temporary_folder
from tests.servers.processes import ROOT

OWNER = """
import sys, time
from tests.servers import folders
with folders.temporary_folder("owned") as folder:
    print(folder, flush=True)
    time.sleep(60)
"""


def age(folder: Path, seconds: float = 120) -> None:
    then = time.time() - seconds
    os.utime(folder, (then, then))


def test_a_folder_is_ours_alone_and_gone_afterwards() -> None:
    with temporary_folder("mine") as folder:
        assert folder.name.startswith(f"{PREFIX}mine-")
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "file").touch()
    assert not folder.exists()


def test_a_folder_is_gone_after_a_failure_too() -> None:
    with pytest.raises(LookupError), temporary_folder("mine") as folder:
        raise LookupError
    assert not folder.exists()


def test_quick_folders_lie_in_memory_only_where_that_has_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MEMORY", tmp_path)
    with temporary_folder("quick", quick=True) as folder:
        assert folder.parent == tmp_path
    monkeypatch.setattr(folders, "ROOM", 1 << 62)
    with temporary_folder("quick", quick=True) as folder:
        assert folder.parent == folders.reachable_temporary_folder()
    assert not has_room(tmp_path / "not there")


def test_the_folder_of_an_owner_that_was_killed_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)}
    # Reachable for nobody or not: here the folder must be where this test looks.
    program = f"import tests.servers.folders as f; f.reachable_temporary_folder = lambda: f.Path({str(tmp_path)!r})\n"
    owner = subprocess.Popen(
        [sys.executable, "-c", program + OWNER], env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    with owner:
        assert owner.stdout is not None
        folder = Path(owner.stdout.readline().strip())
        age(folder)
        remove_orphans(tmp_path)
        assert folder.exists(), "its owner is alive"
        owner.send_signal(signal.SIGKILL)
        owner.wait(10)

    age(folder)
    remove_orphans(tmp_path)
    assert not folder.exists()


def test_a_folder_that_was_made_a_moment_ago_is_left_alone(tmp_path: Path) -> None:
    young, other = tmp_path / f"{PREFIX}young", tmp_path / "other"
    young.mkdir()
    other.mkdir()
    age(other)
    remove_orphans(tmp_path)
    assert young.exists()
    assert other.exists()


def test_reachable_means_that_every_folder_on_the_way_is_open(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folders.reachable_temporary_folder()) as name:
        top = Path(name)
        program = top / "bin" / "program"
        program.parent.mkdir()
        program.touch(mode=0o755)
        top.chmod(0o755)
        assert is_reachable(program)
        top.chmod(0o700)
        assert not is_reachable(program)
        top.chmod(0o755)
        program.chmod(0o700)
        assert not is_reachable(program)
