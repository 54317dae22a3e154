"""A port for each program that listens: the first free one from a number on."""

from __future__ import annotations

import errno
import socket

from lensproject.management.demo.faults import DemoFailed

HOST = "127.0.0.1"
TRIED = 100


class Listener:
    """A listening socket, until it is closed because a program has its own hold on it. `port` is known for ever.

    As long as two hold it, nobody notices when the program dies: the kernel would go on taking connections.
    """

    def __init__(self, listening: socket.socket) -> None:
        self._socket = listening
        self.port: int = listening.getsockname()[1]

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def listen(first: int) -> Listener:
    """Listen on the first port from `first` on that nobody has.

    The program gets the socket itself and not the number: between looking and listening nobody can take the port.
    """
    for port in range(first, min(first + TRIED, 65_536)):
        try:
            return Listener(socket.create_server((HOST, port), backlog=128))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise DemoFailed(f"Nothing may listen on {HOST}:{port}: {error.strerror}.") from None
    raise DemoFailed(f"No port of {HOST} from {first} to {first + TRIED - 1} is free. Name another first one: --port.")
