"""Certificates for development: an authority, and what it signs for a service and its clients."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
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
_COMMON: Final = "Tidings development authority"


class Signed(NamedTuple):
    """A certificate with its private key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def make_certificates(
    folder: Path, hosts: Sequence[str], clients: Sequence[str], now: datetime, days: int = DAYS
) -> list[Path]:
    """Make an authority, unless the folder has one, and certificates that it signs.

    `hosts` are names and addresses under which clients reach the service; each of the `clients`
    gets a certificate. Returns the files: ``NAME.pem`` and ``NAME.key``.
    """
    for name in clients:
        if name in (AUTHORITY, SERVICE) or "/" in name or not checked_name(name):
            raise InvalidUsage(f"{name!r:.60} cannot name a client's files: choose another name")
    ends = now + timedelta(days=days)
    written: list[Path] = []
    try:
        authority = _authority(folder, now, ends, written)
        service = _signed(authority, hosts[0], now, ends, ExtendedKeyUsageOID.SERVER_AUTH, hosts)
        written += _write(folder, SERVICE, service)
        for name in clients:
            client = _signed(authority, name, now, ends, ExtendedKeyUsageOID.CLIENT_AUTH, ())
            written += _write(folder, name, client)
    except OSError as error:
        where = error.filename or folder
        raise StoreError(f"{where} cannot be written: {error.strerror}") from error
    return written


def _authority(folder: Path, now: datetime, ends: datetime, written: list[Path]) -> Signed:
    certificate, key = folder / f"{AUTHORITY}.pem", folder / f"{AUTHORITY}.key"
    if certificate.exists() and key.exists():
        return _read(certificate, key)
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _COMMON)])
    made = (
        _builder(name, name, private, now, ends)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .sign(private, hashes.SHA256())
    )
    signed = Signed(made, private)
    written += _write(folder, AUTHORITY, signed)
    return signed


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
    purpose: x509.ObjectIdentifier,
    hosts: Sequence[str],
) -> Signed:
    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])
    issuer = authority.certificate.subject
    builder = (
        _builder(subject, issuer, private, now, ends)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()),
            critical=False,
        )
    )
    if hosts:
        names = [_general_name(host) for host in hosts]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return Signed(builder.sign(authority.key, hashes.SHA256()), private)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    now: datetime,
    ends: datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(ends)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


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
