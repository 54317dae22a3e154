"""/healthz says that the process is up, /readyz whether it can do its work. `manage.py doctor` asks the same questions.

A finding names no host, user or password: the answers of /readyz are open to all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import redis
import structlog
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from lensproject.core.triggers import verify
from lensproject.version import VERSION

REDIS_SECONDS = 2
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Finding:
    """What one question found: `text` completes “database: …”, `remedy` says what to do, `cause` is for the log."""

    name: str
    ok: bool
    text: str
    remedy: str = ""
    cause: str = ""


@csrf_exempt
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while the process answers at all. It asks nobody."""
    return JsonResponse({"status": "ok", "version": VERSION})


@csrf_exempt
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when everything that is needed answers, else 503 that names what does not."""
    found = readiness()
    ready = all(finding.ok for finding in found)
    body = {"status": "ready" if ready else "not ready", "checks": {finding.name: finding.text for finding in found}}
    response = JsonResponse(body, status=200 if ready else 503)
    response["Cache-Control"] = "no-store"
    for finding in found:
        if not finding.ok:
            log.warning("not_ready", check=finding.name, found=finding.text, cause=finding.cause)
    return response


def readiness() -> list[Finding]:
    """Database, migrations, triggers and, where it is used, Redis."""
    found = [database()]
    if found[0].ok:
        found += [migrations(), triggers()]
    if settings.LENS.redis_url is not None:
        found.append(redis_server(settings.LENS.redis_url.get_secret_value()))
    return found


def database() -> Finding:
    def ask() -> Finding:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return Finding("database", True, "answers")

    remedy = "Look at DATABASE_URL, and whether the server runs and the file's folder can be written."
    return asked("database", ask, "does not answer", remedy)


def migrations() -> Finding:
    def ask() -> Finding:
        executor = MigrationExecutor(connection)
        missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        if not missing:
            return Finding("migrations", True, "all applied")
        return Finding("migrations", False, f"{missing} not applied", "Run `manage.py migrate`.")

    return asked("migrations", ask, "cannot be read", "Run `manage.py migrate`.")


def triggers() -> Finding:
    def ask() -> Finding:
        trouble = verify(connection.alias)
        if not trouble:
            return Finding("triggers", True, "all in place")
        named = f"{len(trouble)} not as declared, the first: {trouble[0].name} {trouble[0].what}"
        return Finding("triggers", False, named, "Run `manage.py migrate`: it puts them back.")

    return asked("triggers", ask, "cannot be read", "Run `manage.py migrate`.")


def redis_server(url: str) -> Finding:
    def ask() -> Finding:
        with redis.Redis.from_url(url, socket_timeout=REDIS_SECONDS, socket_connect_timeout=REDIS_SECONDS) as client:
            client.ping()
        return Finding("redis", True, "answers")

    return asked("redis", ask, "does not answer", "Look at REDIS_URL and whether the server runs; or unset it.")


def asked(name: str, ask: Callable[[], Finding], failed: str, remedy: str) -> Finding:
    """The finding of a question; whatever goes wrong while asking is a finding too and never a traceback."""
    try:
        return ask()
    except Exception as error:  # A probe that breaks must answer, whatever the driver raises.
        return Finding(name, False, failed, remedy, f"{type(error).__name__}: {error}")
