"""Free ports on loopback, for servers that must be told theirs."""

from __future__ import annotations

import secrets
import socket

# Below the ports that the kernel gives to outgoing connections, so that none of those takes it before the server does.
FIRST, PAST = 20_000, 32_000


def free_port() -> int:
    """A TCP port on 127.0.0.1 that nobody listens on. Drawn at random, so that two test processes hardly ever meet.

    Not drawn from `random`: pytest-randomly gives every worker the same seed.
    """
    while True:
        port = FIRST + secrets.randbelow(PAST - FIRST)
        if is_free(port):
            return port


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As servers do: a port whose last connections are still fading is free to listen on.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
