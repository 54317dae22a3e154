"""Structured logs: one line an event, with the request's id, as text for people or as JSON for collectors."""

from __future__ import annotations

from typing import Any

import structlog
from structlog.typing import Processor

SHARED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.stdlib.ExtraAdder(),
)


def logging_config(*, style: str, level: str) -> dict[str, Any]:
    """Django's LOGGING. The root handler is set here, so that no library configures logging in its own way."""
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if style == "json"
        else structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    )
    final: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if style == "json":
        final.append(structlog.processors.format_exc_info)
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": list(SHARED),
        "processors": [*final, renderer],
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": formatter},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Every request is logged once, by django-structlog, with its id and outcome.
            "daphne.http_protocol": {"level": "WARNING"},
            "django.server": {"level": "WARNING"},
            "mcp": {"level": "WARNING"},
            # Each task is logged once, with its outcome and seconds, by core.jobs.tasks.
            "django_tasks": {"level": "CRITICAL"},
            "django_tasks_db": {"level": "WARNING"},
        },
    }


def configure_structlog() -> None:
    """Send structlog's own loggers through the standard library, so that both meet in one handler."""
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
