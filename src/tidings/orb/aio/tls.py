"""TLS of one connection: octets of the wire in and out, octets of GIOP out and in; no socket.

A connection has its place, its limits and its times from its first octet on, not only once its
handshake is done, as with asyncio's own TLS.
"""

from __future__ import annotations

import hashlib
import ssl
from contextlib import suppress
from contextvars import ContextVar
from typing import Final

certificate: Final[ContextVar[str]] = ContextVar("certificate", default="")
"""The SHA-256 fingerprint of the certificate that the caller of the request in progress has shown,
in lower-case hexadecimal digits; empty if it has shown none."""

_PIECE: Final = 64 * 1024
_RECORDS: Final = (b"\x15", b"\x16")  # with an alert or a handshake TLS begins
# A fatal alert: this is not a version of the protocol (RFC 8446, 6.2).
_NO_TLS_ALERT: Final = b"\x15\x03\x01\x00\x02\x02\x46"

# What OpenSSL says that one can do something about.
_WORDS: Final = {
    "WRONG_VERSION_NUMBER": "it does not speak TLS at this port: leave TLS out, or use the port "
    "that its references name for TLS",
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": "it showed no certificate, and one is required here",
    "NO_SHARED_CIPHER": "it offers no cipher that is accepted here",
    "UNSUPPORTED_PROTOCOL": "it speaks only versions of TLS that are too old",
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": "it requires a certificate of ours: show one that an "
    "authority it trusts has signed",
    "SSLV3_ALERT_HANDSHAKE_FAILURE": "it accepts none of our ciphers, or requires a certificate "
    "of ours",
    "TLSV1_ALERT_PROTOCOL_VERSION": "it speaks no TLS here, or other versions of it than we do",
    "TLSV1_ALERT_UNKNOWN_CA": "it does not know the authority that has signed our certificate",
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": "our certificate has expired, it says: renew it",
    "SSLV3_ALERT_CERTIFICATE_REVOKED": "our certificate is revoked, it says: show another one",
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": "it does not accept our certificate",
    "SSLV3_ALERT_BAD_CERTIFICATE": "it does not accept our certificate: is it for this host?",
    "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE": "our certificate is for another purpose, it says: a "
    "server's is for serverAuth, a client's for clientAuth",
}


_EXPIRED: Final = 10
_FOREIGN: Final = (18, 19, 20, 21)  # signed by itself, or by an authority that is not trusted
_OTHER_HOST: Final = (62, 64)
_REMEDIES: Final = {
    _EXPIRED: ": it is to be renewed",
    **dict.fromkeys(
        _FOREIGN, ": the authority that has signed it has to be among the trusted ones"
    ),
    **dict.fromkeys(_OTHER_HOST, ": use a name that the certificate has"),
}
"""By the number of X509_V_ERR_… in OpenSSL, what would be right."""


class TlsFault(Exception):
    """Why a connection cannot be protected, in words for whoever runs it."""


class TlsStream:
    """One end of a TLS connection; a server has no `host` to verify.

    Attributes:
        secured: Whether the handshake is done, and octets of GIOP can be sent.
        fingerprint: That of the peer's certificate, as in `certificate`.
    """

    def __init__(self, context: ssl.SSLContext, host: str | None = None) -> None:
        self.secured = False
        self.fingerprint = ""
        self._judged = host is not None  # what begins a connection says whether it is TLS
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out, host is None, host)

    def receive(self, octets: bytes) -> bytes:
        """Return what octets of the wire say; the handshake goes on with them.

        None begin the handshake, at the client's side.

        Raises:
            TlsFault: They break TLS, or the peer is not accepted here or does not accept us.
        """
        if not self._judged:
            self._judged = True
            if octets[:1] not in _RECORDS:
                self._out.write(_NO_TLS_ALERT)
                raise TlsFault(
                    f"it speaks no TLS, and this port nothing else: it began with {octets[:4]!r}"
                )
        self._in.write(octets)
        if not self.secured and not self._handshake():
            return b""
        return self._read()

    def _handshake(self) -> bool:
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return False
        except ssl.SSLError as error:
            raise TlsFault(_why(error)) from error
        self.secured = True
        shown = self._tls.getpeercert(binary_form=True)
        self.fingerprint = "" if shown is None else hashlib.sha256(shown).hexdigest()
        return True

    def _read(self) -> bytes:
        parts: list[bytes] = []
        try:
            while part := self._tls.read(_PIECE):
                parts.append(part)
        except (ssl.SSLWantReadError, ssl.SSLZeroReturnError):
            pass
        except ssl.SSLError as error:
            raise TlsFault(_why(error)) from error
        return b"".join(parts)

    def send(self, octets: bytes) -> None:
        """Protect octets; `data_to_send` has them."""
        if octets:
            self._tls.write(octets)

    def close(self) -> None:
        """Say that nothing more comes."""
        with suppress(ssl.SSLError):  # whoever waits for the peer's word would wait for ever
            self._tls.unwrap()

    def data_to_send(self) -> bytes:
        """Return the octets for the wire, once."""
        return self._out.read()


def _why(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        remedy = _REMEDIES.get(error.verify_code, "")
        return f"its certificate is refused: {error.verify_message.rstrip('.')}{remedy}"
    reason = error.reason or str(error)
    return _WORDS.get(reason, reason.replace("_", " ").lower())
