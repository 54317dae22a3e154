from __future__ import annotations

from typing import Any

from django.db import migrations


def break_it(apps: Any, schema_editor: Any) -> None:
    raise LookupError("there is no such thing")


class Migration(migrations.Migration):
    dependencies = (("core", "0001_initial"),)
    operations = (migrations.RunPython(break_it),)
