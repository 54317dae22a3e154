"""The TLS in front of a plain server: trusted by who knows the test authority, by nobody else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from cryptography import x509

from tests.interop.certificates import Certificates, make_certificates
from tests.interop.node import Node, ScriptFailed, running_node


class Teapot(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(418)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def plain_port() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Teapot) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def front(node: Node, port: int, certificates: Certificates) -> int:
    given = {"to": port, "key": str(certificates.key), "certificate": str(certificates.certificate)}
    return int(node.call("tls", "front", given))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_what_is_asked_over_tls_is_answered_by_the_plain_server(
    node: Node, plain_port: int, certificates: Certificates, host: str
) -> None:
    port = front(node, plain_port, certificates)
    assert port != plain_port
    assert node.call("tls", "status", {"url": f"https://{host}:{port}/"}) == 418


def test_without_the_authority_the_server_is_not_trusted(
    tmp_path: Path, node: Node, plain_port: int, certificates: Certificates
) -> None:
    port = front(node, plain_port, certificates)
    with running_node(tmp_path / "node.log") as stranger, pytest.raises(ScriptFailed, match="fetch failed"):
        stranger.call("tls", "status", {"url": f"https://localhost:{port}/"})
    assert "SELF_SIGNED_CERT_IN_CHAIN" in (tmp_path / "node.log").read_text()


def test_a_plain_server_that_is_away_closes_the_connection(node: Node, certificates: Certificates) -> None:
    port = front(node, 1, certificates)
    with pytest.raises(ScriptFailed, match="fetch failed"):
        node.call("tls", "status", {"url": f"https://localhost:{port}/"})


def test_the_certificates_are_for_loopback_and_for_a_short_time(tmp_path: Path) -> None:
    at = datetime(2026, 11, 30, 12, tzinfo=UTC)
    made = make_certificates(tmp_path, now=at)
    server = x509.load_pem_x509_certificate(made.certificate.read_bytes())
    authority = x509.load_pem_x509_certificate(made.authority.read_bytes())
    server.verify_directly_issued_by(authority)
    names = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost"]
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]
    assert (server.not_valid_before_utc, server.not_valid_after_utc) == (at - timedelta(days=1), at + timedelta(days=1))
    assert made.key.stat().st_mode & 0o777 == 0o600
