"""Shapes that every REST door shares, as its OpenAPI document names them."""

from __future__ import annotations

from typing import Annotated, Any

from ninja import Query, Schema
from pydantic import ConfigDict, Field

from lensproject.core.rest.pagination import DEFAULT_LIMIT, MAX_LIMIT

Limit = Annotated[
    int, Query(DEFAULT_LIMIT, ge=1, le=MAX_LIMIT, description=f"How many items a page has, 1 to {MAX_LIMIT}.")
]
Cursor = Annotated[
    str | None,
    Query(None, max_length=4000, description="`nextCursor` of the page before, with the same filters; never made up."),
]


class Closed(Schema):
    """A shape that lists all of its fields."""

    model_config = ConfigDict(extra="forbid")


class ErrorBody(Closed):
    """What went wrong: a stable code for programs, a sentence for people, and whether asking again can help."""

    code: str = Field(description="A stable code; docs/errors.md lists all.", examples=["INVALID_INPUT"])
    message: str = Field(examples=["The input does not fit its schema."])
    retryable: bool = Field(description="Whether the same request may succeed later.", examples=[False])
    details: dict[str, Any] = Field(examples=[{"fields": {"limit": "Input should be less than or equal to 100"}}])


class ErrorShape(Closed):
    """The body of every answer from 400 on."""

    error: ErrorBody
