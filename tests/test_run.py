"""The runner of steps, as a process with steps of our own: it tells the time of each and what failed."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.run import CHECK, SUITES
from tests.servers.processes import ROOT, child_environment


def run(program: str, *names: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m tests.run` with its tables changed by `program` first."""
    command = (
        f"import tests.run as run\nfrom tests.run import Step\n{program}\nraise SystemExit(run.main({list(names)}))"
    )
    return subprocess.run(
        [sys.executable, "-c", command],
        cwd=ROOT,
        env=child_environment(**more),
        capture_output=True,
        text=True,
        check=False,
    )


def python(title: str, program: str, environment: str = "{}") -> str:
    return f"Step({title!r}, ('python', '-c', {program!r}), {environment})"


def table(output: str) -> list[tuple[str, str]]:
    """The last lines: what came of each step."""
    lines = output.rpartition("\n\n")[2].splitlines()
    found = [re.fullmatch(r"(passed|FAILED) +\d+\.\d s  (.*)", line) for line in lines]
    return [(match[1], match[2]) for match in found if match]


def test_all_steps_run_and_the_one_that_failed_is_told_with_its_output() -> None:
    steps = [python("first", "print('fine')"), python("second", "print('wrong'); exit(3)"), python("third", "print(1)")]
    done = run(f"run.CHECK = ({', '.join(steps)})", "check")

    assert done.returncode == 1
    assert table(done.stdout) == [("passed", "first"), ("FAILED", "second"), ("passed", "third")]
    assert "\nwrong\n" in done.stdout
    # What passed keeps its words to itself.
    assert "fine" not in done.stdout


def test_suites_are_seen_while_they_run_and_told_their_database() -> None:
    program = "import os; print('on', os.environ['LENS_TEST_DATABASE'])"
    suites = (
        "run.SUITES = {name: Step(name, ('python', '-c', %r), step.environment) for name, step in run.SUITES.items()}"
    )
    done = run(suites % program, "sqlite", "postgresql")

    assert done.returncode == 0
    assert "\non sqlite\n" in done.stdout
    assert "\non postgresql\n" in done.stdout
    assert table(done.stdout) == [("passed", "sqlite"), ("passed", "postgresql")]


def test_settings_of_the_developers_shell_change_nothing() -> None:
    program = "import os; print(sorted(name for name, value in os.environ.items() if value == 'mine')); exit(1)"
    outside = dict.fromkeys(("LENS_DEBUG", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "OTHER"), "mine")
    done = run(f"run.CHECK = ({python('step', program)},)", "check", **outside)
    assert "\n['OTHER']\n" in done.stdout


def test_a_step_that_hangs_fails() -> None:
    done = run(f"run.LIMIT_S = 0.5; run.CHECK = ({python('step', 'import time; time.sleep(60)')},)", "check")
    assert done.returncode == 1
    assert "step did not end within 0.5 s" in done.stdout


def test_a_process_that_is_left_behind_is_a_failure() -> None:
    leave = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"
    done = run(f"run.CHECK = ({python('step', leave)},)", "check")

    assert done.returncode == 1
    assert table(done.stdout) == [("passed", "step"), ("FAILED", "processes left behind by check")]
    assert re.search(r"left running: \d+ \S*python\S* -c import time; time.sleep\(60\)", done.stdout)


@pytest.mark.parametrize("names", [(), ("all",), ("check", "mysql")], ids=["none", "unknown", "one unknown"])
def test_a_step_that_is_not_known_is_refused(names: tuple[str, ...]) -> None:
    done = run("run.CHECK = ()", *names)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "usage: python -m tests.run [check] [sqlite] [postgresql]\n"


def test_the_tables_hold_what_the_project_promises() -> None:
    assert {step.title for step in CHECK} == {"types", "format", "lint", "layers", "migrations", "openapi.json", "docs"}
    assert {name: step.environment for name, step in SUITES.items()} == {
        "sqlite": {"LENS_TEST_DATABASE": "sqlite"},
        "postgresql": {"LENS_TEST_DATABASE": "postgresql"},
    }
