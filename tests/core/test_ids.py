from __future__ import annotations

import uuid

import pytest

from lensproject.core.ids import is_public_id, public_id


def test_an_id_is_its_kind_and_a_uuid_of_version_7() -> None:
    kind, _, digits = public_id("resource").partition("_")
    assert kind == "resource"
    assert uuid.UUID(digits).version == 7


def test_ids_sort_by_the_time_they_were_made() -> None:
    made = [public_id("agent") for _ in range(1000)]
    assert made == sorted(made)
    assert len(set(made)) == 1000


def test_ids_fit_their_columns() -> None:
    assert len(public_id("organisation")) <= 48


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("resource_" + "0" * 32, True),
        ("resource_" + "0" * 31, False),
        ("resource_" + "0" * 33, False),
        ("resource_" + "G" * 32, False),
        ("Resource_" + "0" * 32, False),
        ("agent_" + "0" * 32, False),
        ("resource_" + "0" * 32 + "\n", False),
        ("", False),
    ],
)
def test_the_shape_of_an_id_is_known(text: str, is_one: bool) -> None:
    assert is_public_id(text, "resource") is is_one
    assert is_public_id(public_id("resource"), "resource")
