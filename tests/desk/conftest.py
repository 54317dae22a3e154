from __future__ import annotations

import pytest
from django.test import Client

from tests.desk.people import signed_in


@pytest.fixture
def superuser(db: None) -> Client:
    """A browser in which somebody who may do everything is signed in."""
    return signed_in(is_superuser=True)
