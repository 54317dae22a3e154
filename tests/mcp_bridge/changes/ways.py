"""Every way of writing rows, and the keys that it must move: one line each, for both databases or for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.db.models.functions import Upper

from tests.databases import chosen_engine
from tests.mcp_bridge.changes.clients import client
from tests.mcp_bridge.changes.shop import Item, Note


@dataclass(frozen=True)
class Way:
    """`items` and `parts` are the keys that move in the topics `shop.items` and `shop.parts`."""

    name: str
    write: Callable[[], object]
    items: str = ""
    parts: str = ""


def sql(*statements: str) -> Callable[[], None]:
    def run() -> None:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    return run


def insert(code: str, tail: str = "", *, verb: str = "INSERT", pk: int = 9) -> str:
    row = f"({pk}, '{code}', 1, 'x', '{{}}', 0)"
    return " ".join((verb, "INTO shop_item (id, code, shelf_id, label, data, looks) VALUES", row, tail))


def get(code: str) -> Item:
    return Item.objects.get(code=code)


def new(code: str, **values: object) -> Item:
    return Item(code=code, shelf_id=1, **values)


def change(code: str, **values: object) -> Callable[[], None]:
    def run() -> None:
        item = get(code)
        for name, value in values.items():
            setattr(item, name, value)
        item.save()

    return run


def upsert(*items: Item, fields: tuple[str, ...] = ("label",)) -> list[Item]:
    return Item.objects.bulk_create(items, update_conflicts=True, unique_fields=["code"], update_fields=fields)


def ignoring(*items: Item) -> list[Item]:
    return Item.objects.bulk_create(items, ignore_conflicts=True)


def bulk_update() -> None:
    first, second, third = Item.objects.order_by("code")
    first.label, second.label = "one", "two"
    Item.objects.bulk_update([first, second, third], ["label"])


def rolled_back() -> None:
    with transaction.atomic():
        Item.objects.update(label="gone")
        transaction.set_rollback(True)


def savepoint_rolled_back() -> None:
    with transaction.atomic():
        with transaction.atomic():
            Item.objects.filter(code="a").update(label="gone")
            transaction.set_rollback(True)
        Item.objects.filter(code="b").update(label="stays")


def failed_halfway() -> None:
    try:
        Item.objects.bulk_create([new("d"), new("a")])
    except IntegrityError:
        return
    raise AssertionError("the second row must fail")


def there_and_back() -> None:
    """The rows end as they were; a reader in between saw another state only if it was in this transaction."""
    with transaction.atomic():
        Item.objects.filter(code="a").update(label="other")
        Item.objects.filter(code="a").update(label="A")


def from_another_client() -> None:
    with client() as other:
        other.execute("UPDATE shop_item SET label = 'elsewhere' WHERE code = 'c'")
        other.commit()


def two_statements() -> None:
    with transaction.atomic():
        Item.objects.filter(code="a").update(label="x")
        Item.objects.filter(code="b").update(label="y")


def change_places() -> None:
    Item.objects.filter(id=1).update(code=None)
    Item.objects.filter(id=2).update(code="a")
    Item.objects.filter(id=1).update(code="b")


def cascade() -> None:
    """The note that goes is the only one; `parts` has 1 of the note that is deleted first."""
    sql("DELETE FROM shop_note WHERE item_id = 1", "DELETE FROM shop_item WHERE id = 2")()
    assert not Note.objects.exists()


def primary_keys_change_places() -> None:
    sql("ALTER TABLE shop_note DROP CONSTRAINT shop_note_item_id_fkey")()
    sql("ALTER TABLE shop_item DROP CONSTRAINT shop_item_pkey")()
    sql("UPDATE shop_item SET id = 3 - id WHERE id < 3")()


def another_scale() -> None:
    """Equal as numbers, different to who reads them."""
    sql("ALTER TABLE shop_item ALTER price TYPE numeric", "UPDATE shop_item SET price = 1.50 WHERE id = 1")()


def null_key() -> None:
    new("d", id=9).save()
    Item.objects.filter(id=9).update(code=None)


def copied() -> None:
    statement = "COPY shop_item (code, shelf_id, label, data, looks) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for code in "xy":
            copy.write_row((code, 1, "copied", "{}", 0))


MERGE = """MERGE INTO shop_item i USING shop_shelf s ON i.id = s.id
    WHEN MATCHED AND i.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET label = s.name"""

WRITING_WITH = """WITH gone AS (DELETE FROM shop_item WHERE id = 1 RETURNING shelf_id)
    UPDATE shop_item SET label = 'x' WHERE id = 2"""

BOTH = [
    Way("save of a new row", lambda: new("d").save(), "d", "4"),
    Way("save of a change", change("a", label="x"), "a", "1"),
    Way("save without a change", change("a")),
    Way("save of what is not tracked", change("a", looks=5)),
    Way("save(update_fields)", lambda: new("a", id=1, label="x").save(update_fields=["label"]), "a", "1"),
    Way("get_or_create of a row that is there", lambda: Item.objects.get_or_create(code="a")),
    Way("update_or_create", lambda: Item.objects.update_or_create(code="a", defaults={"label": "x"}), "a", "1"),
    Way("update()", lambda: Item.objects.filter(code="b").update(label="x"), "b", "2"),
    Way("update() of all rows", lambda: Item.objects.update(label="x"), "a b c", "1 2 3"),
    Way("update() that changes some of its rows", lambda: Item.objects.update(label="A"), "b c", "2 3"),
    Way("update() that changes nothing", lambda: Item.objects.update(label=Upper("code"))),
    Way("update() of what is not tracked", lambda: Item.objects.update(looks=F("looks") + 1)),
    Way("update() of no row", lambda: Item.objects.filter(code="nobody").update(label="x")),
    Way("update() to NULL", lambda: Item.objects.filter(code="a").update(price=None), "a", "1"),
    Way("update() of JSON", lambda: Item.objects.filter(code="a").update(data={"n": 2}), "a", "1"),
    Way("update() of JSON to the same", lambda: Item.objects.update(data={"n": 1})),
    Way("update() of a decimal", lambda: Item.objects.filter(code="a").update(price=Decimal("1.25")), "a", "1"),
    Way("update() in case only", lambda: Item.objects.filter(code="a").update(label="a"), "a", "1"),
    Way("update() of a foreign key", lambda: Item.objects.filter(code="a").update(shelf_id=2), "a", "1"),
    Way("bulk_create", lambda: Item.objects.bulk_create([new("d"), new("e")]), "d e", "4 5"),
    Way("bulk_create that ignores conflicts", lambda: ignoring(new("a", label="x"), new("d", id=9)), "d", "9"),
    Way("bulk_create that ignores all", lambda: ignoring(new("a"))),
    Way("bulk_create that updates", lambda: upsert(new("a", label="x"), new("d", id=9)), "a d", "1 9"),
    Way("bulk_create that updates to the same", lambda: upsert(new("a", label="A"), new("b", label="x")), "b", "2"),
    Way("bulk_create that updates nothing tracked", lambda: upsert(new("a", looks=7), fields=("looks",))),
    Way("bulk_create that fails halfway", failed_halfway),
    Way("bulk_update", bulk_update, "a b", "1 2"),
    Way("raw INSERT", sql(insert("d")), "d", "9"),
    Way("raw UPDATE", sql("UPDATE shop_item SET label = 'x' WHERE id < 3"), "a b", "1 2"),
    Way("raw UPDATE that changes nothing", sql("UPDATE shop_item SET label = label, price = price")),
    Way("raw upsert", sql(insert("a", "ON CONFLICT (code) DO UPDATE SET label = excluded.label")), "a", "1"),
    Way("raw upsert that does nothing", sql(insert("a", "ON CONFLICT DO NOTHING"))),
    Way("raw DELETE", sql("DELETE FROM shop_item WHERE id = 1"), "a", "1"),
    Way("raw DELETE of all rows", sql("DELETE FROM shop_item"), "a b c", "1 2 3"),
    Way("raw DELETE of no row", sql("DELETE FROM shop_item WHERE id > 100")),
    Way("delete() of a row", lambda: get("c").delete(), "c", "3"),
    Way("delete() of a queryset", lambda: Item.objects.filter(code__in="bc").delete(), "b c", "2 3"),
    Way("another client, past Django", from_another_client, "c", "3"),
    Way("two statements in one transaction", two_statements, "a b", "1 2"),
    Way("there and back in one transaction", there_and_back, "a", "1"),
    Way("a transaction that is rolled back", rolled_back),
    Way("a savepoint that is rolled back", savepoint_rolled_back, "b", "2"),
    Way("a new key", lambda: Item.objects.filter(code="a").update(code="z"), "a z", "1"),
    Way("two keys that change places", change_places, "a b *", "1 2"),
    Way("a new primary key", sql("UPDATE shop_item SET id = 30 WHERE id = 3"), "c", "3 30"),
    Way("a key that becomes NULL", null_key, "d *", "9"),
    Way("a key that becomes empty", lambda: Item.objects.filter(code="a").update(code=""), "a *", "1"),
    Way("a row of another table", lambda: Note.objects.filter(item_id=1).update(text="x"), "", "1"),
    Way("a row of another table that moves", lambda: Note.objects.filter(item_id=1).update(item_id=2), "", "1 2"),
    Way("a row of another table without key", lambda: Note.objects.create(pk=9, text="x"), "", "*"),
    Way("a cascade by the database", cascade, "b", "1 2"),
]

SQLITE = [
    Way("INSERT OR REPLACE", sql(insert("a", verb="INSERT OR REPLACE")), "a", "1 9"),
    Way("INSERT OR IGNORE", sql(insert("a", verb="INSERT OR IGNORE"))),
    Way("INSERT OR IGNORE of a new row", sql(insert("d", verb="INSERT OR IGNORE")), "d", "9"),
    Way("UPDATE OR REPLACE", sql("UPDATE OR REPLACE shop_item SET code = 'a' WHERE id = 2"), "a b", "1 2"),
    Way("UPDATE of the rowid", sql("UPDATE shop_item SET rowid = 30 WHERE id = 3"), "c", "3 30"),
]

POSTGRESQL = [
    Way("TRUNCATE", sql("TRUNCATE shop_item CASCADE"), "*", "*"),
    Way("TRUNCATE of what it hangs on", sql("TRUNCATE shop_shelf CASCADE"), "*", "*"),
    Way("COPY", copied, "x y", "4 5"),
    Way("MERGE", sql(MERGE), "a b", "1 2"),
    Way("a writing WITH", sql(WRITING_WITH), "a b", "1 2"),
    Way("two primary keys that change places", primary_keys_change_places, "a b", "1 2"),
    Way("a number of another scale", another_scale, "a", "1"),
]

WAYS = BOTH + {"sqlite": SQLITE, "postgresql": POSTGRESQL}[chosen_engine()]
