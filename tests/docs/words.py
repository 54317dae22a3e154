"""docs/words.md: one line for each model, made of its docstring. `python -m tests.docs.words` writes it anew."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import django
from django.apps import apps
from django.db.models import Model

from lensproject.environment import ROOT

PAGE = ROOT / "docs" / "words.md"
APPS = ("bazaar", "payments", "mcp_bridge", "core")


def rows() -> Iterator[str]:
    """The table's lines, by word."""
    yield "| word | what |"
    yield "|---|---|"
    for model in sorted(models(), key=lambda each: word(each).lower()):
        yield f"| {word(model)} | {meaning(model)} |"


def models() -> list[type[Model]]:
    """Our own models. History tables are made from them and have no words of their own."""
    return [
        model
        for label in APPS
        for model in apps.get_app_config(label).get_models()
        if not model.__name__.startswith("Historical")
    ]


def word(model: type[Model]) -> str:
    """`PaymentOption` as people write it: payment option."""
    name = model.__name__.replace("Api", "API")
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name).capitalize().replace("Api ", "API ")


def meaning(model: type[Model]) -> str:
    """The first paragraph of its docstring, in one line."""
    paragraph = (model.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(paragraph.split()).replace("|", "\\|")


def page() -> str:
    """The whole page, with its table made anew."""
    text = PAGE.read_text(encoding="utf-8")
    table = "\n".join(rows())
    pattern = r"<!-- words -->.*?<!-- /words -->"
    return re.sub(pattern, lambda _: f"<!-- words -->\n{table}\n<!-- /words -->", text, flags=re.DOTALL)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    PAGE.write_text(page(), encoding="utf-8")
