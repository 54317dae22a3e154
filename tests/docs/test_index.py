"""Every page can be found from the index."""

from __future__ import annotations

import re

from lensproject.environment import ROOT

DOCS = ROOT / "docs"
DECISIONS = DOCS / "decisions"


def linked(page: str) -> list[str]:
    return re.findall(r"^\| \[[^\]]+\]\(([^)]+)\) \| .+ \|$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)


def test_the_index_has_one_line_for_each_page() -> None:
    pages = sorted(path.name for path in DOCS.glob("*.md") if path.name != "index.md")
    assert sorted(linked("index.md")) == sorted([*pages, "decisions/README.md"])


def test_the_decisions_are_listed_in_their_order() -> None:
    pages = sorted(path.name for path in DECISIONS.glob("*.md") if path.name != "README.md")
    assert linked("decisions/README.md") == pages


def test_a_decision_is_listed_by_its_number_and_title() -> None:
    listed = (DECISIONS / "README.md").read_text(encoding="utf-8")
    for path in sorted(DECISIONS.glob("0*.md")):
        number, _, title = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").partition(". ")
        assert path.name.startswith(f"{int(number):04}-")
        assert f"| [{number}]({path.name}) | {title} |" in listed


def test_a_decision_says_what_why_what_else_and_how_we_would_notice() -> None:
    for path in DECISIONS.glob("0*.md"):
        headings = re.findall(r"^## (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert headings[:2] == ["What", "Why"], path.name
        assert {"What else was looked at", "How we would notice that it was wrong"} <= set(headings), path.name
