from __future__ import annotations

import random
import socket

from tests.servers.ports import FIRST, PAST, free_port, is_free


def test_a_free_port_can_be_listened_on_and_then_is_not_free() -> None:
    port = free_port()
    assert FIRST <= port < PAST
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", port))
        listener.listen()
        assert not is_free(port)


def test_processes_with_the_same_seed_draw_different_ports() -> None:
    drawn = set()
    for _ in range(8):
        random.seed(1)
        drawn.add(free_port())
    assert len(drawn) > 1


def test_a_port_whose_connection_has_just_ended_is_free() -> None:
    port = free_port()
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()
        with socket.create_connection(("127.0.0.1", port)):
            accepted, _ = listener.accept()
            # The side that closes first keeps the port in TIME_WAIT.
            accepted.close()
    assert is_free(port)
