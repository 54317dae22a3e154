"""Daphne and uvicorn as real processes, serving what the app `offering` offers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.servers import processes
from tests.servers.ports import free_port
from tests.servers.web import WebServer, command, is_healthy


@contextmanager
def offering(
    kind: str,
    database_url: str,
    var: Path,
    *,
    bridge: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    options: tuple[str, ...] = (),
) -> Iterator[WebServer]:
    """A running server, ended afterwards. `bridge` is its MCP_BRIDGE setting, `options` go to the server's command."""
    port = free_port()
    var.mkdir(parents=True, exist_ok=True)
    log = var / f"{kind}-{port}.log"
    file = var / "file.json"
    file.write_text('{"served": "verbatim"}')
    given = processes.child_environment(
        **{
            "DJANGO_SETTINGS_MODULE": "tests.mcp_bridge.settings",
            "DATABASE_URL": database_url,
            "LENS_VAR": str(var),
            "OFFERING_FILE": str(file),
            "OFFERING_BRIDGE": json.dumps(dict(bridge or {})),
            **(environment or {}),
        }
    )
    process = processes.start([*command(kind, port), *options], log=log, environment=given)
    try:
        processes.wait_until(lambda: is_healthy(port), process=process, log=log, what=kind)
        yield WebServer(kind, port, process, log, var)
    finally:
        processes.end(process)
