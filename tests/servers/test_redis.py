from __future__ import annotations

import pytest
import redis as client
from redis.exceptions import ConnectionError as RedisConnectionError

from tests.servers.redis import RedisServer, redis
from tests.servers.test_processes import runs


def test_it_keeps_values_and_passes_messages(redis_server: RedisServer) -> None:
    with client.Redis.from_url(redis_server.url) as connection:
        connection.set("price", "7")
        assert connection.get("price") == b"7"
        with connection.pubsub() as listener:
            listener.subscribe("changes")
            assert listener.get_message(timeout=5) == {
                "type": "subscribe",
                "pattern": None,
                "channel": b"changes",
                "data": 1,
            }
            connection.publish("changes", "pairs")
            message = listener.get_message(timeout=5)
    assert message is not None
    assert message["data"] == b"pairs"


def test_two_know_nothing_of_each_other(redis_server: RedisServer) -> None:
    with redis() as other, client.Redis.from_url(redis_server.url) as one, client.Redis.from_url(other.url) as two:
        one.set("price", "7")
        assert two.get("price") is None


def test_nothing_of_it_is_left() -> None:
    with redis() as server:
        pid = server.process.pid
        assert runs(pid)
    assert not runs(pid)
    assert not server.folder.exists()


def test_one_that_was_stopped_is_away(redis_server: RedisServer) -> None:
    redis_server.stop()
    with client.Redis.from_url(redis_server.url) as connection, pytest.raises(RedisConnectionError):
        connection.ping()
