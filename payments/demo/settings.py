"""The demo seller's own settings. What it sells for is told by SELLER_… variables (`configuration`)."""

from __future__ import annotations

import secrets
from typing import Any

SECRET_KEY = secrets.token_urlsafe(32)  # Nothing is signed with it that outlives the process.
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
ROOT_URLCONF = "payments.demo.urls"
INSTALLED_APPS: list[str] = []
MIDDLEWARE = ["django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware"]
DATABASES: dict[str, Any] = {}
USE_TZ = True
TIME_ZONE = "UTC"
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "INFO"},
}
