"""Inputs and outputs of the tools that the tests offer."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Unit(StrEnum):
    APPLES = "apples"
    PEARS = "pears"


class AddInput(Closed):
    a: int = Field(ge=0, le=1000)
    b: int = 0
    unit: Unit = Unit.APPLES
    note_text: str | None = Field(None, alias="noteText")


class Sum(BaseModel):
    """What was counted."""

    total: int
    unit: Unit
    note_text: str | None = Field(None, alias="noteText")


class NameInput(Closed):
    name: str


class Made(BaseModel):
    name: str
    scopes: list[str]


class Seconds(Closed):
    seconds: float = Field(ge=0, le=60)


class Flood(Closed):
    events: int
    size: int


class Who(BaseModel):
    subject: str
    key_id: str | None = Field(alias="keyId")
    session: str | None
    client_name: str | None = Field(alias="clientName")
    client_version: str | None = Field(alias="clientVersion")
    transport: str | None
    protocol_version: str | None = Field(alias="protocolVersion")
    scopes: list[str]
    marker: str | None
