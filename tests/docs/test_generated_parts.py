"""What the pages say of settings, codes and commands is what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from lensproject import environment
from lensproject.core.errors import CODES
from lensproject.environment import ROOT, Environment
from tests.docs import rendering

WRITE = "run `.venv/bin/python -m tests.docs.rendering` and commit what it writes"


@pytest.mark.parametrize(("page", "name"), rendering.PARTS)
def test_the_pages_are_up_to_date(page: str, name: str) -> None:
    assert rendering.part_of(page, name) == rendering.PARTS[page, name](), WRITE


def test_env_example_is_up_to_date() -> None:
    assert (ROOT / ".env.example").read_text() == rendering.env_example(), WRITE


def test_every_setting_is_in_both() -> None:
    example, page = (ROOT / ".env.example").read_text(), (ROOT / "docs" / "settings.md").read_text()
    for name, field in Environment.model_fields.items():
        variable = environment.variable(name)
        assert field.description
        assert f"\n#{variable}=" in example
        assert f"| `{variable}` |" in page


def test_env_example_as_it_stands_changes_nothing() -> None:
    lines = (ROOT / ".env.example").read_text().splitlines()
    assert all(line.startswith("#") or not line for line in lines)


def test_env_example_with_every_line_in_use_is_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    lines = (ROOT / ".env.example").read_text().splitlines()
    pairs = [line.removeprefix("#").partition("=") for line in lines if line.startswith("#") and line[1] != " "]
    values = {name: value for name, _, value in pairs}
    assert set(values) == {environment.variable(name) for name in Environment.model_fields}
    assert environment.load(values) == Environment()


def test_every_code_has_a_row() -> None:
    rows = rendering.errors_table().splitlines()
    assert len(rows) == len(CODES) + 2
    for code in CODES.values():
        again = "yes" if code.retryable else "no"
        assert f"| `{code.name}` | {code.status} | {again} | {code.meaning} |" in rows


def test_our_commands_are_found() -> None:
    assert {"demo", "doctor", "export_openapi", "worker"} <= set(rendering.own_commands())
    assert "migrate" not in rendering.own_commands()


def test_a_stale_page_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.md").write_text("a\n<!-- x -->\nold\n<!-- /x -->\nb\n")
    monkeypatch.setattr(rendering, "DOCS", tmp_path)
    assert rendering.part_of("page.md", "x") == "old"
    assert rendering.part_of("page.md", "y") == ""
