from __future__ import annotations

import pytest
from pydantic import SecretStr

from lensproject import setting_types


@pytest.mark.parametrize("value", ["http://127.0.0.1:8000", "https://lens.example", "http://[::1]:8000"])
def test_an_origin_is_scheme_host_and_port(value: str) -> None:
    assert setting_types.origin(value) == value
    assert setting_types.origin(f"{value}/") == value


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("lens.example", "must begin with"),
        ("ftp://lens.example", "must begin with"),
        ("https://", "must begin with"),
        ("https://hush@lens.example", "without user"),
        ("https://lens.example/path", "no path"),
        ("https://lens.example?hush=1", "no path, query"),
        ("https://lens.example#hush", "no path, query or fragment"),
        ("https://lens.example:hush", "cannot be read as a URL"),
        ("https://lens.example:99999", "cannot be read as a URL"),
        ("https://[hush", "cannot be read as a URL"),
    ],
)
def test_other_urls_are_refused_without_being_repeated(value: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as caught:
        setting_types.origin(value)
    assert "hush" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_each_of_several_origins_is_looked_at() -> None:
    assert setting_types.origins(("https://a.example/", "http://b.example:1")) == (
        "https://a.example",
        "http://b.example:1",
    )
    with pytest.raises(ValueError, match="must begin with"):
        setting_types.origins(("https://a.example", "*"))


@pytest.mark.parametrize("host", ["https://a.example", "a.example:80", "a.example/x", "::1", "user@a.example", "a b"])
def test_a_host_is_a_name_alone(host: str) -> None:
    with pytest.raises(ValueError, match="host names only"):
        setting_types.hosts((host,))


def test_hosts_may_be_names_wildcards_and_addresses() -> None:
    names = ("a.example", ".b.example", "*", "10.0.0.1", "[::1]")
    assert setting_types.hosts(names) == names


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", "", "/etc/localtime", "localtime", "Europe"])
def test_a_zone_is_one_of_the_database(zone: str) -> None:
    with pytest.raises(ValueError, match="not the name of a time zone"):
        setting_types.known_zone(zone)


def test_words_are_split_at_commas_and_trimmed() -> None:
    assert setting_types.split_words(" a ,b,, c") == ("a", "b", "c")
    assert setting_types.split_words(("a",)) == ("a",)


def test_peppers_keep_their_order() -> None:
    found = setting_types.peppers(f"new:{'ab' * 32}, old:{'cd' * 40}")
    assert list(found) == ["new", "old"]
    assert found["old"] == bytes.fromhex("cd" * 40)


@pytest.mark.parametrize(
    "text", ["", "ab", "1:", ":" + "ab" * 32, "1:zz", "1:" + "ab" * 31, f"1:{'ab' * 32},1:{'cd' * 32}"]
)
def test_peppers_that_are_short_nameless_or_double_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be id:hex|distinct ids"):
        setting_types.peppers(text)


@pytest.mark.parametrize("url", ["redis://h", "rediss://:pw@h:1/2", "unix:///tmp/redis.sock?db=0"])
def test_redis_urls(url: str) -> None:
    assert setting_types.redis_url(SecretStr(url)).get_secret_value() == url


def test_another_scheme_is_no_redis() -> None:
    with pytest.raises(ValueError, match="must begin with redis://"):
        setting_types.redis_url(SecretStr("http://h"))


def test_a_secret_has_at_least_32_characters() -> None:
    assert setting_types.long_enough(SecretStr("x" * 32)).get_secret_value() == "x" * 32
    with pytest.raises(ValueError, match="at least 32 characters"):
        setting_types.long_enough(SecretStr("x" * 31))
