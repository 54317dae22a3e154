"""Cursors: the place after which a search goes on, signed, and bound to the search that it came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from django.core import signing

from lensproject.core.errors import InvalidInput

SALT = "bazaar.search"


@dataclass(frozen=True)
class Place:
    """The last entry that was shown. The next page begins after it, also when it is gone by then."""

    rank: int
    title: str
    pk: int


def fingerprint(search: Mapping[str, object]) -> str:
    """What a search asks for, short. A cursor is of no use with another one."""
    return sha256(json.dumps(search, sort_keys=True).encode()).hexdigest()[:16]


def write(place: Place, search: str) -> str:
    return _signer().sign_object([search, place.rank, place.title, place.pk], compress=True)


def read(cursor: str, search: str) -> Place:
    """The place of a cursor of this search. Raises InvalidInput for any other text."""
    try:
        of, rank, title, pk = _signer().unsign_object(cursor)
    except (signing.BadSignature, ValueError, TypeError):
        of, rank, title, pk = None, 0, "", 0
    if of != search:
        problem = "This cursor is not one of this search. Leave it out to begin anew."
        raise InvalidInput(problem, details={"fields": {"cursor": problem}})
    return Place(rank, title, pk)


def _signer() -> signing.Signer:
    """Without a time in it: the same page has the same bytes, and so the same version over REST."""
    return signing.Signer(salt=SALT)
