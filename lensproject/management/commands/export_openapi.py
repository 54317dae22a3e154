from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from lensproject.api import document
from lensproject.environment import ROOT

PLACE = ROOT / "openapi.json"


class Command(BaseCommand):
    help = "Write the OpenAPI document of the REST API to openapi.json, the same bytes for the same code."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing, and fail when the file is stale")
        parser.add_argument("--output", type=Path, default=PLACE, help="another file")

    def handle(self, *args: Any, check: bool, output: Path, **options: Any) -> None:
        fresh = document()
        found = output.read_bytes() if output.is_file() else None
        if found == fresh:
            self.stdout.write(f"{output} is up to date.")
        elif not check:
            output.write_bytes(fresh)
            self.stdout.write(f"{output} is written.")
        else:
            state = "is not there" if found is None else "is stale"
            raise CommandError(f"{output} {state}: run `manage.py export_openapi` and commit what it writes.")
