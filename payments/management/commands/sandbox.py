"""`manage.py sandbox`: a Stellar ledger on this machine, with play money (docs/sandbox.md)."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from payments.sandbox import command


class Command(BaseCommand):
    """Serves until Ctrl-C. It reads no setting and no database of the platform's."""

    help = "Run the local ledger: Stellar RPC, friendbot and a USDC-like asset, all play money."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        command.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            command.run(Namespace(**options))
        except command.NotStarted as error:
            raise CommandError(str(error)) from error
