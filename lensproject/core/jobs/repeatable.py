"""Which tasks may simply be run again after the worker that ran them died."""

from __future__ import annotations

from typing import Any, TypeVar

from django.utils.module_loading import import_string
from django_tasks.base import Task

AnyTask = TypeVar("AnyTask", bound=Task[..., Any])

_paths: set[str] = set()


def repeatable(task: AnyTask) -> AnyTask:
    """Mark a task, above `@task()`: running it twice, even twice at once, leaves what running it once leaves."""
    _paths.add(task.module_path)
    return task


def is_repeatable(path: str) -> bool:
    """Whether the task at this dotted path is marked. One that cannot be imported any more is not."""
    try:
        import_string(path)
    except Exception:  # Whatever a module raises while it is imported: the task in it cannot be run.
        return False
    return path in _paths
