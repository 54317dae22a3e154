"""The command line of the ledger, for `python -m payments.sandbox` and for `manage.py sandbox`."""

from __future__ import annotations

import logging
import socket
import ssl
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from aiohttp import web

from payments.sandbox import keys
from payments.sandbox.network import Network, NetworkRefused, network
from payments.sandbox.node import Node
from payments.sandbox.server import application
from payments.sandbox.store import FileRefused, Store

log = logging.getLogger("payments.sandbox")
PORT = 8470
MOST_SECONDS = 3600.0


class NotStarted(Exception):
    """The ledger could not start. The message says what to change."""


def port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65_536:
        raise ArgumentTypeError(f"{text} is no port; write a number from 1 to 65535")
    return int(text)


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= MOST_SECONDS:
        raise ArgumentTypeError(f"{text} is no time between ledgers; write seconds from 0 (by step) to 3600")
    return value


def chosen_network(text: str) -> Network:
    try:
        return network(text)
    except NetworkRefused as refused:
        raise ArgumentTypeError(str(refused)) from refused


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--port", type=port, default=PORT, help="port on loopback (default: %(default)s)")
    parser.add_argument("--fd", type=int, help="a socket that listens already, in place of --host and --port")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument(
        "--as",
        dest="network",
        type=chosen_network,
        default="stellar:local",
        help="network to answer for: stellar:local or stellar:testnet (default: %(default)s)",
    )
    parser.add_argument(
        "--ledger-seconds", type=seconds, default=5.0, help="time between ledgers; 0: by step only (default: 5)"
    )
    parser.add_argument(
        "--file", type=Path, default=Path("var/ledger.sqlite3"), help="where the ledger is kept (default: %(default)s)"
    )
    parser.add_argument(
        "--min-temporary-ttl", type=int, default=17_280, help="ledgers that a temporary entry lives at least"
    )
    parser.add_argument("--retention", type=int, default=120_960, help="ledgers that are kept for reading")
    parser.add_argument("--tls-cert", type=Path, help="PEM certificate; with --tls-key the ledger answers HTTPS")
    parser.add_argument("--tls-key", type=Path, help="PEM key of the certificate")


def run(options: Namespace) -> None:
    """Serve until INT or TERM. Raises NotStarted before anything is answered."""
    context = tls_context(options.tls_cert, options.tls_key)
    node = open_node(options)
    listening = listening_socket(options.fd)
    scheme = "http" if context is None else "https"
    host, number = (options.host, options.port) if listening is None else listening.getsockname()[:2]
    log.info("The ledger of %s answers at %s://%s:%s", node.network.name, scheme, host, number)
    try:
        web.run_app(
            application(node, options.ledger_seconds),
            sock=listening,
            host=None if listening else options.host,
            port=None if listening else options.port,
            ssl_context=context,
            print=None,
            access_log=None,
            shutdown_timeout=1.0,
        )
    except OSError as error:
        raise NotStarted(f"{options.host}:{options.port} cannot be listened on: {error.strerror}") from error


def listening_socket(fd: int | None) -> socket.socket | None:
    if fd is None:
        return None
    try:
        return socket.socket(fileno=fd)
    except OSError as error:
        raise NotStarted(f"--fd {fd} is no socket: {error.strerror}") from error


def open_node(options: Namespace) -> Node:
    """The node on its file and its keys, which lie beside the file."""
    chosen: Network = options.network
    try:
        exact = network(chosen.name, minimum_temporary_ttl=options.min_temporary_ttl, retention=options.retention)
        held = keys.load(options.file.with_suffix(".keys.json"), chosen.name)
        return Node(Store(options.file, exact), exact, held)
    except (NetworkRefused, FileRefused, keys.KeysUnreadable) as refused:
        raise NotStarted(str(refused)) from refused


def tls_context(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise NotStarted("--tls-cert and --tls-key go together")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise NotStarted(f"the certificate or its key cannot be used: {error}") from error
    return context


def main(arguments: list[str] | None = None) -> int:
    parser = ArgumentParser(prog="python -m payments.sandbox", description=__doc__)
    add_arguments(parser)
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", stream=sys.stderr)
    try:
        run(options)
    except NotStarted as error:
        parser.exit(2, f"{error}\n")
    return 0
