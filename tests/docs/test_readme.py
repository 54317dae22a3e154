"""The commands of the README, and the links of all pages."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from lensproject.environment import ROOT

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def targets() -> set[str]:
    """The targets of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][a-z-]*):(?!=)", makefile, re.MULTILINE))


def anchors(text: str) -> set[str]:
    """The names of a page's headings, as GitHub and MkDocs make them."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.lower())
        found.add(plain.strip().replace(" ", "-"))
    return found


def without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def broken_links(page: Path) -> list[str]:
    broken = []
    for link in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = page if not path else (page.parent / path).resolve()
        if not target.exists() or (anchor and anchor not in anchors(target.read_text(encoding="utf-8"))):
            broken.append(link)
    return broken


def test_the_two_commands_that_matter_are_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {"run", "test"} <= set(re.findall(r"\bmake ([a-z-]+)", readme))


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_each_make_command_is_a_target(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"(?:`|^\$ |^)make ([a-z][a-z-]*)", text, re.MULTILINE)
    assert [name for name in named if name not in targets()] == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_relative_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# A heading, with `code`\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](there.md) [b](there.md#a-heading-with-code) [c](gone.md) [d](there.md#gone) [e](https://x.example/gone) "
        '`[f](gone.md)` [g](#page) [h](gone.md "title")\n# Page\n'
    )
    assert broken_links(page) == ["gone.md", "there.md#gone", "gone.md"]


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_pages_begin_with_one_title(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
