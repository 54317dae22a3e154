"""A topic is announced when its triggers are put in, and each one after a migration: rows may have changed unseen."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import Settings

from bazaar.models import Network
from lensproject.core import triggers
from mcp_bridge import changes
from mcp_bridge.changes import Sweep, announce, generation
from mcp_bridge.models import Change
from tests.databases import Database
from tests.mcp_bridge.changes import shop
from tests.mcp_bridge.changes.conftest import ITEMS, PARTS
from tests.mcp_bridge.changes.shop import Item

# A migration that rebuilds a tracked table on SQLite, and writes to it while its triggers are off.
MIGRATION = """
from django.db import migrations, models

def write(apps, schema_editor):
    schema_editor.execute("UPDATE bazaar_network SET rpc_url = 'https://unseen.example' WHERE name = 'stellar:local'")

class Migration(migrations.Migration):
    dependencies = [("bazaar", {latest!r})]
    operations = [
        migrations.RunPython(write, migrations.RunPython.noop),
        migrations.AlterField("network", "passphrase", models.CharField(max_length=121)),
    ]
"""


def star_changes(topic: str) -> int:
    """How many `*` changes of `topic` the log and its totals have seen; on SQLite the newest replaces the others."""
    return Change.objects.filter(topic=topic, key="*").count()


@pytest.fixture
def one_more_migration(
    cloned_database: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The migrations of bazaar, and one more that is not applied yet."""
    package = tmp_path / "bazaar_migrations_of_a_test"
    package.mkdir()
    (package / "__init__.py").touch()
    names = sorted(MigrationRecorder(connection).migration_qs.filter(app="bazaar").values_list("name", flat=True))
    for name in names:
        (package / f"{name}.py").write_text(_again(name))
    (package / "9999_rebuild.py").write_text(MIGRATION.format(latest=names[-1]))
    monkeypatch.syspath_prepend(tmp_path)
    settings.MIGRATION_MODULES = {"bazaar": package.name}


def _again(name: str) -> str:
    return f"from importlib import import_module\nMigration = import_module('bazaar.migrations.{name}').Migration\n"


@pytest.mark.usefixtures("cloned_database")
def test_the_first_install_writes_one_change_of_every_row_for_each_topic() -> None:
    shop.build()
    sweep = Sweep()
    sweep.changed()
    with changes.scratch():
        changes.track(Item, topic=ITEMS, columns=("label",))
        changes.track(shop.Note, topic=ITEMS, columns=("text",))
        changes.track(shop.Note, topic=PARTS, columns=("text",))
        triggers.install()
        assert sweep.changed() == {(ITEMS, "*"), (PARTS, "*")}
        assert (star_changes(ITEMS), star_changes(PARTS)) == (1, 1)
        triggers.install()
    assert sweep.changed() == set()
    assert generation([ITEMS]).last_modified is not None


@pytest.mark.usefixtures("tracked_shop")
def test_a_trigger_that_was_dropped_is_named_and_announces_its_topic_when_it_is_back() -> None:
    """While it was away rows changed unseen."""
    name = "lens_change_shop_item_shop_items_update"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {name}" + ("" if connection.vendor == "sqlite" else " ON shop_item"))
    sweep = Sweep()
    sweep.changed()
    Item.objects.filter(code="a").update(label="unseen")
    assert sweep.changed() == {(PARTS, "1")}
    assert [(trouble.name, trouble.what) for trouble in triggers.verify()] == [(name, "is missing")]
    triggers.install()
    assert sweep.changed() == {(ITEMS, "*")}
    Item.objects.filter(code="a").update(label="seen")
    assert sweep.changed() == {(ITEMS, "a"), (PARTS, "1")}


@pytest.mark.usefixtures("tracked_shop")
def test_an_announcement_moves_every_key_and_once() -> None:
    before, other = generation([ITEMS], ["a"]), generation([PARTS])
    announce([ITEMS])
    after = generation([ITEMS], ["a"])
    assert after.number == before.number + 1 if connection.vendor == "postgresql" else after.number > before.number
    assert generation([PARTS]) == other


@pytest.mark.usefixtures("one_more_migration")
def test_a_migration_that_rebuilds_a_table_brings_its_triggers_back_and_announces_every_topic_once() -> None:
    Network.objects.create(name="stellar:local", passphrase="x")
    assert triggers.verify() == ()
    before = {topic: star_changes(topic) for topic in changes.topics()}
    ids = set(Change.objects.filter(key="*").values_list("id", flat=True))
    sweep = Sweep()
    sweep.changed()
    call_command("migrate", "bazaar", verbosity=0)
    assert Network.objects.get().rpc_url == "https://unseen.example"
    assert triggers.verify() == ()
    assert {(topic, "*") for topic in changes.topics()} <= sweep.changed()
    new = Change.objects.filter(key="*").exclude(id__in=ids).values_list("topic", flat=True)
    assert sorted(new) == sorted(before)
    Network.objects.update(enabled=True)
    assert sweep.changed() == {("bazaar.networks", "stellar:local")}


@pytest.mark.usefixtures("one_more_migration")
def test_a_migrate_without_a_plan_announces_nothing() -> None:
    call_command("migrate", "bazaar", verbosity=0)
    sweep = Sweep()
    sweep.changed()
    call_command("migrate", "bazaar", verbosity=0)
    assert sweep.changed() == set()


@pytest.mark.usefixtures("cloned_database")
def test_without_the_log_its_triggers_go_and_writes_go_on() -> None:
    """The bridge migrated back to nothing, as before it is taken out of a project."""
    call_command("migrate", "mcp_bridge", "zero", verbosity=0)
    Network.objects.create(name="stellar:local", passphrase="x")
    assert triggers.verify() == ()
    call_command("migrate", "mcp_bridge", verbosity=0)
    assert triggers.verify() == ()
    assert set(Change.objects.values_list("topic", "key")) == {(topic, "*") for topic in changes.topics()}
