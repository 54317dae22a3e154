"""The programs that make up the platform on one machine, as data: how each is started, and how it is asked."""

from __future__ import annotations

import http.client
import json
import os
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from django.db import DatabaseError

from lensproject.core import clock
from lensproject.core.jobs.tasks import WORKER_PREFIX
from lensproject.core.models import Lease
from lensproject.environment import ROOT
from lensproject.management.demo.ports import HOST
from lensproject.management.demo.waiting import Ask

PYTHON = sys.executable
UNBUFFERED = {"PYTHONUNBUFFERED": "1"}
MANAGE = str(ROOT / "manage.py")
ASK_SECONDS = 5
LEDGER_SECONDS = "2"


@dataclass(frozen=True)
class Started:
    """What is known of a program that runs: its process, and the port that it listens on."""

    pid: int
    port: int | None


@dataclass(frozen=True)
class Program:
    """`{fd}` in the command is the listening socket that a program gets when it `listens`; other words in braces, there
    and in `environment`, are values that the run knows by then. Without one of them the program is not started.

    `asks` makes the question whether it is ready; it is asked for `patience` seconds. `port` counts from the first one.
    A `first` program is started before anything is seeded.
    """

    name: str
    command: tuple[str, ...]
    asks: Callable[[Started], Ask]
    listens: bool = False
    patience: float = 60.0
    port: int = 0
    first: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)

    def needs(self) -> set[str]:
        """The values that it cannot start without."""
        words = [*self.command, *self.environment.values()]
        return {word for word in words if word.startswith("{") and word.endswith("}")} - {"{fd}"}


def readyz(started: Started) -> Ask:
    """Whether /readyz of the web server answers 200."""

    def ask() -> str | None:
        connection = http.client.HTTPConnection(HOST, started.port, timeout=ASK_SECONDS)
        try:
            connection.request("GET", "/readyz")
            response = connection.getresponse()
            body = response.read().decode(errors="replace")
        except (OSError, http.client.HTTPException) as error:
            return f"/readyz does not answer ({type(error).__name__})"
        finally:
            connection.close()
        return None if response.status == 200 else f"/readyz answers {response.status}: {_short(body)}"

    return ask


def serves(started: Started) -> Ask:
    """Whether the page at the root answers 200."""

    def ask() -> str | None:
        connection = http.client.HTTPConnection(HOST, started.port, timeout=ASK_SECONDS)
        try:
            connection.request("GET", "/")
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            return f"it does not answer ({type(error).__name__})"
        finally:
            connection.close()
        return None if status == 200 else f"it answers {status}"

    return ask


def has_lease(started: Started) -> Ask:
    """Whether the worker has signed on: the lease whose name has its process id is there and holds."""
    name = f"{WORKER_PREFIX}{socket.gethostname()[:32]}-{started.pid}-"

    def ask() -> str | None:
        try:
            signed_on = Lease.objects.filter(name__startswith=name, until__gt=clock.now()).exists()
        except DatabaseError as error:
            return f"the database does not answer ({error})"
        return None if signed_on else "it has no lease"

    return ask


PROGRAMS = (
    Program("web", (PYTHON, "-m", "daphne", "--fd", "{fd}", "lensproject.asgi:application"), readyz, listens=True),
    Program("worker", (PYTHON, MANAGE, "worker"), has_lease),
    Program(
        "ledger",
        (PYTHON, MANAGE, "sandbox", "--fd", "{fd}", "--ledger-seconds", LEDGER_SECONDS, "--file", "{ledger_file}"),
        serves,
        listens=True,
        port=2,
        first=True,
    ),
    Program(
        "seller",
        (PYTHON, "-m", "daphne", "--fd", "{fd}", "payments.demo.asgi:application"),
        serves,
        listens=True,
        port=1,
        environment={
            "DJANGO_SETTINGS_MODULE": "payments.demo.settings",
            "SELLER_NETWORK": "{network}",
            "SELLER_ASSET": "{asset}",
            "SELLER_PAY_TO": "{pay_to}",
            "SELLER_FACILITATOR": "{facilitator}",
        },
    ),
)

AGENT = (PYTHON, str(ROOT / "examples" / "agent.py"))
AGENT_SECONDS = 60.0
PAYER = (PYTHON, str(ROOT / "examples" / "pay_once.py"))
PAYER_SECONDS = 90.0


def environment(base_url: str) -> dict[str, str]:
    """What the programs get: this process's environment, and the public address unless it says another one. Settling
    needs no key unless it says so: the money is play money.
    """
    given = {name: value for name, value in os.environ.items() if value or not name.startswith("LENS_PUBLIC_URL")}
    public = {} if {"LENS_PUBLIC_URL", "LENS_PUBLIC_URL_FILE"} & given.keys() else {"LENS_PUBLIC_URL": base_url}
    return {**given, **public, "LENS_FACILITATOR_OPEN": given.get("LENS_FACILITATOR_OPEN", "true"), **UNBUFFERED}


def agent_environment(inherited: Mapping[str, str], mcp_url: str, key: str) -> dict[str, str]:
    """What an agent has: an address and a key, and nothing of the platform's own settings."""
    return {**outsiders_environment(inherited), "MCP_URL": mcp_url, "MCP_KEY": key}


def outsiders_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """What a program has that is no part of the platform."""
    ours = ("DATABASE_URL", "REDIS_URL", "MCP_OPENAPI_PATH", "DJANGO_SETTINGS_MODULE")
    return {name: text for name, text in inherited.items() if not name.startswith("LENS_") and name not in ours}


def _short(body: str) -> str:
    """The checks that /readyz names, or the beginning of whatever else it was."""
    try:
        return ", ".join(f"{name} {text}" for name, text in json.loads(body)["checks"].items())
    except (ValueError, KeyError, TypeError, AttributeError):
        return body[:200]
