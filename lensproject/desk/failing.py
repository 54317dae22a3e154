"""What people are shown when a page fails: what it means for them, never a traceback.

Programs get theirs under /api (`core.rest.middleware`) and agents at /mcp.
"""

from __future__ import annotations

import sys

import structlog
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.template import loader

RETRY_SECONDS = 5
log = structlog.get_logger(__name__)


def server_error(request: HttpRequest) -> HttpResponse:
    """503 while the database is away or too busy, else 500. The pages are made of nothing that could fail as well."""
    error = sys.exc_info()[1]
    if not isinstance(error, (OperationalError, InterfaceError)):
        return HttpResponseServerError(loader.get_template("500.html").render())
    log.error("database_unavailable", error=type(error).__name__)
    headers = {"Retry-After": str(RETRY_SECONDS), "Cache-Control": "no-store"}
    return HttpResponse(loader.get_template("503.html").render(), status=503, headers=headers)
