from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime

import pytest

from lensproject.core import zones


@pytest.mark.parametrize("name", ["UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Asia/Kolkata"])
def test_a_zone_is_found_by_its_name(name: str) -> None:
    assert zones.zone(name).key == name
    assert name in zones.names()


def test_a_zone_knows_its_offsets() -> None:
    summer = datetime(2026, 7, 1, 12, tzinfo=UTC).astimezone(zones.zone("Europe/Berlin"))
    assert summer.isoformat() == "2026-07-01T14:00:00+02:00"


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "europe/berlin", "Europe/Berlin\n", "a\0b", "../UTC", "x" * 5000])
def test_no_other_text_is_a_zone(name: str) -> None:
    with pytest.raises(ValueError, match="not the name of a time zone"):
        zones.zone(name)


@pytest.mark.parametrize("name", ["Europe", "America/Argentina", "__pycache__", "__init__.py", "tzdata.zi", "zone.tab"])
def test_a_folder_or_file_of_the_database_is_no_zone(name: str) -> None:
    with pytest.raises(ValueError, match="not the name of a time zone"):
        zones.zone(name)


@pytest.mark.parametrize("name", ["localtime", "posixrules", "posix/UTC", "right/UTC", "Factory"])
def test_what_depends_on_the_machine_or_means_no_place_is_no_zone(name: str) -> None:
    with pytest.raises(ValueError, match="not the name of a time zone"):
        zones.zone(name)


def test_the_database_of_the_machine_is_not_asked() -> None:
    assert zoneinfo.TZPATH == ()
