from __future__ import annotations

from dataclasses import replace

from django.contrib.auth.models import User

from lensproject.environment import ROOT, Environment
from lensproject.management.demo import summary
from lensproject.management.demo.places import Places
from lensproject.management.demo.run_file import Run
from lensproject.management.demo.seeding import Seeded
from lensproject.management.demo.seeding.operator import Operator
from lensproject.management.demo.seeding.settling import Selling
from lensproject.management.demo.seeding.spender import Key

PLACES = Places("http://127.0.0.1:8000")
ALL_PLACES = Places("http://127.0.0.1:8000", "http://127.0.0.1:8001", "http://127.0.0.1:8002")
SELLING = Selling("stellar:local", "CASSET", "GSELLER", "GFACILITATOR")
WRITTEN = ROOT / "var" / "run.json"


def seeded(*, known: bool = True, is_new: bool = True) -> Seeded:
    operator = Operator(User(username="admin"), "generated" if known else None, is_new)
    return Seeded(("user admin",), operator, Key("lens_key", "a new one"), "stellar:local", None)


def text(of: Seeded, lens: Environment | None = None, places: Places = PLACES) -> list[str]:
    return summary.text(places, lens or Environment(), of, WRITTEN).splitlines()


def test_run_json_says_where_everything_is() -> None:
    assert summary.described(PLACES, Environment(), seeded()) == Run(
        mcpUrl="http://127.0.0.1:8000/mcp",
        sseUrl="http://127.0.0.1:8000/sse",
        apiUrl="http://127.0.0.1:8000/api/v1",
        adminUrl="http://127.0.0.1:8000/admin/",
        adminUser="admin",
        adminPassword="generated",
        agentKey="lens_key",
        network="stellar:local",
        rpcUrl=None,
    )


def test_the_old_transport_has_no_address_where_it_is_switched_off() -> None:
    lens = Environment(sse_enabled=False)
    assert summary.described(PLACES, lens, seeded()).sseUrl is None
    assert not any("/sse" in line for line in text(seeded(), lens))


def test_the_first_run_prints_the_password_and_where_it_is_kept() -> None:
    assert text(seeded()) == [
        "admin     http://127.0.0.1:8000/admin/",
        "          user admin, password generated   (it is kept in var/run.json)",
        "API       http://127.0.0.1:8000/api/docs",
        "MCP       http://127.0.0.1:8000/mcp   (older clients: http://127.0.0.1:8000/sse)",
        "key       agentKey in var/run.json, sent as Authorization: Bearer …",
        "",
        "Ctrl-C ends it.",
    ]


def test_the_second_run_says_where_it_was_printed_and_does_not_print_it_again() -> None:
    line = text(seeded(is_new=False))[1].strip()
    assert line == "user admin, password as the first run printed it   (it is in var/run.json)"


def test_a_password_that_nobody_knows_comes_with_the_way_to_set_another() -> None:
    line = text(seeded(known=False, is_new=False))[1]
    assert "whose password only its owner knows" in line
    assert ".venv/bin/python manage.py changepassword admin" in line


def test_without_a_key_there_is_no_line_that_promises_one() -> None:
    line = text(replace(seeded(), key=Key(None, "there is none, since the demo's agent is closed")))[4]
    assert line == "key       there is none, since the demo's agent is closed"


def test_what_is_sold_is_told_where_it_is_sold() -> None:
    of = replace(seeded(), selling=SELLING)
    assert text(of, places=ALL_PLACES)[5:7] == [
        "seller    http://127.0.0.1:8001/weather/Berlin, settled by http://127.0.0.1:8000/facilitator",
        "ledger    http://127.0.0.1:8002",
    ]
    run = summary.described(ALL_PLACES, Environment(), of)
    assert (run.sellerUrl, run.facilitatorUrl) == ("http://127.0.0.1:8001", "http://127.0.0.1:8000/facilitator")


def test_no_line_has_the_key_itself() -> None:
    assert not any("lens_key" in line for line in text(seeded()))
