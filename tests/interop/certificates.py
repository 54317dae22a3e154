"""A certificate authority of the test session's own, and a certificate for loopback."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

NAMES = ("localhost",)
ADDRESSES = ("127.0.0.1", "::1")


@dataclass(frozen=True)
class Certificates:
    """Files in PEM: the authority's certificate, and key and certificate of a server on loopback."""

    authority: Path
    key: Path
    certificate: Path


def make_certificates(folder: Path, *, now: datetime | None = None) -> Certificates:
    """Valid for two days, so that a clock which is off by hours does no harm."""
    now = now or datetime.now(UTC)
    made = Certificates(folder / "authority.pem", folder / "server.key", folder / "server.pem")
    authority_key, server_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("Test authority", "Test authority", authority_key, authority_key, now)
    server = _certificate("localhost", "Test authority", server_key, authority_key, now)
    made.authority.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    made.certificate.write_bytes(server.public_bytes(serialization.Encoding.PEM))
    made.key.touch(mode=0o600)
    made.key.write_bytes(
        server_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return made


def _certificate(
    subject: str,
    issuer: str,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    now: datetime,
) -> x509.Certificate:
    own = subject == issuer
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=own, path_length=0 if own else None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if not own:
        places = [x509.DNSName(name) for name in NAMES]
        hosts = [x509.IPAddress(ipaddress.ip_address(address)) for address in ADDRESSES]
        builder = builder.add_extension(x509.SubjectAlternativeName([*places, *hosts]), critical=False)
    return builder.sign(signer, hashes.SHA256())


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])
