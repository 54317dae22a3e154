from __future__ import annotations

from tests.desk.conftest import superuser

__all__ = ["superuser"]
