from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lensproject.management.demo import processes, waiting
from lensproject.management.demo.faults import DemoFailed
from lensproject.management.demo.processes import Child

Start = Callable[[str, str], Child]
SLEEP = "import time; time.sleep(60)"
FAIL = "import sys; print('the reason'); sys.exit(3)"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as started:

        def start_one(name: str, code: str) -> Child:
            log = tmp_path / f"{name}.log"
            child = processes.start(name, [sys.executable, "-c", code], log=log, environment=os.environ)
            started.callback(processes.end, [child])
            return child

        yield start_one


def test_it_asks_until_the_answer_is_yes(start: Start) -> None:
    answers = iter(["not yet", "not yet", None])
    waiting.until_ready(start("web", SLEEP), lambda: next(answers), seconds=30)
    assert list(answers) == []


def test_a_child_that_ends_first_is_shown_with_its_tail(start: Start) -> None:
    child = start("web", FAIL)
    with pytest.raises(DemoFailed) as failed:
        waiting.until_ready(child, lambda: "no answer", seconds=30)
    assert str(failed.value) == f"web ended with status 3. The end of {child.log}:\n\nthe reason"


def test_a_child_that_is_late_is_shown_with_its_last_answer(start: Start) -> None:
    with pytest.raises(DemoFailed, match=r"web is not ready after 0.1 s: /readyz answers 503\. The end of"):
        waiting.until_ready(start("web", SLEEP), lambda: "/readyz answers 503", seconds=0.1)


def test_an_agent_that_ends_well_is_all_that_is_waited_for(start: Start) -> None:
    agent = start("agent", "pass")
    waiting.until_ended(agent, seconds=30, others=[start("web", SLEEP)])
    assert agent.process.returncode == 0


def test_an_agent_that_fails_is_shown_with_its_tail(start: Start) -> None:
    with pytest.raises(DemoFailed, match=r"(?s)agent ended with status 3.*the reason"):
        waiting.until_ended(start("agent", FAIL), seconds=30, others=[])


def test_an_agent_that_hangs_is_not_waited_for(start: Start) -> None:
    with pytest.raises(DemoFailed, match=r"agent did not end within 0.1 s"):
        waiting.until_ended(start("agent", SLEEP), seconds=0.1, others=[])


def test_while_the_agent_runs_the_others_are_watched(start: Start) -> None:
    with pytest.raises(DemoFailed, match="web ended with status 3"):
        waiting.until_ended(start("agent", SLEEP), seconds=30, others=[start("web", FAIL)])


def test_serving_ends_with_the_first_child_that_ends(start: Start) -> None:
    children = [start("web", SLEEP), start("worker", "import os, time; time.sleep(0.3); os.kill(os.getpid(), 9)")]
    began = time.monotonic()
    with pytest.raises(DemoFailed, match=r"worker ended with signal SIGKILL\."):
        waiting.until_one_ends(children)
    assert time.monotonic() - began < 10
    assert not children[0].has_ended()
