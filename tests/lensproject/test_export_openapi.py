from __future__ import annotations

import os
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from lensproject.api import document
from lensproject.environment import ROOT


def export(*arguments: str) -> str:
    output = StringIO()
    call_command("export_openapi", *arguments, stdout=output)
    return output.getvalue()


def test_the_file_of_the_repository_is_up_to_date() -> None:
    assert export("--check") == f"{ROOT}/openapi.json is up to date.\n"


def test_it_writes_the_document(tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    assert export("--output", str(file)) == f"{file} is written.\n"
    assert file.read_bytes() == document()
    assert export("--output", str(file), "--check") == f"{file} is up to date.\n"


def test_a_file_that_is_up_to_date_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    file.write_bytes(document())
    os.utime(file, (1, 1))
    export("--output", str(file))
    assert file.stat().st_mtime == 1


def test_a_stale_file_is_told_and_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    file.write_bytes(document() + b"\n")
    with pytest.raises(CommandError, match=r"is stale: run `manage\.py export_openapi`"):
        export("--output", str(file), "--check")
    assert file.read_bytes() == document() + b"\n"


def test_a_missing_file_is_told_and_not_made(tmp_path: Path) -> None:
    file = tmp_path / "openapi.json"
    with pytest.raises(CommandError, match="is not there"):
        export("--output", str(file), "--check")
    assert not file.exists()
