from __future__ import annotations

import os
import socket

import pytest

from lensproject.management.demo import ports
from lensproject.management.demo.faults import DemoFailed
from tests.servers.ports import free_port


def test_the_first_port_that_is_free_is_listened_on() -> None:
    first = free_port()
    with ports.listen(first) as listener:
        assert listener.port == first
        socket.create_connection((ports.HOST, first), timeout=2).close()


def test_a_taken_port_moves_to_the_next_free_one() -> None:
    first = free_port()
    with ports.listen(first), ports.listen(first) as second:
        assert first < second.port < first + ports.TRIED


def test_a_port_that_is_taken_on_every_address_counts_as_taken() -> None:
    with socket.create_server(("0.0.0.0", 0)) as everywhere:
        taken = everywhere.getsockname()[1]
        with ports.listen(taken) as listener:
            assert listener.port != taken


def test_the_listening_socket_is_given_to_nobody_who_is_not_meant_to_have_it() -> None:
    with ports.listen(free_port()) as listener:
        assert not os.get_inheritable(listener.fileno())


def test_when_all_are_taken_the_range_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "TRIED", 1)
    first = free_port()
    with ports.listen(first), pytest.raises(DemoFailed, match=rf"from {first} to {first} is free.*--port"):
        ports.listen(first)


def test_the_last_port_there_is_has_no_next_one() -> None:
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind((ports.HOST, 65_535))
        holder.listen()
        with pytest.raises(DemoFailed, match="No port"):
            ports.listen(65_535)


def test_a_socket_that_another_holds_too_goes_on_listening_and_its_port_stays_known() -> None:
    listener = ports.listen(free_port())
    with socket.socket(fileno=os.dup(listener.fileno())):
        listener.close()
        socket.create_connection((ports.HOST, listener.port), timeout=2).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((ports.HOST, listener.port), timeout=2)
