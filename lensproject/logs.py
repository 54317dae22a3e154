"""Structured logs: one line an event, with the request's id, as text for people or as JSON for collectors."""

from __future__ import annotations

import re
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

SHARED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.stdlib.ExtraAdder(),
)

_CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029]")
_TRACEBACK = ("exception", "stack")


def on_one_line(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Write control characters as escapes, as JSON does: some texts come from clients, who write no lines of their own
    into the log.
    """
    for name, value in event.items():
        if isinstance(value, str) and name not in _TRACEBACK:
            event[name] = _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), value)
    return event


def logging_config(*, style: str, level: str) -> dict[str, Any]:
    """Django's LOGGING. The root handler is set here, so that no library configures logging in its own way."""
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if style == "json"
        else structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    )
    final: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    final.append(structlog.processors.format_exc_info if style == "json" else on_one_line)
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
