from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from lensproject import environment
from lensproject.databases import DatabaseUrl
from lensproject.environment import ROOT, Environment, EnvironmentMistakes

SECRET = "s" * 50


def mistakes(**environ: str) -> list[str]:
    """What is wrong with an environment."""
    with pytest.raises(EnvironmentMistakes) as caught:
        environment.load(environ)
    return caught.value.mistakes


@pytest.fixture
def nothing_in_use() -> Iterator[None]:
    before = environment.current()
    environment._in_use.clear()
    yield
    environment.use(before)


def test_an_empty_environment_is_a_safe_local_one() -> None:
    settings = environment.load({})
    assert settings.debug is False
    assert settings.mainnet_enabled is False
    assert settings.anonymous_reading is False
    assert settings.allowed_hosts == ("localhost", "127.0.0.1", "[::1]")
    assert settings.var == ROOT / "var"
    assert settings.database_url is None
    assert settings.redis_url is None
    assert settings.secret_key is None
    assert settings.mcp_openapi_path == ROOT / "openapi.json"


def test_values_are_read_by_their_types() -> None:
    settings = environment.load(
        {
            "LENS_DEBUG": "true",
            "LENS_POOL_THREADS": "3",
            "LENS_ALLOWED_HOSTS": "lens.example, .internal ,[::1],",
            "LENS_PUBLIC_URL": "https://lens.example/",
            "LENS_TIME_ZONE": "Europe/Berlin",
            "LENS_LOG_FORMAT": "json",
            "LENS_SECRET_KEY": SECRET,
        }
    )
    assert settings.debug is True
    assert settings.pool_threads == 3
    assert settings.allowed_hosts == ("lens.example", ".internal", "[::1]")
    assert settings.public_url == "https://lens.example"
    assert settings.time_zone == "Europe/Berlin"
    assert settings.log_format == "json"
    assert settings.secret_key == SecretStr(SECRET)


def test_three_settings_keep_the_names_that_others_know() -> None:
    settings = environment.load(
        {"DATABASE_URL": "sqlite:///a.db", "REDIS_URL": "redis://cache:6379/1", "MCP_OPENAPI_PATH": "/srv/openapi.json"}
    )
    assert settings.database_url == DatabaseUrl("sqlite", "a.db")
    assert settings.redis_url == SecretStr("redis://cache:6379/1")
    assert settings.mcp_openapi_path == Path("/srv/openapi.json")


def test_the_other_settings_have_no_name_without_the_prefix() -> None:
    assert environment.load({"DEBUG": "true", "debug": "true"}).debug is False


def test_the_prefixed_name_of_a_setting_that_has_its_own_is_unknown() -> None:
    assert mistakes(LENS_DATABASE_URL="sqlite:///a.db") == ["LENS_DATABASE_URL: no such setting; DATABASE_URL is one"]


def test_a_misspelt_setting_is_a_mistake_that_names_the_right_one() -> None:
    assert mistakes(LENS_DEBGU="1") == ["LENS_DEBGU: no such setting; LENS_DEBUG is one"]


def test_a_name_in_small_letters_is_a_mistake_too() -> None:
    assert mistakes(lens_debug="1") == ["lens_debug: no such setting; LENS_DEBUG is one"]


def test_a_name_that_resembles_nothing_is_just_unknown() -> None:
    assert mistakes(LENS_XYZZY="1") == ["LENS_XYZZY: no such setting"]


def test_a_misspelt_file_setting_is_a_mistake(tmp_path: Path) -> None:
    assert mistakes(LENS_SECRT_KEY_FILE=str(tmp_path)) == [
        "LENS_SECRT_KEY_FILE: no such setting; LENS_SECRET_KEY is one"
    ]


def test_names_of_others_are_none_of_ours() -> None:
    assert environment.load({"PATH": "/bin", "LENSES": "2", "LENS_TEST_DATABASE": "postgresql"}).debug is False


def test_all_mistakes_are_told_together_and_without_values() -> None:
    with pytest.raises(EnvironmentMistakes) as caught:
        environment.load(
            {
                "LENS_NONSENSE": "hush-1",
                "LENS_SECRET_KEY": "hush-2",
                "LENS_KEY_PEPPERS": "hush-3",
                "LENS_POOL_THREADS": "hush-4",
                "LENS_LOG_LEVEL": "hush-5",
                "DATABASE_URL": "mysql://root:hush-6@db/lens",
                "REDIS_URL": "hush-7://",
            }
        )
    assert caught.value.mistakes == [
        "LENS_NONSENSE: no such setting",
        "LENS_SECRET_KEY: needs at least 32 characters",
        "LENS_KEY_PEPPERS: needs distinct ids, each with at least 32 bytes in hex",
        "LENS_LOG_LEVEL: Input should be 'DEBUG', 'INFO', 'WARNING' or 'ERROR'",
        "LENS_POOL_THREADS: Input should be a valid integer, unable to parse string as an integer",
        "DATABASE_URL: must begin with sqlite:// or postgres://",
        "REDIS_URL: must begin with redis://, rediss:// or unix://",
    ]
    assert "hush" not in str(caught.value)
    assert str(caught.value).startswith(
        "The environment has 7 mistake(s); .env.example lists every setting:\n  LENS_NON"
    )
    assert caught.value.__cause__ is None


