"""The benchmarks run to their end and print every line; what they measure is not judged on a machine of any kind."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from benchmarks.measuring import Measured, together
from tests.interop.node import Node
from tests.servers.processes import ROOT, child_environment


def printed(module: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env=child_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_verifications_are_measured_beside_the_reference(node: Node) -> None:
    table = printed("benchmarks.verification", "4")
    lines = [line[:72].rstrip() for line in table.splitlines()]
    for start in (
        "verify, one after the other: ours",
        "verify, one after the other: TypeScript without its Horizon look-up",
        "verify, 16 at a time: ours",
        "its Horizon look-up, refused at once",
        "refuse another amount: ours",
        "refuse another amount: TypeScript",
        "refuse a signature that is not the payer's: ours",
        "TypeScript",
        "the ledger",
    ):
        assert [line for line in lines if line.startswith(start)], f"{start}\n{table}"
    assert len(re.findall(r"\d\.\d ×$", table, re.MULTILINE)) == 4


@pytest.mark.parametrize("arguments", [["many"], ["1", "2"]])
def test_other_arguments_print_how_it_is_called(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "benchmarks.verification", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=child_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "python -m benchmarks.verification [count]" in done.stderr


def test_rates_are_by_time_and_by_cpu_time() -> None:
    rounds = [Measured("x", 2.0, 0.5, [1.0, 3.0], 5), Measured("x", 2.0, 0.5, [2.0, 4.0], 7)]
    whole = together(rounds)
    assert (whole.a_second, whole.per_core, whole.memory) == (1.0, 4.0, 7)
    assert (whole.percentile(50), whole.percentile(99)) == (3.0, 4.0)
