from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.checks import CheckMessage
from django.core.checks.registry import registry
from django.db import connection
from pydantic import SecretStr
from pytest_django import Settings

from bazaar.models import Network
from lensproject import checks
from lensproject.environment import Environment
from tests.builders import make_network

PUBLIC: dict[str, Any] = {
    "public_url": "https://lens.example",
    "allowed_hosts": ("lens.example",),
    "secret_key": SecretStr("k" * 60),
    "key_peppers": SecretStr(f"1:{'ab' * 32}"),
    "proxy_count": 1,
}


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEB_CONCURRENCY", raising=False)


def use(settings: Settings, **over: Any) -> None:
    environment = Environment(**over)
    settings.LENS = environment
    settings.ALLOWED_HOSTS = list(environment.allowed_hosts)


def ids(found: list[CheckMessage]) -> list[str | None]:
    assert all(message.hint for message in found)
    return [message.id for message in found]


def test_all_are_registered() -> None:
    registered = set(registry.get_checks())
    assert {
        checks.check_exposure,
        checks.check_addresses,
        checks.check_processes,
        checks.check_files,
        checks.check_mainnet,
    } <= registered


def test_the_defaults_are_right_on_ones_own_machine(settings: Settings) -> None:
    use(settings)
    assert checks.check_exposure() == []
    assert checks.check_addresses() == []
    assert checks.check_processes() == []


def test_a_public_platform_that_is_set_up_well(settings: Settings) -> None:
    use(settings, **PUBLIC)
    assert checks.check_exposure() == []
    assert checks.check_addresses() == []


@pytest.mark.parametrize(
    ("over", "expected"),
    [
        ({"secret_key": None}, "lens.E001"),
        ({"key_peppers": None}, "lens.E002"),
        ({"debug": True}, "lens.E003"),
        ({"public_url": "http://lens.example"}, "lens.W001"),
        ({"anonymous_reading": True}, "lens.W002"),
    ],
)
def test_what_must_not_be_on_a_public_platform(settings: Settings, over: dict[str, Any], expected: str) -> None:
    use(settings, **PUBLIC | over)
    assert ids(checks.check_exposure()) == [expected]


@pytest.mark.parametrize("url", ["http://localhost:8000", "http://127.0.0.2", "http://[::1]:1", "http://a.localhost"])
def test_local_addresses_need_no_secrets(settings: Settings, url: str) -> None:
    use(settings, public_url=url, debug=True, anonymous_reading=True)
    assert checks.check_exposure() == []


@pytest.mark.parametrize("url", ["http://10.0.0.1", "http://0.0.0.0:8000", "http://localhost.example"])
def test_addresses_of_others_do(settings: Settings, url: str) -> None:
    use(settings, public_url=url)
    assert ids(checks.check_exposure()) == ["lens.E001", "lens.E002", "lens.W001"]


def test_debug_pages_for_a_public_host(settings: Settings) -> None:
    use(settings, debug=True, allowed_hosts=("localhost", "[::1]", "lens.example"))
    [message] = checks.check_exposure()
    assert (message.id, message.msg) == ("lens.E003", "Django's debug pages are on for lens.example.")


def test_the_own_address_must_be_answered(settings: Settings) -> None:
    use(settings, **PUBLIC | {"allowed_hosts": ("other.example",)})
    [message] = checks.check_addresses()
    assert (message.id, message.hint) == ("lens.E004", "Add lens.example to LENS_ALLOWED_HOSTS.")


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("http://[::1]:8000", ("[::1]",)),
        ("https://a.lens.example", (".lens.example",)),
        ("http://LOCALHOST", ("localhost",)),
    ],
)
def test_how_the_own_address_may_be_named(settings: Settings, url: str, hosts: tuple[str, ...]) -> None:
    use(settings, public_url=url, allowed_hosts=hosts, proxy_count=1)
    assert checks.check_addresses() == []


def test_any_host_is_a_warning(settings: Settings) -> None:
    use(settings, **PUBLIC | {"allowed_hosts": ("*",)})
    assert ids(checks.check_addresses()) == ["lens.W003"]


def test_tls_without_a_trusted_proxy_is_a_warning(settings: Settings) -> None:
    use(settings, **PUBLIC | {"proxy_count": 0})
    assert ids(checks.check_addresses()) == ["lens.W004"]


@pytest.mark.parametrize(("wanted", "expected"), [("4", ["lens.W005"]), ("1", []), ("many", [])])
def test_several_processes_want_redis(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, wanted: str, expected: list[str]
) -> None:
    monkeypatch.setenv("WEB_CONCURRENCY", wanted)
    use(settings)
    assert ids(checks.check_processes()) == expected
    use(settings, redis_url=SecretStr("redis://cache"))
    assert checks.check_processes() == []


def test_threads_must_leave_connections(settings: Settings) -> None:
    use(settings, pool_threads=10, database_pool_max=10)
    expected = ["lens.W006"] if connection.vendor == "postgresql" else []
    assert ids(checks.check_processes()) == expected
    use(settings, pool_threads=9, database_pool_max=10)
    assert checks.check_processes() == []


def test_the_openapi_file_must_be_there(settings: Settings, tmp_path: Path) -> None:
    use(settings, mcp_openapi_path=tmp_path / "openapi.json")
    assert ids(checks.check_files()) == ["lens.W007"]
    (tmp_path / "openapi.json").write_text("{}")
    assert checks.check_files() == []


def test_sqlite_over_a_network_is_an_error(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "openapi.json").write_text("{}")
    use(settings, mcp_openapi_path=tmp_path / "openapi.json")
    monkeypatch.setattr(checks, "file_system", lambda path: "nfs4")
    expected = ["lens.E006"] if connection.vendor == "sqlite" else []
    assert ids(checks.check_files()) == expected


def test_the_file_system_is_that_of_the_nearest_mount(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("root / ext4 rw 0 0\nserver:/x /srv nfs4 rw 0 0\nssd /srv/data xfs rw 0 0\n")
    assert checks.file_system(Path("/home/lens.sqlite3"), mounts) == "ext4"
    assert checks.file_system(Path("/srv/lens.sqlite3"), mounts) == "nfs4"
    assert checks.file_system(Path("/srv/data/lens.sqlite3"), mounts) == "xfs"
    assert checks.file_system(Path("/srvother/lens.sqlite3"), mounts) == "ext4"
    assert checks.file_system(Path("/srv/lens.sqlite3"), tmp_path / "none") == ""


@pytest.mark.django_db
def test_mainnet_needs_the_setting_too(settings: Settings) -> None:
    use(settings)
    make_network("stellar:pubnet", enabled=True)
    assert ids(checks.check_mainnet(databases=["default"])) == ["lens.E005"]
    use(settings, mainnet_enabled=True)
    assert checks.check_mainnet(databases=["default"]) == []


@pytest.mark.django_db
def test_mainnet_that_is_not_enabled_needs_nothing(settings: Settings) -> None:
    use(settings)
    make_network("stellar:pubnet", enabled=False)
    assert checks.check_mainnet(databases=["default"]) == []


def test_mainnet_is_not_looked_at_without_a_database(settings: Settings) -> None:
    use(settings)
    assert checks.check_mainnet(databases=None) == []
    assert checks.check_mainnet(databases=["other"]) == []


@pytest.mark.django_db
def test_mainnet_is_not_looked_at_before_the_first_migration(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(settings)
    make_network("stellar:pubnet", enabled=True)
    monkeypatch.setattr(Network._meta, "db_table", "not_there_yet")
    assert checks.check_mainnet(databases=["default"]) == []
