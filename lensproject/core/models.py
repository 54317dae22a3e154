"""The abstract base of curated rows, and the worker's leases."""

from __future__ import annotations

from typing import Any

from django.db import models
from simple_history.models import HistoricalRecords


class Curated(models.Model):
    """A row that people curate: its version grows with each change, and a change names the version it was made on.

    Changed only through `core.curation`, which also writes the history row with who and why.
    """

    row_version = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    history: Any = HistoricalRecords(history_change_reason_field=models.TextField(null=True), inherit=True)

    class Meta:
        abstract = True


class Lease(models.Model):
    """Who may do a named piece of work: one holder until a moment, with a fence that grows with each take-over.

    Changed only through `core.leases`. While nobody holds it (`holder` is empty), `until` is the moment from which it
    can be taken: of a job's lease, when the job is due.
    """

    name = models.CharField(max_length=200)
    holder = models.CharField(max_length=64, blank=True, default="")
    until = models.DateTimeField()
    fence = models.BigIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0, help_text="Runs of a job in a row that ended in an error.")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("name",), name="core_lease_name_once"),
            models.CheckConstraint(condition=~models.Q(name=""), name="core_lease_name_given"),
            models.CheckConstraint(condition=models.Q(fence__gte=0), name="core_lease_fence_not_negative"),
        )

    def __str__(self) -> str:
        return self.name
