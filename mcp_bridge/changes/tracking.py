"""What is tracked: which tables a topic rests on. Declared beside the resource, kept by database triggers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import models

from lensproject.core import triggers
from mcp_bridge.changes.columns import TrackingError, key_column, tracked_columns
from mcp_bridge.changes.trigger_sql import COMMIT_CLOCK, Tracked, change_trigger

_TOPIC = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")
_LONGEST_TOPIC = 64

_tracked: dict[str, Tracked] = {}
_models: dict[str, type[models.Model]] = {}


def track(model: type[models.Model], *, topic: str, columns: Sequence[str], key: str | None = None) -> Tracked:
    """Declare that `topic` changes when these columns of `model` do, by whatever way the rows are written.

    `key` is the column whose text names the row to readers of one key (default: the primary key); a foreign key makes
    a change of the related row's part a change of that row. Columns are those that a payload shows, by field or column
    name; clocks and counters are refused. Several tables may carry one topic. Raises TrackingError.
    """
    if not _TOPIC.fullmatch(topic) or len(topic) > _LONGEST_TOPIC:
        raise TrackingError(
            f"topic {topic!r}: lower-case words joined by dots, such as 'lens.pairs', {_LONGEST_TOPIC} long"
        )
    if model._meta.abstract or model._meta.proxy or not model._meta.managed:
        raise TrackingError(f"track({model.__name__}, topic={topic!r}): the model has no table of its own")
    tracked = Tracked(
        topic=topic,
        table=model._meta.db_table,
        pk=str(model._meta.pk.column),
        key=key_column(model, topic, key),
        columns=tracked_columns(model, topic, columns),
    )
    trigger = change_trigger(tracked)
    if _tracked.get(trigger.name, tracked) != tracked:
        raise TrackingError(f"track({model.__name__}, topic={topic!r}): declared already with another key or columns")
    triggers.declare(COMMIT_CLOCK)
    triggers.declare(trigger)
    _tracked[trigger.name] = tracked
    _models[trigger.name] = model
    return tracked


def topics() -> tuple[str, ...]:
    """All topics that are tracked in this process, sorted."""
    return tuple(sorted({tracked.topic for tracked in _tracked.values()}))


def topics_of(names: Sequence[str]) -> tuple[str, ...]:
    """The topics that the triggers of these names write."""
    return tuple(sorted({_tracked[name].topic for name in names if name in _tracked}))


def tracked_models() -> frozenset[type[models.Model]]:
    """The models whose rows some topic rests on."""
    return frozenset(_models.values())


@contextmanager
def scratch() -> Iterator[None]:
    """Within the block declarations are made as usual; after it they are as they were before. For tests."""
    before = dict(_tracked), dict(_models)
    with triggers.scratch():
        try:
            yield
        finally:
            _tracked.clear()
            _tracked.update(before[0])
            _models.clear()
            _models.update(before[1])
