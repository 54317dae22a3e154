from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from lensproject import environment, health
from lensproject.core import clock
from lensproject.core.jobs.tasks import WORKER_PREFIX
from lensproject.core.models import Lease
from lensproject.environment import Environment
from lensproject.health import Finding
from lensproject.version import VERSION


class Command(BaseCommand):
    help = "Say in words whether the platform can work and what to do where it cannot; end with 1 when it cannot."
    # It must be able to run when they fail: it tells what they say.
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"Lens Bazaar {VERSION}\n\nSettings")
        for line in setting_lines(settings.LENS):
            self.stdout.write(f"  {line}")
        self.stdout.write("\nReadiness")
        wrong = 0
        for finding in findings():
            wrong += not finding.ok
            for line in finding_lines(finding):
                self.stdout.write(f"  {line}")
        if wrong:
            raise CommandError(f"{wrong} thing(s) to put right.", returncode=1)
        self.stdout.write("\nAll is well.")


def setting_lines(lens: Environment) -> Iterator[str]:
    """Every setting with its value; of secrets only whether they are set."""
    for name, field in Environment.model_fields.items():
        value = getattr(lens, name)
        if environment.is_secret(name):
            shown = "unset" if value is None else "set"
        else:
            shown = ", ".join(value) or "none" if isinstance(value, tuple) else str(value)
            shown += " (default)" if value == field.default else ""
        yield f"{environment.variable(name):<30}{shown}"


def findings() -> Iterator[Finding]:
    """What /readyz asks, then what only an operator cares for."""
    found = health.readiness()
    yield from found
    answers = found[0].ok
    if answers and all(finding.ok for finding in found if finding.name == "migrations"):
        yield worker()
    yield from system_checks(with_database=answers)


def worker() -> Finding:
    """Whether some worker does what is due."""

    def ask() -> Finding:
        alive = Lease.objects.filter(name__startswith=WORKER_PREFIX, until__gt=clock.now()).exclude(holder="").count()
        return Finding("worker", alive > 0, f"{alive} at work" if alive else "none is at work", remedy)

    remedy = "Start one: `manage.py worker`. Without it the change log is not folded and nothing that is due is done."
    return health.asked("worker", ask, "cannot be asked", remedy)


def system_checks(*, with_database: bool) -> Iterator[Finding]:
    """Errors are wrong; warnings are told."""
    messages = checks.run_checks(databases=[connection.alias] if with_database else None)
    for message in messages:
        if not message.is_silenced():
            yield Finding(f"check {message.id}", not message.is_serious(), message.msg, message.hint or "")
    if not messages:
        yield Finding("checks", True, "nothing to say")


def finding_lines(finding: Finding) -> Iterator[str]:
    yield f"{'ok   ' if finding.ok else 'WRONG'} {finding.name}: {finding.text}"
    if finding.cause:
        yield f"      {' '.join(finding.cause.split())}"
    if finding.remedy and (not finding.ok or finding.name.startswith("check ")):
        yield f"      {finding.remedy}"
