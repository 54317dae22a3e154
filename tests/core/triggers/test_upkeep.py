"""Migrations take triggers off and put them back; the system check names what is not in place."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.checks import Error, run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from lensproject.core import triggers
from lensproject.core.triggers.upkeep import triggers_in_place
from tests.core.triggers.conftest import our_triggers
from tests.databases import chosen_engine

pytestmark = pytest.mark.usefixtures("tables")

PART = {"sqlite": "lens_shout_update", "postgresql": "lens_shout_row"}[chosen_engine()]


def declare_shout() -> None:
    events = ("UPDATE",)
    triggers.guard("shout", "scratch_child", events=events, refuse_when="NEW.note = 'loud'", message="too loud")


def test_a_migrate_without_a_plan_puts_a_missing_trigger_in() -> None:
    declare_shout()
    call_command("migrate", verbosity=0)
    assert our_triggers("scratch_child") == [PART]


def test_the_system_check_names_a_missing_trigger_and_what_to_do() -> None:
    declare_shout()
    found = [message for message in run_checks(databases=["default"]) if message.id == "core.E010"]
    assert found == [
        Error(
            f"The database trigger {PART} on scratch_child is missing.",
            hint="Run `manage.py migrate`: it puts triggers back and marks what they watch as changed.",
            id="core.E010",
        )
    ]
    with pytest.raises(SystemCheckError, match=r"core\.E010"):
        call_command("check", databases=["default"])
    triggers.install()
    assert triggers_in_place(None, databases=["default"]) == []


def test_the_check_is_left_out_when_no_database_is_checked() -> None:
    declare_shout()
    assert triggers_in_place(None, databases=None) == []


def test_migrate_with_its_checks_starts_while_a_trigger_is_missing_and_mends_it() -> None:
    """Django's own migrate would stop at the check, and nothing could put the trigger back."""
    declare_shout()
    call_command("migrate", verbosity=0, skip_checks=False, stdout=StringIO())
    assert our_triggers("scratch_child") == [PART]
    assert triggers_in_place(None, databases=["default"]) == []


def test_after_migrate_the_check_speaks_again() -> None:
    declare_shout()
    with triggers.repairing():
        assert triggers_in_place(None, databases=["default"]) == []
    assert [message.id for message in triggers_in_place(None, databases=["default"])] == ["core.E010"]
