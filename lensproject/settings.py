"""Django's settings, made of `lensproject.environment` and of nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import django_stubs_ext

from lensproject import environment, logs
from lensproject.databases import sqlite_file
from lensproject.environment import ROOT, Environment
from lensproject.local_secrets import local_secret
from lensproject.version import NAME, VERSION

django_stubs_ext.monkeypatch()

LENS: Environment = environment.current()
_keys: Path = LENS.var / "keys"

SECRET_KEY = LENS.secret_key.get_secret_value() if LENS.secret_key else local_secret(_keys, "secret_key")
KEY_PEPPERS: dict[str, bytes] = environment.peppers(
    LENS.key_peppers.get_secret_value() if LENS.key_peppers else f"1:{local_secret(_keys, 'key_pepper')}"
)
DEBUG = LENS.debug
ALLOWED_HOSTS = list(LENS.allowed_hosts)
CSRF_TRUSTED_ORIGINS = list(LENS.csrf_trusted_origins)

INSTALLED_APPS = [
    "daphne",
    "channels",
    "lensproject.desk.apps.DeskConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "ninja",
    "simple_history",
    "axes",
    "csp",
    "django_structlog",
    "django_tasks",
    "django_tasks_db",
    "lensproject.core.apps.CoreConfig",
    "lensproject.apps.ProjectConfig",
    "mcp_bridge",
    "bazaar",
    "payments",
]

MIDDLEWARE = [
    # The first, so that it sees what any other answers.
    "lensproject.core.rest.middleware.one_error_shape",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
    "lensproject.desk.zones.OperatorZone",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "lensproject.urls"
ASGI_APPLICATION = "lensproject.asgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ],
        },
    },
]

_database = LENS.database_url or sqlite_file(LENS.var / "lens.sqlite3")
DATABASES: dict[str, Any] = {"default": _database.django(pool_max=LENS.database_pool_max)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
POOL_THREADS = LENS.pool_threads

if LENS.redis_url:
    _redis = LENS.redis_url.get_secret_value()
    CHANNEL_LAYERS: dict[str, Any] = {
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [_redis]}}
    }
    CACHES: dict[str, Any] = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": _redis}}
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer", "CONFIG": {"capacity": 10_000}}}
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

TASKS: dict[str, Any] = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}

MCP_BRIDGE: dict[str, Any] = {
    "name": NAME,
    "version": VERSION,
    "instructions": (
        "Find paid resources with search_paid_resources; before you pay, look at one with inspect_resource and at what "
        "you may spend with inspect_budget. The lens:// resources tell which pairs are quoted, and from which venues."
    ),
}

AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 1  # hours
AXES_IPWARE_PROXY_COUNT = LENS.proxy_count or None
AXES_ENABLE_ACCESS_FAILURE_LOG = True
AXES_VERBOSE = False  # Else every command begins with a line of it.

LANGUAGE_CODE = "en-gb"
USE_I18N = True
USE_TZ = True
USE_THOUSAND_SEPARATOR = False
TIME_ZONE = "UTC"
LOGIN_URL = "admin:login"

STATIC_URL = "static/"
STATIC_ROOT = LENS.var / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # WhiteNoise complains of a folder that is not there.
STATICFILES_DIRS = [ROOT / "lensproject" / "desk" / "static"]
# Files are found where the apps keep them; collecting them first is for who puts a server in front.
WHITENOISE_USE_FINDERS = True

_https = LENS.public_url.startswith("https://")
SECURE_SSL_REDIRECT = False  # The proxy that ends TLS redirects; health checks come by plain HTTP.
SILENCED_SYSTEM_CHECKS = ["security.W008"]  # It asks for that redirect.
SECURE_HSTS_SECONDS = 31_536_000 if _https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = _https
SECURE_HSTS_PRELOAD = _https
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if LENS.proxy_count else None
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SESSION_ENGINE = "lensproject.desk.sessions"
SESSION_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_048_576
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "form-action": ["'self'"],
    }
}

logs.configure_structlog()
LOGGING = logs.logging_config(style=LENS.log_format, level=LENS.log_level)
