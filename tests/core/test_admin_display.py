from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from lensproject.core.admin import display
from lensproject.core.amounts import MAX_UNITS


@dataclass
class Asset:
    code: str = "USDC"
    decimals: int = 7


@pytest.mark.parametrize(
    ("units", "asset", "words"),
    [
        (0, Asset(), "0.00 USDC"),
        (1, Asset(), "0.0000001 USDC"),
        (5_000_000, Asset(), "0.50 USDC"),
        (125_000_000_000, Asset(), "12500.00 USDC"),
        (MAX_UNITS, Asset(), "922337203685.4775807 USDC"),
        (7, Asset("PTS", 0), "7 PTS"),
        (1, Asset("TINY", 12), "0.000000000001 TINY"),
    ],
)
def test_an_amount_is_a_plain_decimal_with_its_asset(units: int, asset: Asset, words: str) -> None:
    assert display.amount_text(units, asset) == words
    assert f'title="{units} units"' in display.amount(units, asset)


def test_no_amount_is_a_dash() -> None:
    assert display.amount(None, Asset()) == "–"


def test_the_code_of_an_asset_is_escaped() -> None:
    assert "<b>" not in display.amount(1, Asset("<b>"))
    assert "<b>" not in display.bar(1, 0, 2, Asset("<b>"))


@pytest.mark.parametrize(
    ("spent", "held", "limit", "widths", "full"),
    [
        (0, 0, 100, (0, 0, 0), False),
        (1, 0, 1000, (1, 1, 0), False),
        (30, 50, 100, (30, 30, 50), False),
        (30, 51, 100, (30, 30, 51), True),
        (100, 0, 100, (100, 100, 0), True),
        (1, 0, 1, (100, 100, 0), True),
        (0, 0, 0, (100, 100, 100), True),
        (MAX_UNITS, 0, MAX_UNITS, (100, 100, 0), True),
    ],
)
def test_a_bar_shows_spent_and_held_and_is_marked_above_four_fifths(
    spent: int, held: int, limit: int, widths: tuple[int, int, int], full: bool
) -> None:
    shown = display.bar(spent, held, limit, Asset())

    spent_width, held_from, held_width = widths
    assert f'<rect class="bar-spent" width="{spent_width}" height="8"/>' in shown
    assert f'<rect class="bar-held" x="{held_from}" width="{held_width}" height="8"/>' in shown
    assert ("bar-full" in shown) is full
    assert "style" not in shown


@pytest.mark.parametrize(
    ("zone", "words", "name"),
    [
        ("UTC", "30 Nov 2026, 20:24:34 UTC", "UTC (UTC+00:00)"),
        ("Europe/Berlin", "30 Nov 2026, 21:24:34 CET", "Europe/Berlin (UTC+01:00)"),
        ("Asia/Kolkata", "1 Dec 2026, 01:54:34 IST", "Asia/Kolkata (UTC+05:30)"),
        ("America/St_Johns", "30 Nov 2026, 16:54:34 NST", "America/St_Johns (UTC-03:30)"),
    ],
)
def test_times_are_local_and_the_zone_has_its_offset(zone: str, words: str, name: str) -> None:
    at = datetime(2026, 11, 30, 20, 24, 34, 123_000, tzinfo=UTC)
    with timezone.override(ZoneInfo(zone)):
        assert display.moment_text(at) == words
        assert display.zone_name(at) == name
        assert display.moment(at) == (
            f'<time datetime="2026-11-30T20:24:34.123Z" title="2026-11-30T20:24:34.123Z">{words}</time>'
        )


def test_no_time_is_a_dash() -> None:
    assert display.moment(None) == "–"


@pytest.mark.parametrize("kind", ["good", "wait", "bad", "quiet"])
def test_a_state_has_words_and_a_mark_beside_its_colour(kind: str) -> None:
    shown = display.badge("Paused & <b>", kind)

    assert 'aria-hidden="true"' in shown
    assert "Paused &amp; &lt;b&gt;" in shown
    assert len({display.badge("x", other) for other in ("good", "wait", "bad", "quiet")}) == 4
