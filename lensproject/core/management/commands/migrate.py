from __future__ import annotations

from typing import Any

from django.core.management.commands.migrate import Command as DjangoMigrate

from lensproject.core.triggers import repairing


class Command(DjangoMigrate):
    """Django's migrate. It may start while triggers are missing, since it is what puts them back."""

    def check(self, *args: Any, **kwargs: Any) -> None:
        with repairing():
            super().check(*args, **kwargs)
