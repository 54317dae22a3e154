"""Tables of these tests: shelves with items, and notes that the database itself deletes with their item."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from django.db import connection, models


class Shelf(models.Model):
    name = models.CharField(max_length=20, unique=True)

    objects: ClassVar[models.Manager[Shelf]] = models.Manager()

    class Meta:
        app_label = "shop"

    def __str__(self) -> str:
        return self.name


class Item(models.Model):
    """`looks` and `last_seen` are no reader's business."""

    code = models.CharField(max_length=40, unique=True, null=True)
    shelf = models.ForeignKey(Shelf, on_delete=models.CASCADE, related_name="items")
    label = models.CharField(max_length=40, default="")
    price = models.DecimalField(max_digits=9, decimal_places=4, null=True)
    data: models.JSONField[Any, Any] = models.JSONField(default=dict)
    looks = models.IntegerField(default=0)
    last_seen = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager[Item]] = models.Manager()

    class Meta:
        app_label = "shop"

    def __str__(self) -> str:
        return str(self.code)


class Note(models.Model):
    item = models.ForeignKey(Item, on_delete=models.DO_NOTHING, null=True)
    text = models.CharField(max_length=40)

    objects: ClassVar[models.Manager[Note]] = models.Manager()

    class Meta:
        app_label = "shop"

    def __str__(self) -> str:
        return self.text


NOTES = (
    "CREATE TABLE shop_note (id integer PRIMARY KEY, text varchar(40) NOT NULL, "
    "item_id bigint REFERENCES shop_item (id) ON DELETE CASCADE)"
)


def build() -> None:
    """Make the tables: shelf 1 with items a, b, c (ids 1, 2, 3), shelf 2 empty, a note on a and one on b."""
    with connection.schema_editor() as editor:
        editor.create_model(Shelf)
        editor.create_model(Item)
    with connection.cursor() as cursor:
        cursor.execute(NOTES)
    shelf = Shelf.objects.create(name="s1")
    Shelf.objects.create(name="s2")
    for code in "abc":
        Item.objects.create(code=code, shelf=shelf, label=code.upper(), price=Decimal("1.5"), data={"n": 1})
    for pk, item_id in ((1, 1), (2, 2)):
        Note.objects.create(pk=pk, item_id=item_id, text="note")
