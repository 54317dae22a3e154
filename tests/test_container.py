"""The container files name what is there. Building an image needs an engine, which CI does not have."""

from __future__ import annotations

import fnmatch
import re

import pytest

from lensproject import environment
from lensproject.environment import ROOT, Environment

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = (ROOT / "compose.yaml").read_text(encoding="utf-8")
IGNORED = [
    line for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"
]
PACKAGES = {path.parent.name for path in ROOT.glob("*/apps.py")}


def copied() -> list[str]:
    """What the image is made of."""
    lines = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    return [name for line in lines for name in line.split()]


@pytest.mark.parametrize("name", copied())
def test_what_is_copied_is_there_and_not_left_out(name: str) -> None:
    assert (ROOT / name).exists()
    assert not any(fnmatch.fnmatch(name, pattern) for pattern in IGNORED)


def test_every_app_is_in_the_image() -> None:
    assert {"bazaar", "payments", "mcp_bridge", "lensproject"} == PACKAGES
    assert set(copied()) >= PACKAGES


def test_the_image_has_the_python_that_the_project_is_locked_for() -> None:
    assert set(re.findall(r"^FROM python:(\S+)", DOCKERFILE, re.MULTILINE)) == {"3.11-slim"}


def test_the_server_does_not_run_as_root() -> None:
    assert re.search(r"^USER (\S+)", DOCKERFILE, re.MULTILINE)
    assert DOCKERFILE.index("\nUSER lens") < DOCKERFILE.index("\nCMD ")


def test_settings_in_the_image_are_settings() -> None:
    known = {environment.variable(name) for name in Environment.model_fields}
    named = set(re.findall(r"\b(LENS_[A-Z_]+)=", DOCKERFILE))
    assert named
    assert named <= known


def test_what_outlives_the_container_is_where_the_platform_writes() -> None:
    assert "LENS_VAR=/data" in DOCKERFILE
    assert "VOLUME /data" in DOCKERFILE
    assert "data:/data" in COMPOSE


def test_the_port_is_open_to_this_machine_only() -> None:
    assert re.findall(r'^ +- "(\S+:\d+:\d+)"', COMPOSE, re.MULTILINE) == ["127.0.0.1:8000:8000"]
