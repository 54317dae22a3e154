from __future__ import annotations

import logging
import os
from hashlib import sha256
from pathlib import Path

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from pytest_django import Settings

from tests.mcp_product.memory import ask, listed, read, reader

pytestmark = pytest.mark.django_db
URI = "lens://openapi.json"
BYTES = b'\xef\xbb\xbf{"openapi" : "3.1.0",\r\n\t"info": {"title": "Z\xc3\xbcrich"}}\n\n'
MTIME = 1_764_504_000.25  # 2025-11-30T12:00:00.250Z


@pytest.fixture
def document(tmp_path: Path, settings: Settings) -> Path:
    """The file that is served."""
    path = tmp_path / "openapi.json"
    path.write_bytes(BYTES)
    os.utime(path, (MTIME, MTIME))
    settings.LENS = settings.LENS.model_copy(update={"mcp_openapi_path": path})
    return path


def test_the_file_is_served_verbatim(document: Path) -> None:
    text, meta = read(reader(), URI)
    assert text.encode() == BYTES
    assert meta["version"] == f"sha256:{sha256(BYTES).hexdigest()}"


def test_its_mtime_is_its_last_modified_in_list_and_read(document: Path) -> None:
    _, meta = read(reader(), URI)
    entry = listed(reader())[URI]
    assert entry.annotations is not None
    assert entry.meta is not None
    assert meta["lastModified"] == entry.annotations.last_modified == "2025-11-30T12:00:00.250Z"
    assert (entry.meta["version"], entry.size) == (meta["version"], len(BYTES))


def test_a_new_file_is_a_new_version_and_a_touched_one_is_not(document: Path) -> None:
    _, before = read(reader(), URI)
    os.utime(document, (MTIME + 1, MTIME + 1))
    _, touched = read(reader(), URI)
    assert touched["version"] == before["version"]
    assert touched["lastModified"] == "2025-11-30T12:00:01.250Z"
    document.write_bytes(b"{}")
    text, after = read(reader(), URI)
    assert (text, after["version"]) == ("{}", f"sha256:{sha256(b'{}').hexdigest()}")
    assert after["lastModified"] > touched["lastModified"]


@pytest.mark.parametrize("broken", ["missing", "folder", "no text"])
def test_a_file_that_cannot_be_served_is_an_internal_error_that_tells_nothing(
    broken: str, document: Path, caplog: pytest.LogCaptureFixture
) -> None:
    document.unlink()
    if broken == "folder":
        document.mkdir()
    if broken == "no text":
        document.write_bytes(b"\xff\xfe")
    with caplog.at_level(logging.ERROR), pytest.raises(MCPError) as failure:
        ask(reader(), lambda client: client.read_resource(URI))
    assert failure.value.code == types.INTERNAL_ERROR
    assert str(document) not in str(failure.value.error)
    assert "Traceback" not in str(failure.value.error)
    assert set(failure.value.error.data) == {"uri", "correlationId"}
    assert failure.value.error.data["correlationId"] in caplog.text


def test_the_log_says_which_file_is_missing(document: Path, caplog: pytest.LogCaptureFixture) -> None:
    document.unlink()
    with caplog.at_level(logging.ERROR), pytest.raises(MCPError):
        ask(reader(), lambda client: client.read_resource(URI))
    assert f"{URI} cannot be served: {document} of MCP_OPENAPI_PATH: No such file or directory" in caplog.messages


def test_a_missing_file_breaks_neither_the_list_nor_the_others(document: Path) -> None:
    document.unlink()
    resources = listed(reader())
    assert resources[URI].meta is None
    assert resources["lens://pairs"].meta is not None
