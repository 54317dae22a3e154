"""The facilitator's settings: a seed that is one, and never open where money is real."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr
from pytest_django import Settings

from lensproject import checks, environment
from lensproject.environment import EnvironmentMistakes

SEED = "5e" * 32


def mistakes(**variables: str) -> list[str]:
    with pytest.raises(EnvironmentMistakes) as caught:
        environment.load(variables)
    return caught.value.mistakes


def test_the_seed_comes_from_the_variable_or_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "seed"
    file.write_text(SEED + "\n")
    assert environment.load({"LENS_FACILITATOR_KEY": SEED}).facilitator_key == SecretStr(SEED)
    assert environment.load({"LENS_FACILITATOR_KEY_FILE": str(file)}).facilitator_key == SecretStr(SEED)
    assert environment.load({}).facilitator_key is None


@pytest.mark.parametrize("text", ["5e" * 31, "zz" * 32, "S" + "A" * 55])
def test_what_is_no_seed_is_refused_without_repeating_it(text: str) -> None:
    found = mistakes(LENS_FACILITATOR_KEY=text)
    assert found == ["LENS_FACILITATOR_KEY: must be 64 hex digits"]


def test_open_and_mainnet_contradict_each_other() -> None:
    assert mistakes(LENS_FACILITATOR_OPEN="1", LENS_MAINNET_ENABLED="1") == [
        "LENS_FACILITATOR_OPEN and LENS_MAINNET_ENABLED contradict each other"
    ]


def test_open_where_others_reach_it_is_a_warning(settings: Settings) -> None:
    over = {"facilitator_open": True, "public_url": "https://lens.example", "key_peppers": SecretStr(f"1:{SEED}")}
    settings.LENS = settings.LENS.model_copy(update=over)
    assert [found.id for found in checks.check_exposure()] == ["lens.W008"]
    settings.LENS = settings.LENS.model_copy(update={"public_url": "http://127.0.0.1:8000"})
    assert checks.check_exposure() == []
