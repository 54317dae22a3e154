from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from lensproject.core.jobs import every, registry
from tests.servers.processes import ROOT, child_environment


@pytest.fixture(autouse=True)
def scratch() -> Iterator[None]:
    with registry.scratch():
        yield


def look() -> None: ...


async def flow() -> None: ...


def test_a_declared_job_is_registered_and_its_function_is_left_as_it_is() -> None:
    assert every(30)(look) is look
    (job,) = registry.registered("sqlite")
    assert (job.name, job.period, job.function, job.is_async) == ("tests.look", 30, look, False)
    assert job.lease == "job:tests.look"


def test_an_async_function_is_known_as_one() -> None:
    every(30, name="flow")(flow)
    assert registry.registered("sqlite")[0].is_async


def test_jobs_come_by_name() -> None:
    for name in ("b.two", "a.one", "c.three"):
        every(1, name=name)(look)
    assert [job.name for job in registry.registered("sqlite")] == ["a.one", "b.two", "c.three"]


def test_a_period_may_be_asked_for_when_the_worker_plans() -> None:
    seconds = [5.0]
    every(lambda: seconds[0])(look)
    (job,) = registry.registered("sqlite")
    assert job.period == 5
    seconds[0] = 7
    assert job.period == 7


def test_a_job_for_one_database_is_left_out_on_the_other() -> None:
    every(1, vendor="postgresql")(look)
    assert [job.name for job in registry.registered("postgresql")] == ["tests.look"]
    assert registry.registered("sqlite") == ()


def test_a_function_with_defaults_only_may_be_a_job() -> None:
    def fold(using: str = "default", *, keep: int = 30, **more: object) -> None: ...

    every(1)(fold)
    assert len(registry.registered("sqlite")) == 1


def test_a_function_that_needs_arguments_is_refused() -> None:
    def fold(using: str) -> None: ...

    with pytest.raises(ValueError, match=r"^job tests\.fold: the worker calls it without arguments$"):
        every(1)(fold)
    assert registry.registered("sqlite") == ()


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_period_of_nothing_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="which must be more than 0"):
        every(seconds)(look)
    assert registry.registered("sqlite") == ()


def test_a_name_is_given_once() -> None:
    every(1, name="fold")(look)
    with pytest.raises(ValueError, match=r"^job fold: declared twice$"):
        every(2, name="fold")(flow)
    assert registry.registered("sqlite")[0].function is look


def test_a_name_that_its_lease_cannot_hold_is_refused() -> None:
    every(1, name="n" * 196)(look)
    with pytest.raises(ValueError, match="too long"):
        every(1, name="n" * 197)(look)


def test_declaring_a_job_needs_no_models() -> None:
    """An app may declare jobs in a module that is imported before Django is ready."""
    code = (
        "from lensproject.core.jobs import every, repeatable, stopping; every(1)(lambda: None); assert not stopping()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=child_environment(DJANGO_SETTINGS_MODULE="tests.settings"),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
