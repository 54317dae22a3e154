"""The steps of `make check` and `make test`, with a line and a time for each.

    python -m tests.run check sqlite postgresql

Every step is run, also after one that failed, so one run tells all that is wrong. The exit status is 0 when all passed.
It is a failure too when a process is left behind, which is then ended.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests import machine
from tests.servers import orphans

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
PYTEST = ("pytest", "-q", "--durations=10")
SUITE = (*PYTEST, "--numprocesses=logical", "--maxprocesses=8", "--dist=worksteal")
MANAGE = ("python", "manage.py")
LIMIT_S = 15 * 60


@dataclass(frozen=True)
class Step:
    """A command of `.venv/bin` with the environment that it needs in addition."""

    title: str
    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    step: Step
    passed: bool
    seconds: float
    output: str = ""

    def line(self) -> str:
        return f"{'passed' if self.passed else 'FAILED'} {self.seconds:7.1f} s  {self.step.title}"


# mypy takes as long as all others together, so it starts first.
CHECK = (
    Step("types", ("mypy",)),
    Step("format", ("ruff", "format", "--check", ".")),
    Step("lint", ("ruff", "check", ".")),
    Step("layers", ("lint-imports",)),
    Step("migrations", (*MANAGE, "makemigrations", "--check", "--dry-run")),
    Step("openapi.json", (*MANAGE, "export_openapi", "--check")),
    Step("docs", (*PYTEST, "tests/docs")),
)
SUITES = {
    engine: Step(f"suite on {engine}", SUITE, {"LENS_TEST_DATABASE": engine}) for engine in ("sqlite", "postgresql")
}


def main(names: Sequence[str]) -> int:
    unknown = set(names) - {"check", *SUITES}
    if unknown or not names:
        print("usage: python -m tests.run [check] [sqlite] [postgresql]", file=sys.stderr)
        return 2
    needed = machine.prepare() if set(names) & SUITES.keys() else None
    if needed is not None:
        print(needed, file=sys.stderr)
        return 1
    orphans.adopt()
    outcomes: list[Outcome] = []
    for name in names:
        outcomes += check() if name == "check" else [shown(SUITES[name])]
        outcomes += left_behind(name)
    print("\n" + "\n".join(outcome.line() for outcome in outcomes), flush=True)
    return 0 if all(outcome.passed for outcome in outcomes) else 1


def check() -> Iterable[Outcome]:
    """Two steps at a time, each with its output in one piece."""
    with ThreadPoolExecutor(max_workers=2) as threads:
        for future in [threads.submit(run, step, quiet=True) for step in CHECK]:
            outcome = future.result()
            print(outcome.line(), flush=True)
            if not outcome.passed:
                print(outcome.output, flush=True)
            yield outcome


def shown(step: Step) -> Outcome:
    """A step whose output is seen while it runs."""
    print(f"\n{step.title}: {' '.join(step.command)}", flush=True)
    outcome = run(step, quiet=False)
    print(outcome.output, end="", flush=True)
    return outcome


def run(step: Step, *, quiet: bool) -> Outcome:
    started = time.monotonic()
    # Into a file and not through a pipe, which a process that is left behind would hold open.
    with tempfile.TemporaryFile() as kept:
        try:
            done = subprocess.run(
                [str(BIN / step.command[0]), *step.command[1:]],
                cwd=ROOT,
                env=environment(step),
                stdin=subprocess.DEVNULL,
                stdout=kept if quiet else None,
                stderr=subprocess.STDOUT if quiet else None,
                timeout=LIMIT_S,
                check=False,
            )
            passed, end = done.returncode == 0, ""
        except subprocess.TimeoutExpired:
            passed, end = False, f"{step.title} did not end within {LIMIT_S} s"
        kept.seek(0)
        output = kept.read().decode(errors="replace") + end
    return Outcome(step, passed, time.monotonic() - started, output)


def environment(step: Step) -> dict[str, str]:
    """What was there, without settings of the platform: a developer's own must change nothing here."""
    ours = ("DATABASE_URL", "REDIS_URL", "MCP_OPENAPI_PATH", "DJANGO_SETTINGS_MODULE", "PYTEST_ADDOPTS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LENS_") and name not in ours}
    return {**kept, "DJANGO_SETTINGS_MODULE": "tests.settings", **step.environment}


def left_behind(name: str) -> list[Outcome]:
    """A failure that names the processes which outlived the steps; they are ended here."""
    found = orphans.end_all()
    if not found:
        return []
    print("left running: " + "; ".join(found), flush=True)
    return [Outcome(Step(f"processes left behind by {name}", ()), passed=False, seconds=0.0)]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
