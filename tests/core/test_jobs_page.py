"""docs/jobs.md against the code."""

from __future__ import annotations

import re
import sys
from types import ModuleType

import pytest

from lensproject.core.jobs import registry
from lensproject.core.jobs.execution import Outcome
from lensproject.core.jobs.repeatable import is_repeatable
from lensproject.environment import ROOT

PAGE = (ROOT / "docs" / "jobs.md").read_text(encoding="utf-8")
SAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_every_job_is_described_and_no_other() -> None:
    registry.discover()
    jobs = {job.name for vendor in ("sqlite", "postgresql") for job in registry.registered(vendor)}
    assert set(re.findall(r"^\| `(\w+\.\w+)` \|", PAGE, re.MULTILINE)) == jobs


def test_every_outcome_of_a_run_is_described() -> None:
    said = re.search(r"`outcome` \(([a-z, ]+)\)", PAGE)
    assert said is not None
    assert said[1].split(", ") == [outcome.value for outcome in Outcome]


@pytest.mark.parametrize(("sample", "name"), [(0, "expire_approvals"), (1, "import_catalog")], ids=["a job", "a task"])
def test_the_samples_run(sample: int, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("sample_of_the_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with registry.scratch():
        exec(SAMPLES[sample], vars(module))  # noqa: S102
        declared = [job.function.__name__ for job in registry.registered("sqlite")]
    assert (name in declared, is_repeatable(f"sample_of_the_page.{name}")) == (sample == 0, sample == 1)
