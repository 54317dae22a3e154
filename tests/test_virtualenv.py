"""`.venv` built for real, by the script as a process, from a wheel made here: no network is used."""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from pathlib import Path

import pytest

from tests.servers.processes import ROOT, child_environment

SCRIPT = ROOT / "lensproject" / "virtualenv.py"
ENTRY = "import sys\ndef main(): print(sys.prefix)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the script and requirements of one package, whose command `tiny` prints its sys.prefix."""
    root = tmp_path / "a project"
    (root / "lensproject").mkdir(parents=True)
    shutil.copy(SCRIPT, root / "lensproject")
    wheel = tmp_path / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny.py", ENTRY)
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/entry_points.txt", "[console_scripts]\ntiny = tiny:main\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    line = f"tiny @ {wheel.as_uri()} \\\n    --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"
    (root / "requirements.txt").write_text(line)
    (root / "requirements-dev.txt").write_text(f"# for developers\n{line}")
    return root


def command(project: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-I", str(project / "lensproject" / "virtualenv.py"), *arguments]


def environment(**more: str) -> dict[str, str]:
    return child_environment(PIP_NO_INDEX="1", **more)


def build(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(project, *arguments), env=environment(), capture_output=True, text=True, timeout=50, check=False
    )


def start(project: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(project), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def works(project: Path) -> bool:
    """Whether the installed command runs, and from the final place."""
    tiny = subprocess.run([project / ".venv" / "bin" / "tiny"], capture_output=True, text=True, check=False)
    return tiny.stdout == f"{project / '.venv'}\n"


def no_side_folders(project: Path) -> bool:
    return not (project / ".venv.new").exists() and not (project / ".venv.old").exists()


def test_a_build_is_whole_and_names_its_final_place(project: Path) -> None:
    for leftover in (".venv.new", ".venv.old"):
        (project / leftover / "bin").mkdir(parents=True)

    done = build(project)

    assert done.stdout.splitlines() == [
        f".venv: building with Python {sys.version.split()[0]}, because there is none",
        ".venv: making the folder",
        ".venv: installing 1 packages of requirements.txt",
        ".venv: ready",
    ]
    assert done.returncode == 0
    assert works(project)
    assert no_side_folders(project)
    texts = [
        path for path in [*(project / ".venv" / "bin").iterdir(), project / ".venv" / "pyvenv.cfg"] if path.is_file()
    ]
    assert [path.name for path in texts if b".venv.new" in path.read_bytes()] == []
    shell = f'. "{project}/.venv/bin/activate" && command -v tiny && echo "$VIRTUAL_ENV"'
    activated = subprocess.run(["sh", "-c", shell], env=environment(), capture_output=True, text=True, check=True)
    assert activated.stdout.splitlines() == [str(project / ".venv" / "bin" / "tiny"), str(project / ".venv")]


def test_nothing_is_done_while_the_stamp_agrees_and_all_again_when_requirements_change(project: Path) -> None:
    assert build(project, "--dev").returncode == 0
    mark = project / ".venv" / "mark"
    mark.touch()

    # A folder with the developers' packages serves `make run` as well.
    for arguments in ([], ["--dev"]):
        again = build(project, *arguments)
        assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert mark.exists()

    with (project / "requirements.txt").open("a") as requirements:
        requirements.write("# changed\n")
    changed = build(project)
    first, *_, last = changed.stdout.splitlines()
    assert first.endswith("because requirements.txt is not what it was built from")
    # What a developer has stays a developer's.
    assert ".venv: installing 1 packages of requirements-dev.txt" in changed.stdout
    assert last == ".venv: ready"
    assert not mark.exists()
    assert works(project)
    assert no_side_folders(project)


def test_a_wrong_hash_is_refused_and_what_was_there_stays(project: Path) -> None:
    mark = project / ".venv" / "mark"
    mark.parent.mkdir()
    mark.touch()
    requirements = project / "requirements.txt"
    text, _, _ = requirements.read_text().partition("sha256:")
    requirements.write_text(f"{text}sha256:{'0' * 64}\n")

    done = build(project)

    assert done.returncode == 1
    assert "DO NOT MATCH THE HASHES" in done.stderr
    message = ".venv: installing 1 packages of requirements.txt failed with status 1; what was there is unchanged."
    assert done.stderr.splitlines()[-1] == message
    assert mark.exists()


@pytest.mark.parametrize(
    ("sent", "status"), [(signal.SIGKILL, -9), (signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["kill", "term", "int"]
)
def test_after_an_interruption_the_next_run_builds_anew(project: Path, sent: signal.Signals, status: int) -> None:
    interrupted = start(project)
    wait_for(project / ".venv.new" / "bin" / "python")
    interrupted.send_signal(sent)
    output, _ = interrupted.communicate(timeout=30)

    assert interrupted.returncode == status
    assert "Traceback" not in output
    assert not (project / ".venv").exists()

    # After SIGKILL pip may still be at work: then this one waits for it first.
    done = build(project)
    assert done.returncode == 0, done.stderr
    assert works(project)
    assert no_side_folders(project)


def test_of_two_at_once_one_builds_and_the_other_waits(project: Path) -> None:
    first, second = start(project), start(project)
    outputs = [process.communicate(timeout=50)[0] for process in (first, second)]

    assert (first.returncode, second.returncode) == (0, 0)
    assert sorted("because there is none" in output for output in outputs) == [False, True]
    waited = next(output for output in outputs if "because there is none" not in output)
    assert waited in (".venv: waiting for another build to end\n", "")
    assert works(project)


def test_the_script_can_be_read_by_pythons_that_are_too_old() -> None:
    ast.parse(SCRIPT.read_text(), feature_version=(3, 7))


def test_a_python_that_is_too_old_is_refused(project: Path) -> None:
    done = pretend(project, "sys.version_info = (3, 9, 2)")

    assert done.returncode == 1
    assert done.stderr == f"Python 3.11 or newer is needed; {sys.executable} is 3.9.2.\n"
    assert not (project / ".venv").exists()


NO_ENSUREPIP = """
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "ensurepip" and not os.path.exists({flag!r}) else found(name)
os.geteuid = lambda: {uid}
"""


def pretend(project: Path, preparation: str, *, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the script as a program, in a Python that was prepared to look like another one."""
    script = str(project / "lensproject" / "virtualenv.py")
    run = f"sys.argv = [{script!r}]; runpy.run_path({script!r}, run_name='__main__')"
    program = f"import os, runpy, sys\n{preparation}\n{run}"
    settings = environment() if path is None else environment(PATH=path)
    return subprocess.run(
        [sys.executable, "-I", "-c", program], env=settings, capture_output=True, text=True, timeout=50, check=False
    )


def apt_get(folder: Path, body: str) -> Path:
    """An apt-get of our own in `folder`, which writes its arguments to the file `calls` and then does `body`."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "apt-get"
    program.write_text(f'#!/bin/sh\necho "$@" >> "{folder}/calls"\n{textwrap.dedent(body)}\n')
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize(("uid", "apt"), [(1000, True), (0, False)], ids=["not root", "no apt-get"])
def test_without_ensurepip_one_line_says_what_to_run(project: Path, tmp_path: Path, uid: int, apt: bool) -> None:
    stubs = apt_get(tmp_path / "stubs", "exit 0") if apt else tmp_path

    done = pretend(project, NO_ENSUREPIP.format(uid=uid, flag="/no such file"), path=str(stubs))

    assert done.returncode == 1
    (line,) = done.stdout.splitlines()
    assert line.startswith("apt-get install -y python3")
    assert (
        line.partition("  # as root: ")[2] == f"{sys.executable} has no ensurepip, without which .venv cannot be built"
    )
    assert done.stderr == ""
    assert not (tmp_path / "stubs" / "calls").exists()
    assert not (project / ".venv").exists()


def test_without_ensurepip_root_installs_it_and_goes_on(project: Path, tmp_path: Path) -> None:
    flag = tmp_path / "ensurepip is there"
    # The first try fails, as in an image whose package lists were removed.
    body = f'[ "$1" = update ] && : > "{tmp_path}/lists"\n[ -e "{tmp_path}/lists" ] || exit 100\n: > "{flag}"'
    stubs = apt_get(tmp_path / "stubs", body)

    done = pretend(project, NO_ENSUREPIP.format(uid=0, flag=str(flag)), path=f"{stubs}:{os.environ['PATH']}")

    assert done.returncode == 0, done.stderr
    install, update, again = (stubs / "calls").read_text().splitlines()
    assert install.startswith("install -y python3")
    assert update == "update"
    assert again == install
    assert works(project)


def test_when_apt_get_fails_its_words_are_shown(project: Path, tmp_path: Path) -> None:
    stubs = apt_get(tmp_path / "stubs", "echo 'E: no network'; exit 100")

    done = pretend(project, NO_ENSUREPIP.format(uid=0, flag="/no such file"), path=str(stubs))

    assert done.returncode == 1
    assert "E: no network\n" in done.stderr
    assert f"{sys.executable} still has no ensurepip after: apt-get install -y python3" in done.stderr
    assert not (project / ".venv").exists()


def wait_for(path: Path, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not come"
        time.sleep(0.01)
