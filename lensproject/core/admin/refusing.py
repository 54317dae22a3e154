"""What a service refuses, as a page shows it: never a traceback, never half a change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction


@contextmanager
def one_change() -> Iterator[None]:
    """One transaction. A collision with a row that was written in the same instant is told like any other mistake.

    Raises Django's ValidationError in place of IntegrityError, and lets ValidationError and Refusal through.
    """
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise ValidationError(
            "The database refuses this: it collides with a row that was just written, or breaks a rule of the table."
        ) from None
