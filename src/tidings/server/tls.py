"""TLS: its settings, and the context of connections that clients open."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeVar

from pydantic import Field

from tidings.errors import InvalidUsage
from tidings.server.kinds import OptionalPath
from tidings.server.rules import LIVE_FIELD, Section

_T = TypeVar("_T")

_VERSIONS: Final = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}
# Forward secrecy and authenticated encryption only; TLS 1.3 has nothing else.
_CIPHERS: Final = "ECDHE+AESGCM:ECDHE+CHACHA20"
_VERIFY: Final = {
    "none": ssl.CERT_NONE,
    "optional": ssl.CERT_OPTIONAL,
    "required": ssl.CERT_REQUIRED,
}
_SOON: Final = timedelta(days=14)


class TlsSection(Section):
    """Certificates of the service, and what clients show."""

    certificate: OptionalPath = Field(
        default=None,
        description="The service's certificate and its chain, as PEM; read again on reload.",
        json_schema_extra=LIVE_FIELD,
    )
    key: OptionalPath = Field(
        default=None,
        description="The private key of the certificate, as PEM without a password.",
        json_schema_extra=LIVE_FIELD,
    )
    minimum: Literal["1.2", "1.3"] = Field(
        default="1.2", description="The oldest version of TLS that is spoken."
    )
    client_ca: OptionalPath = Field(
        default=None,
        description="Certificates, as PEM, of the authorities that sign those of clients.",
    )
    client_certificates: Literal["none", "optional", "required"] = Field(
        default="none",
        description="Whether clients are asked for a certificate, and whether they must show one.",
    )
    revoked: OptionalPath = Field(
        default=None,
        description="Lists of revoked certificates (CRL), as PEM: one of each authority in "
        "client_ca. Clients with a certificate of the list are refused.",
        json_schema_extra=LIVE_FIELD,
    )


def tls_problem(tls: TlsSection, users: Sequence[str]) -> str:
    """What does not fit together; empty if all does.

    Args:
        tls: The settings.
        users: The settings that ask for TLS.
    """
    if users and tls.certificate is None:
        return f"{users[0]} needs a certificate: set tls.certificate and tls.key"
    if (tls.certificate is None) != (tls.key is None):
        return "tls.certificate and tls.key go together: set both"
    if tls.client_certificates != "none" and tls.client_ca is None:
        return f"tls.client_certificates is {tls.client_certificates}: set tls.client_ca as well"
    if tls.revoked is not None and tls.client_ca is None:
        return "tls.revoked is about certificates of clients: set tls.client_ca as well"
    return ""


class Tls:
    """The TLS of a running service: new connections use what was loaded last.

    Args:
        settings: The settings.
        now: The time.

    Attributes:
        context: For connections that clients open.
        warnings: What whoever runs the service should know.

    Raises:
        InvalidUsage: A file cannot be used; the message says why.
    """

    def __init__(self, settings: TlsSection, now: datetime) -> None:
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = _VERSIONS[settings.minimum]
        self.context.set_ciphers(_CIPHERS)
        self.context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION
        self.context.verify_mode = _VERIFY[settings.client_certificates]
        self.warnings: list[str] = []
        if settings.client_ca is not None:
            _load(self.context, "tls.client_ca", settings.client_ca)
        self.load(settings, now)

    def load(self, settings: TlsSection, now: datetime) -> None:
        """Read the certificate, its key and the lists of revoked certificates again.

        Raises:
            InvalidUsage: A file cannot be used; what was loaded before stays in use.
        """
        assert settings.certificate is not None
        assert settings.key is not None
        self.warnings = _checked(settings.certificate, settings.key, now)
        try:
            self.context.load_cert_chain(settings.certificate, settings.key)
        except (OSError, ssl.SSLError) as error:
            raise InvalidUsage(
                f"tls.certificate: {settings.certificate} cannot be used: {_why(error)}"
            ) from error
        if settings.revoked is not None:
            _load(self.context, "tls.revoked", settings.revoked)
            self.context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF


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
    """What is worth a warning about a certificate that can be used.

    Raises:
        InvalidUsage: It cannot be used.
    """
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
    """What a PEM file holds."""
    try:
        return read(path.read_bytes())
    except OSError as error:
        raise InvalidUsage(f"{name}: {path} cannot be read: {error.strerror}") from error
    except (TypeError, ValueError) as error:
        why = "it needs a password" if isinstance(error, TypeError) else "it is not PEM"
        raise InvalidUsage(f"{name}: {path} cannot be used: {why}") from error
