"""Where everything is: for programs in run.json, for people on the screen."""

from __future__ import annotations

from pathlib import Path

from lensproject.environment import Environment
from lensproject.management.demo.paths import shown
from lensproject.management.demo.places import Places
from lensproject.management.demo.run_file import Run
from lensproject.management.demo.seeding import Seeded


def described(places: Places, lens: Environment, seeded: Seeded) -> Run:
    """What run.json says."""
    url = places.web
    return Run(
        mcpUrl=f"{url}/mcp",
        sseUrl=f"{url}/sse" if lens.sse_enabled else None,
        apiUrl=f"{url}/api/v1",
        adminUrl=f"{url}/admin/",
        adminUser=seeded.operator.user.username,
        adminPassword=seeded.operator.password,
        agentKey=seeded.key.token,
        network=seeded.network,
        rpcUrl=seeded.rpc_url,
        sellerUrl=places.seller if seeded.selling else None,
        facilitatorUrl=places.facilitator if seeded.selling else None,
    )


def text(places: Places, lens: Environment, seeded: Seeded, written: Path) -> str:
    """What is printed last."""
    url = places.web
    older = f"   (older clients: {url}/sse)" if lens.sse_enabled else ""
    key = f"agentKey in {shown(written)}, sent as Authorization: Bearer …" if seeded.key.token else seeded.key.story
    lines = (
        f"admin     {url}/admin/",
        f"          {_operator(seeded, written)}",
        f"API       {url}/api/docs",
        f"MCP       {url}/mcp{older}",
        f"key       {key}",
        *_selling(places, seeded),
        "",
        "Ctrl-C ends it.",
    )
    return "\n".join(lines)


def _selling(places: Places, seeded: Seeded) -> list[str]:
    if seeded.selling is None:
        return []
    return [f"seller    {places.seller}/weather/Berlin, settled by {places.facilitator}", f"ledger    {places.ledger}"]


def _operator(seeded: Seeded, written: Path) -> str:
    operator = seeded.operator
    if operator.is_new:
        return f"user {operator.user.username}, password {operator.password}   (it is kept in {shown(written)})"
    if operator.password is not None:
        return f"user {operator.user.username}, password as the first run printed it   (it is in {shown(written)})"
    reset = f"manage.py changepassword {operator.user.username}"
    return f"user {operator.user.username}, whose password only its owner knows   (.venv/bin/python {reset})"
