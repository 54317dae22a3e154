"""One process of the stress test: writers, readers and a sweeper in threads, on the database that a URL names.

It prints what it did, one JSON list a line. Times are nanoseconds of the machine's clock, which all processes share.

    ["commit", key, number, stated, before, after]    the row got `number`; written at, COMMIT sent at, answered at
    ["read", key, number, began, last_modified, kept] a reader that began then saw `number`
    ["notice", sweeper, key, number, at]              a sweeper heard of the key, looked, and saw `number`
    ["new", key, before]                              a row of a key of its own was committed
    ["rollback", key]                                 that key was never there
    ["heard", sweeper, key, at]                       a sweep that ended then told of that key

Its parent keeps time by files in a folder: `go` begins, a process says `NAME.ready` before and `NAME.written` when its
writers have ended, and sweepers look for the last time when there is `stop`.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

KEYS = ("a", "b", "c")
TOPIC = "shop.items"
WRITERS, READERS = 3, 2
SWEEP_SECONDS = 0.02
FOLD_SECONDS = 0.2

# As 25 s of silence to 30 s of keeping, in a test that does not last so long.
SILENCE_SECONDS, KEEP_SECONDS = 2.0, 2.4


class Diary:
    """What the threads of this process did."""

    def __init__(self, name: str, is_over: Callable[[], bool]) -> None:
        self.name = name
        self.is_over = is_over
        self.lines: list[list[Any]] = []
        self.random = random.Random(name)

    def add(self, *entry: Any) -> None:
        self.lines.append(list(entry))


def write(diary: Diary) -> None:
    """Count a row or two up and add one, with pauses between statement and commit; a quarter is rolled back."""
    from django.db import transaction

    from tests.mcp_bridge.changes.shop import Item

    new = f"{diary.name}-{len(diary.lines)}"
    keys = sorted(diary.random.sample(KEYS, diary.random.choice((1, 1, 2))))
    kept = diary.random.random() < 0.75
    with transaction.atomic():
        stated = time.time_ns()
        numbers = {key: _count_up(key) for key in keys}
        Item.objects.create(code=new, shelf_id=1)
        time.sleep(diary.random.choice((0, 0, 0.002, 0.05)))
        transaction.set_rollback(not kept)
        before = time.time_ns()
    after = time.time_ns()
    diary.add(*(("new", new, before) if kept else ("rollback", new)))
    for key, number in numbers.items() if kept else ():
        diary.add("commit", key, number, stated, before, after)
    time.sleep(diary.random.choice((0, 0.001, 0.01)))


def _count_up(key: str) -> int:
    from django.db.models import F

    from tests.mcp_bridge.changes.shop import Item

    Item.objects.filter(code=key).update(price=F("price") + 1)
    return _number(key)


def _number(key: str) -> int:
    from tests.mcp_bridge.changes.shop import Item

    return int(Item.objects.values_list("price", flat=True).get(code=key) or 0)


def reader(kept: Any) -> Callable[[Diary], None]:
    """Reads one key, or all of them as one payload, kept in this process."""
    from mcp_bridge.changes import read_through

    def read(diary: Diary) -> None:
        key = diary.random.choice((*KEYS, "all"))
        keys = KEYS if key == "all" else (key,)
        began = time.time_ns()
        fresh = read_through(
            kept,
            key,
            lambda: {each: _number(each) for each in keys},
            topics=[TOPIC],
            keys=None if key == "all" else keys,
        )
        for each, number in fresh.value.items():
            diary.add("read", each, number, began, time_of(fresh), fresh.kept)
        time.sleep(0.001)

    return read


def time_of(fresh: Any) -> float:
    return float(fresh.last_modified.timestamp()) if fresh.last_modified else 0.0


def sweeper() -> Callable[[Diary], None]:
    """Hears of keys, and looks what they are: a notice that came before its commit is no notice of it."""
    from mcp_bridge.changes import Sweep

    sweep = Sweep()
    sweep.changed()

    def look(diary: Diary) -> None:
        heard = {key for topic, key in sweep.changed() if topic == TOPIC}
        for key in heard - set(KEYS):
            diary.add("heard", diary.name, key, time.time_ns())
        for key in heard & {*KEYS, "*"}:
            for each in KEYS if key == "*" else (key,):
                diary.add("notice", diary.name, each, _number(each), time.time_ns())
        time.sleep(SWEEP_SECONDS)

    return look


def fold_step(diary: Diary) -> None:
    from datetime import timedelta

    from mcp_bridge.changes import fold

    fold(keep=timedelta(seconds=KEEP_SECONDS))
    time.sleep(FOLD_SECONDS)


def repeat(step: Callable[[Diary], None], diary: Diary, failures: list[str]) -> None:
    from django.db import connection

    try:
        while not diary.is_over():
            step(diary)
        if diary.name.endswith("sweeper"):
            step(diary)
    except Exception as error:
        failures.append(f"{diary.name}: {error!r}")
        raise
    finally:
        connection.close()


def run(name: str, seconds: float, folder: Path) -> list[list[Any]]:
    """Run all threads: those that write and read for some seconds, the others until `stop`. Raises when one failed."""
    from mcp_bridge.changes import Kept, sweep

    sweep.LONGEST_SILENCE = SILENCE_SECONDS
    kept: Kept[dict[str, int]] = Kept()
    look = sweeper()
    say(folder / f"{name}.ready")
    wait_for(folder / "go")
    ends = time.monotonic() + seconds
    failures: list[str] = []

    def start(label: str, step: Callable[[Diary], None], is_over: Callable[[], bool]) -> tuple[Diary, threading.Thread]:
        diary = Diary(f"{name}-{label}", is_over)
        thread = threading.Thread(target=repeat, args=(step, diary, failures), name=diary.name)
        thread.start()
        return diary, thread

    busy = [start(f"writer-{n}", write, lambda: time.monotonic() > ends) for n in range(WRITERS)]
    busy += [start(f"reader-{n}", reader(kept), lambda: time.monotonic() > ends) for n in range(READERS)]
    others = [start("sweeper", look, (folder / "stop").exists), start("fold", fold_step, (folder / "stop").exists)]
    for _, thread in busy:
        thread.join()
    say(folder / f"{name}.written")
    for _, thread in others:
        thread.join()
    if failures:
        raise SystemExit("\n".join(failures))
    return [line for diary, _ in (*busy, *others) for line in diary.lines]


def say(file: Path) -> None:
    file.touch()


def wait_for(file: Path) -> None:
    while not file.exists():
        time.sleep(0.005)


def main(name: str, seconds: float, folder: Path) -> None:
    import django

    django.setup()
    from mcp_bridge import changes
    from tests.databases import Database, pointed_at
    from tests.mcp_bridge.changes.conftest import track_shop

    with changes.scratch(), pointed_at(Database(os.environ["DATABASE_URL"])):
        track_shop()
        for line in run(name, seconds, folder):
            sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), Path(sys.argv[3]))
