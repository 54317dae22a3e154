"""Failures become answers."""

from __future__ import annotations

from typing import Any, ClassVar

import mcp_types as types
import pytest
from asgiref.sync import async_to_sync
from mcp.server.context import HandlerResult
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError

from lensproject.core.errors import (
    ErrorCode,
    InternalError,
    InvalidInput,
    NotFound,
    PermissionDenied,
    RateLimited,
    Refusal,
    Unauthenticated,
)
from mcp_bridge.handlers import faults

URI = "test://x"


class Model(BaseModel):
    number: int
    inner: dict[str, int]


class Away(Refusal):
    code: ClassVar[ErrorCode] = ErrorCode("AWAY", 503, True, "Away.")


def validation_error(**values: object) -> ValidationError:
    with pytest.raises(ValidationError) as raised:
        Model.model_validate(values, strict=True)
    return raised.value


def test_fields_are_named_by_their_path_without_the_value() -> None:
    found = faults.fields(validation_error(number="hunter2", inner={"a": "hunter2"}))
    assert found == {"number": "Input should be a valid integer", "inner.a": "Input should be a valid integer"}


def test_a_mistake_of_the_whole_input_has_a_name_too() -> None:
    with pytest.raises(ValidationError) as raised:
        Model.model_validate([])
    assert list(faults.fields(raised.value)) == ["(all)"]


@pytest.mark.parametrize(
    ("refusal", "code", "data"),
    [
        (NotFound("Gone."), types.INVALID_PARAMS, {"uri": URI}),
        (InvalidInput("Bad.", details={"day": "32"}), types.INVALID_PARAMS, {"uri": URI, "day": "32"}),
        (RateLimited("Slow.", retry_after=2), types.INVALID_PARAMS, {"uri": URI, "retryAfter": 2}),
        (PermissionDenied("No."), types.INVALID_REQUEST, {"uri": URI, "reason": "PERMISSION_DENIED"}),
        (Unauthenticated("Who?"), types.INVALID_REQUEST, {"uri": URI, "reason": "UNAUTHENTICATED"}),
        (InternalError("x", details={"correlationId": "1"}), types.INTERNAL_ERROR, {"uri": URI, "correlationId": "1"}),
        (Away("secret place"), types.INTERNAL_ERROR, {"uri": URI}),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Refusal) else None,
)
def test_a_read_fails_with_a_protocol_error(refusal: Refusal, code: int, data: dict[str, Any]) -> None:
    error = faults.read_error(URI, refusal)
    assert (error.code, error.data) == (code, data)


def test_what_a_fault_of_ours_says_is_not_told() -> None:
    assert "secret" not in faults.read_error(URI, Away("secret place")).message


def through_mask(error: Exception) -> MCPError:
    async def fails(ctx: Any) -> HandlerResult:
        raise error

    class Ctx:
        method = "tools/list"

    with pytest.raises(MCPError) as raised:
        async_to_sync(faults.mask)(Ctx(), fails)  # type: ignore[arg-type]
    return raised.value


def test_9_9_what_escapes_a_handler_is_masked(caplog: pytest.LogCaptureFixture) -> None:
    error = through_mask(RuntimeError("secret"))
    assert (error.code, error.message) == (types.INTERNAL_ERROR, "Internal server error")
    assert error.data["correlationId"] in caplog.text


def test_9_26_bad_parameters_name_the_fields() -> None:
    error = through_mask(validation_error(number="x", inner={}))
    assert (error.code, error.data) == (-32602, {"fields": {"number": "Input should be a valid integer"}})


def test_protocol_errors_pass_as_they_are() -> None:
    error = MCPError(-32001, "Ours", {"a": 1})
    assert through_mask(error) is error
