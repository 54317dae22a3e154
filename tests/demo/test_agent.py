from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.conf import settings

from examples import agent
from tests.demo.seeding.planted import seed
from tests.servers.fixtures import StartWebServer
from tests.servers.ports import free_port
from tests.servers.processes import ROOT
from tests.servers.web import WebServer

AGENT = ROOT / "examples" / "agent.py"
OF_THE_PLATFORM = {"lensproject", "bazaar", "payments", "mcp_bridge", "tests", "django"}
URIS = ["lens://pairs", "lens://venues", "lens://openapi.json", "lens://status"]


def called(monkeypatch: pytest.MonkeyPatch, url: str, key: str, *arguments: str) -> int:
    """The agent within this process; returns its exit status."""
    monkeypatch.setattr("sys.argv", ["agent.py", "--url", url, *arguments])
    monkeypatch.setenv("MCP_KEY", key)
    return agent.main()


def run(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The agent from a copy outside of the project, where it finds no var/run.json."""
    copy = folder / "examples" / "agent.py"
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(AGENT.read_bytes())
    given: Mapping[str, str] = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **environment}
    command = [sys.executable, str(copy), *arguments]
    return subprocess.run(command, env=given, cwd=folder, capture_output=True, text=True, timeout=50, check=False)


@pytest.fixture
def server(start_web_server: StartWebServer) -> WebServer:
    """Daphne with the peppers of the tests, so that keys which are issued here open it."""
    peppers = ",".join(f"{name}:{pepper.hex()}" for name, pepper in settings.KEY_PEPPERS.items())
    return start_web_server("daphne", {"LENS_KEY_PEPPERS": peppers})


def test_it_imports_nothing_of_the_platform() -> None:
    tree = ast.parse(AGENT.read_text())
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not {name.partition(".")[0] for name in imported} & OF_THE_PLATFORM


def test_without_address_and_key_it_says_what_to_do(tmp_path: Path) -> None:
    done = run(folder=tmp_path)
    assert done.returncode == 2
    assert "set MCP_URL and MCP_KEY, or start the platform with `make run`" in done.stderr


def test_a_server_that_is_away_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert called(monkeypatch, f"http://127.0.0.1:{free_port()}/mcp", "lens_secret") == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert re.fullmatch(r"failed: .+\n", said.err)
    assert "lens_secret" not in said.err


def test_it_sees_what_there_is_and_takes_no_for_an_answer(
    server: WebServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = seed(server.var).key.token or ""
    url = f"{server.url}/mcp"

    # Four resources with version and time, a result, its terms, and the budget.
    assert called(monkeypatch, url, key) == 0
    seen = capsys.readouterr()
    assert seen.err == ""
    assert re.findall(r"^read (\S+), \d+ bytes$", seen.out, re.M) == URIS
    assert len(re.findall(r"^  version       sha256:[0-9a-f]{64}$", seen.out, re.M)) == 4
    assert len(re.findall(r"^  lastModified  \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$", seen.out, re.M)) == 4
    assert re.search(r"^  pair XLM/USDC:G[A-Z2-7]{55}$", seen.out, re.M)
    assert "venue sdex, enabled: " in seen.out
    assert "venue pools, off: " in seen.out
    assert "  0.05 USDC on stellar:local\n" in seen.out
    assert re.search(r"^  500000 units of C[A-Z2-7]{55}$", seen.out, re.M)
    assert "  at most 0.10 a call, in USDC\n  at most 5.00 a day, 5.00 of it left\n" in seen.out
    assert key not in seen.out

    # Words under which nothing is listed are no failure.
    assert called(monkeypatch, url, key, "--query", "submarines") == 0
    nothing = capsys.readouterr().out
    assert "nothing is listed under these words" in nothing
    assert "call inspect_resource" not in nothing

    # A wrong key, a wrong address and a refusal are one line each, and none of them has the key.
    wrong = key[:-1] + ("0" if key[-1] != "0" else "1")
    refusals = []
    for address, token, query in (
        (url, wrong, "weather"),
        (f"{server.url}/nowhere", key, "weather"),
        (url, key, "w" * 201),
    ):
        assert called(monkeypatch, address, token, "--query", query) == 1
        refusals.append(capsys.readouterr().err)
    assert all(re.fullmatch(r"failed: .+\n", refusal) for refusal in refusals)
    assert not any(key[:-1] in refusal for refusal in refusals)
    assert refusals[0] == "failed: the server answered 401: it does not accept this key\n"
    assert "search_paid_resources answered INVALID_INPUT: " in refusals[2]
