"""Which entries a text finds: those that hold every one of its words in title, description or tags.

A word is letters and digits and nothing else, so no text can carry a pattern of its own into the database. It matches
from the beginning of a word on (`weather` finds `weathers`), whatever the case; words of scripts that write no spaces,
or join articles to words, match anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TypedDict

from django.db.models import Case, CharField, F, IntegerField, Q, QuerySet, Value, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Concat
from django_stubs_ext import WithAnnotations

from bazaar.models import CatalogEntry
from bazaar.models.rules import MAX_TAGS
from lensproject.core.errors import InvalidInput

MOST_WORDS = 12
_WORD = re.compile(r"[^\W_]+")
_BEGINNING = r"(^|\W|_)"
_GAP = Value(" ")


def words_of(text: str) -> tuple[str, ...]:
    """The different words of a text, in order. Raises InvalidInput when there are more than twelve."""
    words = tuple({word.lower(): word for word in _WORD.findall(unicodedata.normalize("NFC", text))}.values())
    if len(words) > MOST_WORDS:
        problem = f"At most {MOST_WORDS} different words are searched for."
        raise InvalidInput(problem, details={"fields": {"query": problem}})
    return words


class Ranked(TypedDict):
    """0 where the title has all the words, else 1."""

    rank: int


def finding(entries: QuerySet[CatalogEntry], text: str) -> QuerySet[WithAnnotations[CatalogEntry, Ranked]]:
    """Those of the entries that the text finds, ranked.

    A blank text finds all. One of signs without a word finds none.
    """
    words = words_of(text)
    if not words:
        return (entries.none() if text.strip() else entries).annotate(rank=Value(0))
    found = entries.annotate(words=_all_text())
    in_title = Q()
    for word in words:
        found = found.filter(words__iregex=_pattern(word))
        in_title &= Q(title__iregex=_pattern(word))
    return found.annotate(rank=Case(When(in_title, then=0), default=1, output_field=IntegerField()))


def _all_text() -> Concat:
    tags = [KeyTextTransform(str(index), F("tags")) for index in range(MAX_TAGS)]
    spaced = [part for tag in tags for part in (_GAP, tag)]
    return Concat("title", _GAP, "description", *spaced, output_field=CharField())


def _pattern(word: str) -> str:
    anywhere = unicodedata.category(word[0]) == "Lo"
    return word if anywhere else _BEGINNING + word
