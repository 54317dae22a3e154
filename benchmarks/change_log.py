"""What the change log costs: writes with and without its triggers, and the looks that readers and sweepers take.

    .venv/bin/python -m benchmarks.change_log [sqlite|postgresql]

It makes a database of its own in a temporary folder and prints a table.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

ROWS = 10_000
SINGLES = 300
LOOKS = 100


def timed(step: Callable[[], object], times: int = 1) -> float:
    """Milliseconds of one step, the mean of `times`."""
    began = time.perf_counter()
    for _ in range(times):
        step()
    return (time.perf_counter() - began) / times * 1000


def writes() -> dict[str, float]:
    """Milliseconds by kind of write."""
    from django.db.models import F

    from tests.mcp_bridge.changes.shop import Item

    one = Item.objects.filter(code="k7")
    return {
        f"one UPDATE of {ROWS} rows": timed(lambda: Item.objects.update(price=F("price") + 1)),
        f"one UPDATE of {ROWS} rows that changes nothing": timed(lambda: Item.objects.update(label=F("label"))),
        "UPDATE of one row": timed(lambda: one.update(price=F("price") + 1), SINGLES),
        "UPDATE of one row, no tracked column": timed(lambda: one.update(looks=F("looks") + 1), SINGLES),
    }


def looks() -> dict[str, float]:
    """Milliseconds by kind of look, while the log is full and after a fold."""
    from mcp_bridge.changes import Sweep, fold, generation

    topic, sweep = ["shop.items"], Sweep()
    sweep.changed()
    return {
        "generation of a topic": timed(lambda: generation(topic), LOOKS),
        "generation of a key": timed(lambda: generation(topic, ["k7"]), LOOKS),
        "sweep": timed(sweep.changed, LOOKS),
        "fold": timed(lambda: fold(keep=timedelta(0))),
        "generation of a topic, folded": timed(lambda: generation(topic), LOOKS),
    }


def measure() -> None:
    from lensproject.core import triggers
    from mcp_bridge import changes
    from tests.mcp_bridge.changes import shop

    shop.build()
    shop.Item.objects.bulk_create([shop.Item(code=f"k{n}", shelf_id=1, price=1) for n in range(ROWS)], batch_size=500)
    plain = writes()
    with changes.scratch():
        changes.track(shop.Item, topic="shop.items", key="code", columns=("code", "label", "price", "data"))
        triggers.install()
        print(f"{'milliseconds':>46} {'plain':>15} {'tracked':>8}")
        for name, tracked in writes().items():
            print(f"{name:>46} {plain[name]:15.3f} {tracked:8.3f}")
        for name, spent in looks().items():
            print(f"{name:>46} {'':15} {spent:8.3f}")


def main(engine: str) -> None:
    os.environ["LENS_TEST_DATABASE"] = engine
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from tests.databases import Databases, PostgresDatabases, SqliteDatabases, cloned, migrated_template, pointed_at
    from tests.servers.postgres import postgres

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lens-benchmark-")))
        databases: Databases = SqliteDatabases(folder)
        if engine == "postgresql":
            databases = PostgresDatabases(folder, stack.enter_context(postgres(durable=True)).folder)
        clone = stack.enter_context(cloned(databases, migrated_template(databases)))
        stack.enter_context(pointed_at(clone))
        measure()


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["sqlite"], ["postgresql"]):
        sys.exit(__doc__)
    main(*(sys.argv[1:] or ["sqlite"]))
