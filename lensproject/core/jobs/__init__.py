"""Periodic jobs and the worker that runs them: each an idempotent look at rows, under a lease.

An app states its jobs in its module `jobs`, which the worker finds as Django finds `admin`:

    @every(30)
    def expire_approvals() -> int: ...

What is long calls `checkpoint()` now and then, so that its worker can end. A task of the Tasks API that may simply be
run again after its worker died is marked `@repeatable`. docs/jobs.md says the rest.
"""

from __future__ import annotations

from lensproject.core.jobs.registry import every
from lensproject.core.jobs.repeatable import repeatable
from lensproject.core.jobs.runs import Interrupted, Run, checkpoint, current, stopping

__all__ = ["Interrupted", "Run", "checkpoint", "current", "every", "repeatable", "stopping"]
