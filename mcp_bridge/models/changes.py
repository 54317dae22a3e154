"""The change log: which keys of which topic changed, and when."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from mcp_bridge.models.constraints import UniqueOnSqlite

EVERY_KEY = "*"
WHOLE_TOPIC = ""


class Change(models.Model):
    """Rows of a topic changed: the one of `key`, or every one (`*`). Written by triggers, read by generations and
    sweeps.

    SQLite has one row for each topic and key, written anew by each change: the newest id is the order of commits.
    PostgreSQL has a row for each change until it is folded into ChangeTotal, and a column `xid`, the transaction that
    wrote it.
    """

    id = models.BigAutoField(primary_key=True)
    topic = models.CharField(max_length=64)
    key = models.TextField()
    changed_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.CheckConstraint(condition=~Q(key=WHOLE_TOPIC), name="change_key_given"),
            UniqueOnSqlite(fields=("topic", "key"), name="change_key_once"),
            # For its index, by which the newest change of a topic is found.
            UniqueOnSqlite(fields=("topic", "id"), name="change_newest_of_topic"),
        )

    def __str__(self) -> str:
        return f"{self.topic} {self.key}"


class ChangeTotal(models.Model):
    """How many changes of a key were folded, and the newest of their times; key '' is the topic's total
    (PostgreSQL)."""

    topic = models.CharField(max_length=64)
    key = models.TextField()
    changes = models.BigIntegerField()
    changed_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("topic", "key"), name="change_total_once"),
            models.CheckConstraint(condition=Q(changes__gt=0), name="change_total_positive"),
        )

    def __str__(self) -> str:
        return f"{self.topic} {self.key}: {self.changes}"
