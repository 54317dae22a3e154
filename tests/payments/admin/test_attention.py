"""What wants to be looked at, at its edges: the same rows for a list's filter and for the dashboard's number."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from lensproject.core import clock
from lensproject.core.amounts import MAX_UNITS
from payments.admin.attention import SOON, expiring_keys, nearly_used_up, open_windows, spent_in
from payments.admin.key_states import key_state
from payments.models import ApiKey, BudgetWindow
from tests.builders import make_budget, make_budget_window, make_key

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def window(**over: object) -> BudgetWindow:
    with clock.frozen(NOW):
        return make_budget_window(make_budget(), **over)


def test_a_window_is_open_until_the_instant_that_ends_it() -> None:
    day = window()
    with clock.frozen(NOW):
        for_good = make_budget_window(make_budget(window="total"))
    ends_at = day.ends_at
    assert ends_at is not None

    assert set(open_windows(ends_at - timedelta(microseconds=1))) == {day, for_good}
    assert set(open_windows(ends_at)) == {for_good}


@pytest.mark.parametrize(
    ("limit", "spent", "held", "found"),
    [
        (100, 0, 0, False),
        (100, 80, 0, False),
        (100, 81, 0, True),
        (100, 0, 81, True),
        (100, 41, 40, True),
        (100, 40, 40, False),
        (0, 0, 0, False),
        (1, 1, 0, True),
        (MAX_UNITS, MAX_UNITS, 0, True),
        (MAX_UNITS, 1, MAX_UNITS - 1, True),
        (MAX_UNITS, MAX_UNITS // 5 * 4, 0, False),
    ],
)
def test_more_than_four_fifths_taken(limit: int, spent: int, held: int, found: bool) -> None:
    row = window(limit=limit, spent=spent, held=held)

    assert list(nearly_used_up(NOW)) == ([row] if found else [])


@pytest.mark.parametrize(("spent", "held", "found"), [(0, 0, False), (1, 0, True), (0, 1, True)])
def test_something_spent_or_held(spent: int, held: int, found: bool) -> None:
    row = window(spent=spent, held=held)

    assert list(spent_in(NOW)) == ([row] if found else [])


@pytest.mark.parametrize(
    ("expires_in", "found", "words"),
    [
        (None, False, "Works"),
        (timedelta(seconds=1), True, "Works until 30 Nov 2026, 12:00:01 UTC"),
        (SOON, True, "Works until 14 Dec 2026, 12:00:00 UTC"),
        (SOON + timedelta(seconds=1), False, "Works until 14 Dec 2026, 12:00:01 UTC"),
        (timedelta(0), False, "Expired 30 Nov 2026, 12:00:00 UTC"),
        (-timedelta(days=1), False, "Expired 29 Nov 2026, 12:00:00 UTC"),
    ],
)
def test_keys_that_work_now_and_stop_soon(expires_in: timedelta | None, found: bool, words: str) -> None:
    key = make_key()[0]
    ApiKey.objects.update(expires_at=None if expires_in is None else NOW + expires_in)
    key.refresh_from_db()

    assert list(expiring_keys(NOW)) == ([key] if found else [])
    with clock.frozen(NOW):
        assert key_state(key).endswith(f"</span> {words}</span>")


def test_a_revoked_key_is_revoked_whenever_it_expires() -> None:
    key = make_key()[0]
    ApiKey.objects.update(expires_at=NOW + timedelta(days=1), revoked_at=NOW)
    key.refresh_from_db()

    assert list(expiring_keys(NOW)) == []
    assert key_state(key).endswith("Revoked 30 Nov 2026, 12:00:00 UTC</span>")
