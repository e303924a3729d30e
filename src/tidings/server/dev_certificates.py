"""Certificates for development: an authority, and what it signs for a service and its clients."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tidings.errors import InvalidUsage, StoreError
from tidings.names import checked_name
from tidings.server.files import write_secret

AUTHORITY: Final = "ca"
SERVICE: Final = "service"
DAYS: Final = 90

# Clocks of other machines may be slow.
_EARLIER: Final = timedelta(hours=1)
_BOTH: Final = (ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH)
_COMMON: Final = "Tidings development authority"


class Signed(NamedTuple):
    """A certificate with its private key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def make_certificates(
    folder: Path, hosts: Sequence[str], clients: Sequence[str], now: datetime, days: int = DAYS
) -> list[Path]:
    """Make an authority, unless the folder has one, and certificates that it signs.

    `hosts` are names and addresses under which clients reach the service, which shows the same
    certificate to CORBA clients that it calls; each of the `clients` gets
    a certificate.

    Returns the files: ``NAME.pem`` and ``NAME.key``.
    """
    for name in clients:
        if name in (AUTHORITY, SERVICE) or "/" in name or not checked_name(name):
            raise InvalidUsage(f"{name!r:.60} cannot name a client's files: choose another name")
    ends = now + timedelta(days=days)
    written: list[Path] = []
    try:
        authority = _authority(folder, now, ends, written)
        service = _signed(authority, hosts[0], now, ends, _BOTH, hosts)
        written += _write(folder, SERVICE, service)
        for name in clients:
            client = _signed(authority, name, now, ends, [ExtendedKeyUsageOID.CLIENT_AUTH], ())
            written += _write(folder, name, client)
    except OSError as error:
        where = error.filename or folder
        raise StoreError(f"{where} cannot be written: {error.strerror}") from error
    return written


def _authority(folder: Path, now: datetime, ends: datetime, written: list[Path]) -> Signed:
    certificate, key = folder / f"{AUTHORITY}.pem", folder / f"{AUTHORITY}.key"
    if certificate.exists() and key.exists():
        return _read(certificate, key)
    made = _certificate(None, _COMMON, now, ends, {_usage(signs_certificates=True): True})
    written += _write(folder, AUTHORITY, made)
    return made


def _read(certificate: Path, key: Path) -> Signed:
    try:
        found = x509.load_pem_x509_certificate(certificate.read_bytes())
        private = load_pem_private_key(key.read_bytes(), None)
    except (TypeError, ValueError) as error:
        raise InvalidUsage(
            f"{certificate} and {key} are not an authority made here: use an empty folder"
        ) from error
    if not isinstance(private, ec.EllipticCurvePrivateKey):
        raise InvalidUsage(f"{key} is not a key made here: use an empty folder")
    return Signed(found, private)


def _signed(
    authority: Signed,
    name: str,
    now: datetime,
    ends: datetime,
    purposes: Sequence[x509.ObjectIdentifier],
    hosts: Sequence[str],
) -> Signed:
    issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    extensions: dict[x509.ExtensionType, bool] = {
        _usage(signs_certificates=False): True,
        x509.ExtendedKeyUsage(purposes): False,
        issuer: False,
    }
    if hosts:
        extensions[x509.SubjectAlternativeName([_general_name(host) for host in hosts])] = False
    return _certificate(authority, name, now, ends, extensions)


def _certificate(
    authority: Signed | None,
    name: str,
    now: datetime,
    ends: datetime,
    extensions: Mapping[x509.ExtensionType, bool],
) -> Signed:
    """A certificate with extensions, each critical or not; without an authority it is one."""
    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])
    limits = x509.BasicConstraints(
        ca=authority is None, path_length=0 if authority is None else None
    )
    subject_key = x509.SubjectKeyIdentifier.from_public_key(private.public_key())
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if authority is None else authority.certificate.subject)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(ends)
    )
    for extension, critical in {subject_key: False, limits: True, **extensions}.items():
        builder = builder.add_extension(extension, critical=critical)
    signer = private if authority is None else authority.key
    return Signed(builder.sign(signer, hashes.SHA256()), private)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        return x509.DNSName(host)
    except ValueError as error:
        raise InvalidUsage(f"{host!r:.80} is not a host name or address") from error


def _write(folder: Path, name: str, signed: Signed) -> list[Path]:
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    private = signed.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_secret(key, private.decode("ascii").rstrip("\n"))
    certificate.write_bytes(signed.certificate.public_bytes(Encoding.PEM))
    return [certificate, key]
