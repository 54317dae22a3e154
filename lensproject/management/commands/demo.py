from __future__ import annotations

import gc
import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand

from lensproject.management.demo import flow, stopping
from lensproject.management.demo.console import Console
from lensproject.management.demo.faults import DemoFailed
from lensproject.management.demo.stopping import Stopped

FIRST_PORT = 8000


def port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65_536:
        raise ArgumentTypeError(f"{text} is no port; write a number from 1 to 65535")
    return int(text)


class Command(BaseCommand):
    """Migrates, seeds, starts the programs of the platform and serves until it is asked to end."""

    help = "Start the platform with a small catalogue, on this machine, until Ctrl-C."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=port, default=FIRST_PORT, help="first port to try (default: %(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(self.stdout)
        try:
            with stopping.by_signals():
                flow.run(console, options["port"])
        except Stopped as stopped:
            console.step(f"stopped by {stopped.reason}")
        except DemoFailed as failed:
            self.stderr.write(f"\nThe demo failed. {failed}")
            sys.exit(1)
        finally:
            # Taking apart everything that was imported takes Python a second on a busy machine, and ending has three.
            gc.freeze()
