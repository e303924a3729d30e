"""Certificates of development, and the TLS contexts that use them."""

from __future__ import annotations

import ssl
from datetime import timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key

from tidings.clock import utc_now
from tidings.server.settings import TlsSection
from tidings.server.tls import Tls

HOSTS = ("localhost", "127.0.0.1")


def tls_of(certs: Path, **changed: object) -> Tls:
    """What a service with the certificate of a folder uses."""
    given = {"certificate": certs / "service.pem", "key": certs / "service.key", **changed}
    return Tls(TlsSection(**given), utc_now())  # type: ignore[arg-type]


def wanting(certs: Path, kind: str = "required", **more: object) -> Tls:
    """The same, which asks clients for a certificate of the folder's authority."""
    return tls_of(certs, client_ca=certs / "ca.pem", client_certificates=kind, **more)


def trusting(certs: Path, client: str = "", of: Path | None = None) -> ssl.SSLContext:
    """A client that trusts a folder's authority, and shows a certificate if it has a name."""
    context = ssl.create_default_context(cafile=certs / "ca.pem")
    if client:
        context.load_cert_chain((of or certs) / f"{client}.pem", (of or certs) / f"{client}.key")
    return context


def revoking(certs: Path, name: str) -> bytes:
    """The list of the folder's authority that revokes one certificate."""
    authority = x509.load_pem_x509_certificate((certs / "ca.pem").read_bytes())
    key = load_pem_private_key((certs / "ca.key").read_bytes(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    gone = x509.load_pem_x509_certificate((certs / f"{name}.pem").read_bytes())
    now = utc_now()
    one = (
        x509.RevokedCertificateBuilder()
        .serial_number(gone.serial_number)
        .revocation_date(now)
        .build()
    )
    builder = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(authority.subject)
        .last_update(now - timedelta(hours=1))
        .next_update(now + timedelta(days=1))
        .add_revoked_certificate(one)
    )
    return builder.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)


def fingerprint(certs: Path, name: str) -> str:
    """The SHA-256 fingerprint of a certificate."""
    text = (certs / f"{name}.pem").read_bytes()
    return x509.load_pem_x509_certificate(text).fingerprint(hashes.SHA256()).hex()
