"""TLS: the contexts of connections that clients open, and of those to clients."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar

from tidings.errors import InvalidUsage
from tidings.server.settings import TlsSection

_T = TypeVar("_T")

# Forward secrecy and authenticated encryption only; TLS 1.3 has nothing else.
_CIPHERS: Final = "ECDHE+AESGCM:ECDHE+CHACHA20"
_SOON: Final = timedelta(days=14)


class Tls:
    """The TLS of a running service: new connections use what was loaded last.

    A file that cannot be used raises InvalidUsage.

    Attributes:
        context: For connections that clients open.
        outgoing: For connections to CORBA clients that listen with TLS: to hosts with a certificate
            of `tls.client_ca`, or of the system's authorities if there is none. The service shows
            its own certificate there.
        warnings: For whoever runs the service.
    """

    def __init__(self, settings: TlsSection, now: datetime) -> None:
        self.context = _context(ssl.PROTOCOL_TLS_SERVER, settings)
        self.context.verify_mode = ssl.VerifyMode[f"CERT_{settings.client_certificates.upper()}"]
        self.outgoing = _context(ssl.PROTOCOL_TLS_CLIENT, settings)
        self.warnings: list[str] = []
        if settings.client_ca is None:
            self.outgoing.load_default_certs()
        else:
            for context in (self.context, self.outgoing):
                _load(context, "tls.client_ca", settings.client_ca)
        self.load(settings, now)

    def load(self, settings: TlsSection, now: datetime) -> None:
        """Read the certificate, its key and the lists of revoked certificates again.

        If a file cannot be used, what was loaded before stays in use.
        """
        assert settings.certificate is not None
        assert settings.key is not None
        self.warnings = _checked(settings.certificate, settings.key, now)
        for context in (self.context, self.outgoing):
            try:
                context.load_cert_chain(settings.certificate, settings.key)
            except (OSError, ssl.SSLError) as error:
                raise InvalidUsage(
                    f"tls.certificate: {settings.certificate} cannot be used: {_why(error)}"
                ) from error
            if settings.revoked is not None:
                _load(context, "tls.revoked", settings.revoked)
                context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF


def _context(protocol: int, settings: TlsSection) -> ssl.SSLContext:
    made = ssl.SSLContext(protocol)
    made.minimum_version = ssl.TLSVersion[f"TLSv{settings.minimum.replace('.', '_')}"]
    made.set_ciphers(_CIPHERS)
    made.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
    return made


def _load(context: ssl.SSLContext, name: str, path: Path) -> None:
    try:
        context.load_verify_locations(path)
    except (OSError, ssl.SSLError) as error:
        raise InvalidUsage(f"{name}: {path} cannot be used: {_why(error)}") from error


def _why(error: OSError | ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLError):
        return (error.reason or "it is not PEM").replace("_", " ").lower()
    return error.strerror or "it cannot be read"


def _checked(certificate: Path, key: Path, now: datetime) -> list[str]:
    """What is worth a warning about a certificate that can be used."""
    from cryptography import x509  # takes a while, and not all want it
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    found = _parsed("tls.certificate", certificate, x509.load_pem_x509_certificate)
    private = _parsed("tls.key", key, lambda text: load_pem_private_key(text, None))
    if found.public_key() != private.public_key():
        raise InvalidUsage(f"tls.key: {key} is not the key of the certificate in {certificate}")
    begins, ends = found.not_valid_before_utc, found.not_valid_after_utc
    if now < begins:
        raise InvalidUsage(
            f"tls.certificate: {certificate} is valid from {begins:%Y-%m-%d %H:%M} UTC on, which "
            "is to come: is the clock right?"
        )
    if now >= ends:
        raise InvalidUsage(
            f"tls.certificate: {certificate} expired on {ends:%Y-%m-%d %H:%M} UTC: renew it"
        )
    warnings = []
    if ends - now < _SOON:
        warnings.append(f"the certificate {certificate} expires on {ends:%Y-%m-%d %H:%M} UTC")
    if key.stat().st_mode & 0o077:
        warnings.append(f"others on this machine can read the key {key}: chmod 600 it")
    return warnings


def _parsed(name: str, path: Path, read: Callable[[bytes], _T]) -> _T:
    try:
        return read(path.read_bytes())
    except OSError as error:
        raise InvalidUsage(f"{name}: {path} cannot be read: {error.strerror}") from error
    except (TypeError, ValueError) as error:
        why = "it needs a password" if isinstance(error, TypeError) else "it is not PEM"
        raise InvalidUsage(f"{name}: {path} cannot be used: {why}") from error
