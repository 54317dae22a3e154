"""A worker process of the tests: the settings of the platform, read from its environment, and an app with chores."""

from __future__ import annotations

from lensproject.settings import *  # noqa: F403

INSTALLED_APPS = [*INSTALLED_APPS, "tests.worker.chores"]  # noqa: F405
