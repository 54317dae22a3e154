from __future__ import annotations

import subprocess
import sys

from tests.servers.processes import ROOT, child_environment
from tests.servers.test_processes import runs

# A child that starts a child of its own and ends; that one stays.
PROGRAM = """
import subprocess, sys
from tests.servers import orphans
orphans.adopt()
leave = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(%s)']); print('left')"
subprocess.run([sys.executable, "-c", leave % sys.argv[1]], check=True)
print(orphans.end_all(patience=float(sys.argv[2])), flush=True)
print(orphans.children())
"""


def adopt_and_end(sleeps: str, patience: str) -> list[str]:
    command = [sys.executable, "-c", PROGRAM, sleeps, patience]
    done = subprocess.run(command, cwd=ROOT, env=child_environment(), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_what_outlived_its_parent_is_named_and_ended() -> None:
    left, found, after = adopt_and_end("60", "0.2")
    assert left == "left"
    (line,) = found.strip("[]").split(", '")
    pid, _, command = line.strip("'\"").partition(" ")
    assert command.endswith("-c import time; time.sleep(60)")
    assert not runs(int(pid))
    assert after == "[]"


def test_what_ends_by_itself_in_time_is_no_orphan() -> None:
    assert adopt_and_end("0.2", "10") == ["left", "[]", "[]"]
