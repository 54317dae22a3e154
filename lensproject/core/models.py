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
