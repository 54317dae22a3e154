from __future__ import annotations

from typing import Any, ClassVar

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import mcp_bridge.models.constraints

# Not in the model's state, because SQLite has neither the type nor the need: each row names the transaction that wrote it.
# Tables are altered in place on PostgreSQL, so nothing later loses these.
POSTGRESQL = (
    "ALTER TABLE mcp_bridge_change ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id()",
    "CREATE INDEX mcp_bridge_change_xid ON mcp_bridge_change (xid)",
    "CREATE INDEX mcp_bridge_change_topic_key ON mcp_bridge_change (topic, key)",
)


def name_the_transaction(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for statement in POSTGRESQL:
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    initial = True

    dependencies: ClassVar[list[Any]] = []

    operations: ClassVar[list[Any]] = [
        migrations.CreateModel(
            name="Change",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("topic", models.CharField(max_length=64)),
                ("key", models.TextField()),
                ("changed_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("key", ""), _negated=True), name="change_key_given"),
                    mcp_bridge.models.constraints.UniqueOnSqlite(fields=("topic", "key"), name="change_key_once"),
                    mcp_bridge.models.constraints.UniqueOnSqlite(fields=("topic", "id"), name="change_newest_of_topic"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ChangeTotal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("topic", models.CharField(max_length=64)),
                ("key", models.TextField()),
                ("changes", models.BigIntegerField()),
                ("changed_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("topic", "key"), name="change_total_once"),
                    models.CheckConstraint(condition=models.Q(("changes__gt", 0)), name="change_total_positive"),
                ],
            },
        ),
        migrations.RunPython(name_the_transaction, migrations.RunPython.noop),
    ]
