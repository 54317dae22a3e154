"""Settings of the servers that these tests start: the bridge and the app `offering`, without catalogue and money."""

from __future__ import annotations

import json
import os

from lensproject.settings import *  # noqa: F403

INSTALLED_APPS = [
    "daphne",
    "channels",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "lensproject.core.apps.CoreConfig",
    "mcp_bridge",
    "tests.mcp_bridge.offering",
]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
ROOT_URLCONF = "tests.mcp_bridge.urls"
FORCE_SCRIPT_NAME = os.environ.get("OFFERING_SCRIPT_NAME")
MCP_BRIDGE = {"version": "1.2.3", "instructions": "Count first.", **json.loads(os.environ.get("OFFERING_BRIDGE", "{}"))}

if "OFFERING_LOSES_ITS_DATABASE" in os.environ:
    DATABASES["default"]["NAME"] = "/nowhere/at/all"  # noqa: F405
    DATABASES["default"]["PORT"] = "1"  # noqa: F405
