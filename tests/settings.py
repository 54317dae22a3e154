"""The settings of the tests: fixed values, so that mypy and tests need no environment."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from pydantic import SecretStr

from lensproject import environment
from lensproject.databases import DatabaseUrl

_var = Path(tempfile.gettempdir()) / f"lens-bazaar-tests-{os.getuid()}"
# Only the engine counts: tests/databases.py points the connection at databases of its own making.
_databases = {"sqlite": f"sqlite:///{_var}/nowhere.sqlite3", "postgresql": "postgres://lens@/nowhere"}

environment.use(
    environment.Environment(
        var=_var,
        secret_key=SecretStr("a fixed key for tests, of no worth anywhere"),
        key_peppers=SecretStr(f"test:{'5e' * 32}"),
        allowed_hosts=("localhost", "127.0.0.1", "[::1]", "testserver"),
        database_url=DatabaseUrl.parse(_databases[os.environ.get("LENS_TEST_DATABASE", "sqlite")]),
        redis_url=None,
    )
)

from lensproject.settings import *  # noqa: E402, F403

POOL_IN_THE_TEST_THREAD = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AXES_ENABLED = False
