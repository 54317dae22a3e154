"""System checks of the deployment: settings that are right each by itself and wrong together.

What is wrong by itself does not get this far: `lensproject.environment` refuses it. Errors keep commands from running,
warnings do not. Every finding has an id and says what to do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections
from django.http.request import validate_host

from lensproject.environment import Environment

# The WAL of SQLite lies in memory that processes share: over a network it corrupts the database.
NETWORK_FILE_SYSTEMS = frozenset({"nfs", "nfs4", "cifs", "smb3", "afs", "fuse.sshfs"})


def register_all() -> None:
    """Tell Django of the checks. Called when the project's app is ready."""
    register(check_exposure, Tags.security)
    register(check_addresses, Tags.security)
    register(check_processes, Tags.compatibility)
    register(check_files, Tags.files)
    register(check_mainnet, Tags.database)


def check_exposure(app_configs: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """What is right on one's own machine and wrong where others reach it."""
    lens: Environment = settings.LENS
    return list(_exposure(lens)) if not is_local(host_of(lens.public_url)) else list(_local_debug(lens))


def _exposure(lens: Environment) -> Iterator[CheckMessage]:
    if lens.secret_key is None:
        hint = "Set LENS_SECRET_KEY or LENS_SECRET_KEY_FILE: the key in var/ is for one machine and one person."
        yield Error("The platform is public and has no secret key of its own.", hint=hint, id="lens.E001")
    if lens.key_peppers is None:
        hint = "Set LENS_KEY_PEPPERS or LENS_KEY_PEPPERS_FILE; when var/ is lost, every API key is lost with it."
        yield Error("The platform is public and has no peppers for API keys.", hint=hint, id="lens.E002")
    if lens.debug:
        hint = "Unset LENS_DEBUG, or set LENS_PUBLIC_URL to an address of this machine."
        yield Error("Django's debug pages are on and the platform is public.", hint=hint, id="lens.E003")
    if lens.public_url.startswith("http://"):
        hint = "End TLS at a proxy and set LENS_PUBLIC_URL to the https address."
        yield Warning("Keys and passwords are sent in clear to LENS_PUBLIC_URL.", hint=hint, id="lens.W001")
    if lens.anonymous_reading:
        hint = "Unset LENS_ANONYMOUS_READING, unless the catalogue and the prices are meant for all."
        yield Warning("Anybody may read and search without a key.", hint=hint, id="lens.W002")
    if lens.facilitator_open:
        hint = "Unset LENS_FACILITATOR_OPEN and issue keys with the scope facilitator: settling spends your lumens."
        yield Warning("Anybody may have payments settled without a key.", hint=hint, id="lens.W008")


def _local_debug(lens: Environment) -> Iterator[CheckMessage]:
    public = [host for host in lens.allowed_hosts if not is_local(host.strip("[]"))]
    if lens.debug and public:
        hint = "Unset LENS_DEBUG, or take these hosts out of LENS_ALLOWED_HOSTS."
        yield Error(f"Django's debug pages are on for {', '.join(public)}.", hint=hint, id="lens.E003")


def check_addresses(app_configs: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """Whether the platform answers at the address that it gives to others."""
    lens: Environment = settings.LENS
    found: list[CheckMessage] = []
    host = host_of(lens.public_url)
    name = f"[{host}]" if ":" in host else host
    if not validate_host(name, settings.ALLOWED_HOSTS):
        hint = f"Add {name} to LENS_ALLOWED_HOSTS."
        found.append(Error("The host of LENS_PUBLIC_URL is not among the allowed ones.", hint=hint, id="lens.E004"))
    if "*" in settings.ALLOWED_HOSTS:
        hint = "Name the hosts in LENS_ALLOWED_HOSTS: links in mails and redirects follow the Host header."
        found.append(Warning("Any Host header is answered.", hint=hint, id="lens.W003"))
    if lens.public_url.startswith("https://") and not lens.proxy_count:
        hint = "Set LENS_PROXY_COUNT to the number of proxies in front; logging in at the admin fails without it."
        found.append(Warning("TLS ends somewhere in front, and no proxy is trusted.", hint=hint, id="lens.W004"))
    return found


def check_processes(app_configs: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """Whether memory, threads and connections fit the number of processes."""
    lens: Environment = settings.LENS
    found: list[CheckMessage] = []
    if lens.redis_url is None and several_processes():
        hint = "Set REDIS_URL. Without it subscribers on other processes hear of a change up to a sweep later."
        found.append(Warning("Several processes have a channel layer in memory each.", hint=hint, id="lens.W005"))
    is_pooled = connections["default"].vendor == "postgresql"
    if is_pooled and lens.pool_threads >= lens.database_pool_max:
        hint = "Set LENS_DATABASE_POOL_MAX above LENS_POOL_THREADS: the views need connections too."
        found.append(Warning("LENS_POOL_THREADS can take every connection.", hint=hint, id="lens.W006"))
    return found


def check_files(app_configs: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """Whether the files that the settings name are there, and where they may be."""
    lens: Environment = settings.LENS
    found: list[CheckMessage] = []
    if connections["default"].vendor == "sqlite":
        kind = file_system(Path(connections["default"].settings_dict["NAME"]))
        if kind in NETWORK_FILE_SYSTEMS:
            hint = "Move it to a local disk, or use PostgreSQL (DATABASE_URL): WAL does not work over a network."
            found.append(Error(f"The SQLite database lies on {kind}.", hint=hint, id="lens.E006"))
    if not lens.mcp_openapi_path.is_file():
        hint = "Run `manage.py export_openapi`, or set MCP_OPENAPI_PATH to the document."
        found.append(Warning("The file of lens://openapi.json is not there.", hint=hint, id="lens.W007"))
    return found


def check_mainnet(app_configs: Any = None, databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Real money needs both: the row that is enabled, and the setting that allows it."""
    from bazaar.models import Network

    if "default" not in (databases or ()) or settings.LENS.mainnet_enabled or not _is_migrated(Network._meta.db_table):
        return []
    if not Network.objects.filter(name=Network.Name.PUBNET, enabled=True).exists():
        return []
    hint = "Set LENS_MAINNET_ENABLED=true when real money is meant, else disable the network in the admin."
    return [Error("stellar:pubnet is enabled and LENS_MAINNET_ENABLED is not set.", hint=hint, id="lens.E005")]


def is_local(host: str) -> bool:
    """Whether only this machine can mean itself by that name."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def host_of(url: str) -> str:
    return urlsplit(url).hostname or ""


def several_processes() -> bool:
    """Whether the server is told to start more than one process, by the variable that uvicorn and gunicorn read."""
    wanted = os.environ.get("WEB_CONCURRENCY", "1")
    return wanted.isdecimal() and int(wanted) > 1


def file_system(path: Path, mounts: Path = Path("/proc/self/mounts")) -> str:
    """The kind of file system that a path lies on, or '' where the machine does not tell."""
    try:
        rows = [line.split() for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError:
        return ""
    place = str(path.absolute())
    above = [(point, kind) for _, point, kind, *_ in rows if place.startswith(point.rstrip("/") + "/")]
    return max(above, key=lambda mount: len(mount[0]), default=("", ""))[1]


def _is_migrated(table: str) -> bool:
    return table in connections["default"].introspection.table_names()
