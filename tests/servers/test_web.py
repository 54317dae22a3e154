from __future__ import annotations

import http.client
import socket
from pathlib import Path

import pytest

from tests.databases import Database
from tests.servers.fixtures import StartWebServer
from tests.servers.ports import free_port, is_free
from tests.servers.processes import ServerFailed
from tests.servers.redis import RedisServer
from tests.servers.test_processes import runs
from tests.servers.web import KINDS, WebServer, command, serving


def status_of(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def test_each_kind_answers_and_ends_by_sigterm(web_server: WebServer) -> None:
    assert status_of(web_server.port, "/healthz") == 200
    assert status_of(web_server.port, "/readyz") == 200
    assert web_server.url == f"http://127.0.0.1:{web_server.port}"
    assert web_server.log.parent == web_server.var
    # -9 would say that it had to be killed.
    assert web_server.stop() in (0, -15)
    assert not runs(web_server.process.pid)
    assert is_free(web_server.port)


def test_two_processes_stand_on_one_database_with_one_set_of_keys(start_web_server: StartWebServer) -> None:
    one, two = start_web_server("daphne"), start_web_server("uvicorn")
    assert one.port != two.port
    assert one.var == two.var
    assert [status_of(server.port, "/readyz") for server in (one, two)] == [200, 200]


@pytest.mark.parametrize("kind", KINDS)
def test_settings_reach_it_and_a_mistake_in_them_is_shown(cloned_database: Database, tmp_path: Path, kind: str) -> None:
    mistake = {"LENS_NO_SUCH_THING": "1"}
    with (
        pytest.raises(ServerFailed, match=rf"^{kind} ended with status 1:[\s\S]*LENS_NO_SUCH_THING: no such setting"),
        serving(kind, database_url=cloned_database.url, var=tmp_path, environment=mistake),
    ):
        pytest.fail("it must not answer")


@pytest.mark.parametrize("kind", KINDS)
def test_a_port_that_is_taken_is_a_failure_and_leaves_nothing(
    cloned_database: Database, tmp_path: Path, kind: str
) -> None:
    port = free_port()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        with (
            pytest.raises(ServerFailed, match=r"ended with status \d+:[\s\S]*[Aa]ddress already in use"),
            serving(kind, database_url=cloned_database.url, var=tmp_path, port=port),
        ):
            pytest.fail("it must not answer")


def test_it_works_with_a_real_redis(start_web_server: StartWebServer, redis_server: RedisServer) -> None:
    server = start_web_server("daphne", {"REDIS_URL": redis_server.url})
    assert status_of(server.port, "/readyz") == 200


def test_no_other_kind_is_known() -> None:
    with pytest.raises(ValueError, match=r"^'gunicorn' is no server; there are daphne, uvicorn$"):
        command("gunicorn", 1)