def test_mistakes_end_the_process_with_status_1() -> None:
    assert issubclass(EnvironmentMistakes, SystemExit)
    assert isinstance(EnvironmentMistakes(["x"]).code, str)


def test_debug_and_mainnet_contradict_each_other() -> None:
    assert mistakes(LENS_DEBUG="1", LENS_MAINNET_ENABLED="1") == [
        "LENS_DEBUG and LENS_MAINNET_ENABLED contradict each other"
    ]
    assert environment.load({"LENS_DEBUG": "0", "LENS_MAINNET_ENABLED": "1"}).mainnet_enabled is True


def test_a_file_gives_the_value_without_its_last_line_break(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(SECRET + "\n")
    assert environment.load({"LENS_SECRET_KEY_FILE": str(file)}).secret_key == SecretStr(SECRET)


def test_every_setting_may_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("a.example,b.example\r\n")
    assert environment.load({"LENS_ALLOWED_HOSTS_FILE": str(file)}).allowed_hosts == ("a.example", "b.example")


def test_a_value_and_a_file_contradict_each_other(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(SECRET)
    assert mistakes(LENS_SECRET_KEY=SECRET, LENS_SECRET_KEY_FILE=str(file)) == [
        "LENS_SECRET_KEY: set twice, by LENS_SECRET_KEY and by LENS_SECRET_KEY_FILE"
    ]


@pytest.mark.parametrize("kind", ["missing", "folder", "binary"])
def test_a_file_that_cannot_be_read_is_a_mistake(tmp_path: Path, kind: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert mistakes(LENS_SECRET_KEY_FILE=str(tmp_path / kind)) == ["LENS_SECRET_KEY_FILE: the file cannot be read"]


def test_an_empty_file_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    assert mistakes(LENS_SECRET_KEY_FILE=str(tmp_path / "empty")) == ["LENS_SECRET_KEY_FILE: the file is empty"]


def test_a_bad_value_in_a_file_is_told_under_the_settings_name(tmp_path: Path) -> None:
    (tmp_path / "short").write_text("hush")
    assert mistakes(LENS_SECRET_KEY_FILE=str(tmp_path / "short")) == ["LENS_SECRET_KEY: needs at least 32 characters"]


def test_an_empty_variable_counts_as_not_set(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(SECRET)
    settings = environment.load(
        {
            "LENS_DEBUG": "",
            "LENS_ALLOWED_HOSTS": "",
            "DATABASE_URL": "",
            "LENS_SECRET_KEY": "",
            "LENS_SECRET_KEY_FILE": str(tmp_path / "secret"),
            "LENS_KEY_PEPPERS_FILE": "",
        }
    )
    assert settings.debug is False
    assert settings.allowed_hosts == ("localhost", "127.0.0.1", "[::1]")
    assert settings.database_url is None
    assert settings.secret_key == SecretStr(SECRET)
    assert settings.key_peppers is None


def test_load_without_an_argument_reads_the_process_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENS_POOL_THREADS", "5")
    assert environment.load().pool_threads == 5


def test_an_environment_that_code_makes_reads_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENS_POOL_THREADS", "5")
    assert Environment().pool_threads == 8


def test_settings_are_frozen() -> None:
    settings = Environment()
    with pytest.raises(ValidationError, match="frozen"):
        settings.debug = True  # type: ignore[misc]
    assert settings.debug is False


def test_secrets_do_not_show_in_the_repr() -> None:
    settings = environment.load(
        {
            "LENS_SECRET_KEY": "hush" * 10,
            "LENS_KEY_PEPPERS": f"1:{'ab' * 32}",
            "DATABASE_URL": "postgres://lens:hush@db/lens",
            "REDIS_URL": "redis://:hush@cache",
        }
    )
    assert "hush" not in repr(settings)
    assert "abab" not in repr(settings)


def test_relative_paths_are_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    settings = environment.load({"LENS_VAR": "here", "MCP_OPENAPI_PATH": "api.json"})
    assert settings.var == tmp_path / "here"
    assert settings.mcp_openapi_path == tmp_path / "api.json"


def test_current_reads_the_environment_once(nothing_in_use: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENS_POOL_THREADS", "5")
    first = environment.current()
    monkeypatch.setenv("LENS_POOL_THREADS", "6")
    assert environment.current() is first
    assert first.pool_threads == 5


def test_use_fixes_what_current_gives(nothing_in_use: None) -> None:
    fixed = Environment(pool_threads=2)
    assert environment.use(fixed) is fixed
    assert environment.current() is fixed


def test_variables_and_secrets_are_known_by_field() -> None:
    assert environment.variable("debug") == "LENS_DEBUG"
    assert environment.variable("database_url") == "DATABASE_URL"
    secret = {name for name in Environment.model_fields if environment.is_secret(name)}
    assert secret == {"secret_key", "key_peppers", "facilitator_key", "database_url", "redis_url"}
