"""Under load, from several processes: no stale read, no commit without a notice, no time older than its commit.

Lasts four seconds; LENS_TEST_STRESS_SECONDS makes it longer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import pytest
from django.db import connection

from mcp_bridge.changes import fold
from mcp_bridge.models import Change, ChangeTotal
from tests.databases import Database, chosen_engine
from tests.mcp_bridge.changes.conftest import ITEMS
from tests.mcp_bridge.changes.shop import Item
from tests.mcp_bridge.changes.stress import KEYS
from tests.servers import processes

SECONDS = float(os.environ.get("LENS_TEST_STRESS_SECONDS", "4"))
PROCESSES = ("one", "two")
MILLISECOND = 0.001


@dataclass(frozen=True)
class Commit:
    key: str
    number: int
    stated: int
    before: int
    after: int


@dataclass
class Record:
    """What all processes did together."""

    commits: list[Commit] = field(default_factory=list)
    reads: list[tuple[str, int, int, float, bool]] = field(default_factory=list)
    notices: dict[tuple[str, str], list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    new: dict[str, int] = field(default_factory=dict)
    heard: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    rollbacks: set[str] = field(default_factory=set)

    def take(self, line: list[object]) -> None:
        kind, *values = line
        if kind == "commit":
            self.commits.append(Commit(*values))  # type: ignore[arg-type]
        elif kind == "read":
            self.reads.append(tuple(values))  # type: ignore[arg-type]
        elif kind == "notice":
            sweeper, key, number, at = values
            self.notices[str(sweeper), str(key)].append((number, at))  # type: ignore[arg-type]
        elif kind == "heard":
            sweeper, key, at = values
            self.heard[str(sweeper)][str(key)] = at  # type: ignore[assignment]
        elif kind == "new":
            key, before = values
            self.new[str(key)] = before  # type: ignore[assignment]
        else:
            self.rollbacks.add(str(values[0]))

    def stale_reads(self) -> Iterator[str]:
        """Reads that began after a commit was answered and did not see it."""
        for key in KEYS:
            done = sorted((commit.after, commit.number) for commit in self.commits if commit.key == key)
            ends = [after for after, _ in done]
            newest = list(accumulate((number for _, number in done), max))
            for read_key, number, began, _, _ in self.reads:
                known = bisect_right(ends, began)
                if read_key == key and known and newest[known - 1] > number:
                    yield f"{key} was {newest[known - 1]}, read as {number}"

    def old_times(self) -> Iterator[str]:
        """Reads of one state whose lastModified is older than a commit that they show (on SQLite: than its statement).

        A payload that was overtaken in each of its renderings is of no one state and says an older time, by intention.
        """
        slack, on_postgresql = MILLISECOND, chosen_engine() == "postgresql"
        by_number = {(commit.key, commit.number): commit for commit in self.commits}
        for key, number, _, last_modified, kept in self.reads:
            commit = by_number.get((key, number)) if kept else None
            at = commit and (commit.before if on_postgresql else commit.stated) / 1e9
            if at and last_modified < at - slack:
                yield f"{key} {number} committed at {at}, last modified {last_modified}"

    def missed_notices(self) -> Iterator[str]:
        """Commits after which some sweeper never heard of the key and saw the row so far or further."""
        for sweeper in {sweeper for sweeper, _ in self.notices}:
            for key in KEYS:
                seen = max((number for number, _ in self.notices[sweeper, key]), default=-1)
                yield from (f"{sweeper}: {c.key} {c.number}" for c in self.commits if c.key == key and c.number > seen)

    def unheard_rows(self) -> Iterator[str]:
        """New rows of which some sweeper was not told, neither by key nor, later, by every row."""
        for sweeper, heard in self.heard.items():
            for key, before in self.new.items():
                if key not in heard and heard.get("*", 0) < before:
                    yield f"{sweeper}: {key}"

    def latest_notice(self) -> float:
        """The longest time from a commit's answer to its notice, in seconds."""
        waits = [0.0]
        for (_, key), notices in self.notices.items():
            for commit in self.commits:
                if commit.key == key:
                    waits.append(
                        min((at for number, at in notices if number >= commit.number), default=0) - commit.after
                    )
        return max(waits) / 1e9


@pytest.fixture
def record(cloned_database: Database, tracked_shop: None, tmp_path: Path) -> Record:
    """Two processes write, read, sweep and fold at once; this is what they did."""
    environment = processes.child_environment(
        DATABASE_URL=cloned_database.url, DJANGO_SETTINGS_MODULE="tests.settings", LENS_TEST_DATABASE=chosen_engine()
    )
    started = {}
    found = Record()
    try:
        for name in PROCESSES:
            command = [sys.executable, "-m", "tests.mcp_bridge.changes.stress", name, str(SECONDS), str(tmp_path)]
            started[name] = processes.start(command, log=tmp_path / name, environment=environment)
        keep_time(started, tmp_path)
        for name, process in started.items():
            assert process.wait(timeout=30) == 0, processes.tail(tmp_path / name)
            for line in (tmp_path / name).read_text().splitlines():
                found.take(json.loads(line))
    finally:
        for process in started.values():
            processes.end(process)
    return found


def keep_time(started: dict[str, subprocess.Popen[bytes]], folder: Path) -> None:
    """All begin together, and sweepers end when all writers have."""
    for word, then in (("ready", "go"), ("written", "stop")):
        for name, process in started.items():
            said = (folder / f"{name}.{word}").exists
            log = folder / name
            processes.wait_until(said, process=process, log=log, what=f"{name} {word}", seconds=SECONDS + 40)
        (folder / then).touch()


@pytest.mark.timeout(SECONDS + 90)
def test_nothing_is_stale_missed_or_dated_back_while_many_write_read_sweep_and_fold(record: Record) -> None:
    assert len(record.commits) > 20 * SECONDS
    assert sum(kept for _, _, _, _, kept in record.reads) > 50 * SECONDS
    assert len(record.rollbacks) > 5
    assert len({sweeper for sweeper, _ in record.notices}) == len(record.heard) == len(PROCESSES)
    assert list(record.stale_reads()) == []
    assert list(record.old_times()) == []
    assert list(record.missed_notices()) == []
    assert list(record.unheard_rows()) == []
    assert not record.rollbacks & {key for heard in record.heard.values() for key in heard}
    assert 0 <= record.latest_notice() < 5
    rows = {item.code: int(item.price or 0) for item in Item.objects.filter(code__in=KEYS)}
    assert rows == {key: 1 + sum(commit.key == key for commit in record.commits) for key in KEYS}
    if connection.vendor == "postgresql":
        fold()
        folded = ChangeTotal.objects.get(topic=ITEMS, key="").changes
        assert folded + Change.objects.filter(topic=ITEMS).count() >= len(record.commits)
