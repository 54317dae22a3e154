from __future__ import annotations

from pathlib import Path

import pytest

from lensproject.databases import SQLITE_START, DatabaseUrl, sqlite_file


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("sqlite:///var/lens.sqlite3", "var/lens.sqlite3"),
        ("sqlite:////srv/lens.sqlite3", "/srv/lens.sqlite3"),
        ("sqlite:////srv/a%20b%3F.sqlite3", "/srv/a b?.sqlite3"),
    ],
)
def test_sqlite_urls(text: str, name: str) -> None:
    assert DatabaseUrl.parse(text) == DatabaseUrl("sqlite", name)


def test_a_postgres_url_with_everything() -> None:
    url = DatabaseUrl.parse("postgres://lens:p%40ss%2Fword@db.example:5433/lens%20bazaar")
    assert url == DatabaseUrl("postgresql", "lens bazaar", "lens", "p@ss/word", "db.example", "5433")


def test_a_postgres_url_without_user_and_port() -> None:
    assert DatabaseUrl.parse("postgresql://db/lens") == DatabaseUrl("postgresql", "lens", host="db")


def test_a_socket_is_a_host_in_the_query() -> None:
    url = DatabaseUrl.parse("postgres://lens@/lens?host=/run/postgresql&port=5433")
    assert (url.host, url.port, url.user) == ("/run/postgresql", "5433", "lens")


def test_tls_parameters_reach_the_driver() -> None:
    url = DatabaseUrl.parse("postgres://db/lens?sslmode=verify-full&sslrootcert=/etc/ca.pem")
    assert url.tls == (("sslmode", "verify-full"), ("sslrootcert", "/etc/ca.pem"))
    options = url.django(pool_max=4)["OPTIONS"]
    assert (options["sslmode"], options["sslrootcert"]) == ("verify-full", "/etc/ca.pem")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "must begin with sqlite:// or postgres://"),
        ("mysql://u:hush@h/db", "must begin with sqlite:// or postgres://"),
        ("postgres://u:hush@h", "names no database"),
        ("postgres://u:hush@h/", "names no database"),
        ("postgres://u:hush/x@h/db", "percent-encode what is special"),
        ("postgres://u:hush@h:port/db", "percent-encode what is special"),
        ("postgres://u:hush@[h/db", "percent-encode what is special"),
        ("postgres://h/db?password=hush", "knows the parameters host, port, sslmode"),
        ("sqlite:///", "names no database"),
        ("sqlite:///:memory:", "needs a file"),
        ("sqlite://hush.sqlite3", "three slashes"),
        ("sqlite:///a.sqlite3?hush=1", "takes no parameters"),
        ("sqlite:///a.sqlite3#hush", "takes no parameters"),
    ],
)
def test_other_urls_are_refused_without_being_repeated(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as caught:
        DatabaseUrl.parse(text)
    assert "hush" not in str(caught.value)


def test_the_repr_has_no_password() -> None:
    assert "hush" not in repr(DatabaseUrl.parse("postgres://lens:hush@db/lens"))


def test_sqlite_is_durable_and_waits_for_its_writer() -> None:
    django = sqlite_file(Path("/srv/lens.sqlite3")).django(pool_max=4)
    assert django["ENGINE"] == "django.db.backends.sqlite3"
    assert django["NAME"] == "/srv/lens.sqlite3"
    assert django["OPTIONS"] == {"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": SQLITE_START}
    assert "journal_mode=WAL" in SQLITE_START
    assert "synchronous=FULL" in SQLITE_START


def test_postgresql_is_pooled_and_bounded() -> None:
    django = DatabaseUrl.parse("postgres://lens:pw@db:5433/lens").django(pool_max=4)
    assert django["ENGINE"] == "django.db.backends.postgresql"
    assert [django[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT")] == [
        "lens",
        "lens",
        "pw",
        "db",
        "5433",
    ]
    assert django["CONN_MAX_AGE"] == 0
    assert django["OPTIONS"]["pool"] == {"min_size": 1, "max_size": 4, "timeout": 5, "reconnect_timeout": 3}
    assert "lock_timeout=10s" in django["OPTIONS"]["options"]
    assert "sslmode" not in django["OPTIONS"]
