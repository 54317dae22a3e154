from __future__ import annotations

import json
import logging
import logging.config
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from lensproject.logs import configure_structlog, logging_config


@pytest.fixture
def restored_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level, structured = list(root.handlers), root.level, structlog.get_config()
    configure_structlog()
    yield
    structlog.configure(**structured)
    root.handlers[:] = handlers
    root.setLevel(level)


def configured(style: str, level: str = "INFO") -> None:
    logging.config.dictConfig(logging_config(style=style, level=level))


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def json_lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(capsys)]


def test_json_has_one_object_a_line(restored_logging: None, capsys: pytest.CaptureFixture[str]) -> None:
    configured("json")
    structlog.get_logger("lens.test").info("budget.reserved", units=5, note="two\nlines")
    [event] = json_lines(capsys)
    assert event["event"] == "budget.reserved"
    assert (event["units"], event["note"]) == (5, "two\nlines")
    assert (event["level"], event["logger"]) == ("info", "lens.test")
    assert event["timestamp"].endswith("Z")


def test_the_standard_library_meets_in_the_same_handler(
    restored_logging: None, capsys: pytest.CaptureFixture[str]
) -> None:
    configured("json")
    logging.getLogger("django.request").warning("Not Found: %s", "/x", extra={"status_code": 404})
    [event] = json_lines(capsys)
    assert (event["event"], event["status_code"], event["level"]) == ("Not Found: /x", 404, "warning")


def test_the_requests_id_is_on_every_line(restored_logging: None, capsys: pytest.CaptureFixture[str]) -> None:
    configured("json")
    with structlog.contextvars.bound_contextvars(request_id="r-1"):
        structlog.get_logger("lens.test").info("one")
        logging.getLogger("lens.test").info("two")
    assert [event["request_id"] for event in json_lines(capsys)] == ["r-1", "r-1"]


def test_a_traceback_stays_inside_its_json_line(restored_logging: None, capsys: pytest.CaptureFixture[str]) -> None:
    configured("json")
    try:
        raise ValueError("broken")
    except ValueError:
        structlog.get_logger("lens.test").exception("failed")
    [event] = json_lines(capsys)
    assert "ValueError: broken" in event["exception"]


def test_people_get_plain_text_with_the_traceback_below(
    restored_logging: None, capsys: pytest.CaptureFixture[str]
) -> None:
    configured("console")
    try:
        raise ValueError("broken")
    except ValueError:
        logging.getLogger("lens.test").exception("failed")
    first, *rest = lines(capsys)
    assert "failed" in first
    assert "\x1b" not in first
    assert any("ValueError: broken" in line for line in rest)


def test_a_text_of_a_client_cannot_begin_a_line_of_its_own(
    restored_logging: None, capsys: pytest.CaptureFixture[str]
) -> None:
    configured("console")
    logging.getLogger("mcp.server.sse").warning("Received invalid session ID: %s", "\n2026 [info] FORGED\x1b[2J\u2028")
    structlog.get_logger("lens.test").info("seen", agent="a\r\nb\0é")
    first, second = lines(capsys)
    assert r"Received invalid session ID: \n2026 [info] FORGED\x1b[2J\u2028" in first
    assert r"agent=a\r\nb\x00é" in second


@pytest.mark.parametrize(("level", "seen"), [("INFO", ["info", "error"]), ("ERROR", ["error"])])
def test_the_level_is_the_least_that_is_logged(
    restored_logging: None, capsys: pytest.CaptureFixture[str], level: str, seen: list[str]
) -> None:
    configured("json", level)
    logger = logging.getLogger("lens.test")
    logger.debug("d")
    logger.info("i")
    logger.error("e")
    assert [event["level"] for event in json_lines(capsys)] == seen


def test_servers_do_not_log_each_request_a_second_time(
    restored_logging: None, capsys: pytest.CaptureFixture[str]
) -> None:
    configured("json")
    for name in ("daphne.http_protocol", "django.server"):
        logging.getLogger(name).info("GET / 200")
    assert json_lines(capsys) == []
