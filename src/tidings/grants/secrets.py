"""Tokens, passwords and certificates: their form, and what is kept instead of them.

Digests are salted scrypt (RFC 7914): 16 MiB and some 40 ms each, so whoever steals the journal
cannot try many. A token is ``tdg_ID_SECRET``: its number leads to the one digest to compare with.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import unicodedata
from typing import Final

from tidings.errors import InvalidUsage
from tidings.names import is_readable

SALT_OCTETS: Final = 16
SECRET_OCTETS: Final = 24
LONGEST: Final = 256
"""Longer secrets are refused before they are hashed."""
LEAST_PASSWORD: Final = 12
LONGEST_PEM: Final = 16_384
"""Of a text longer than this, only the beginning is looked at."""

_COST: Final = 2**14
_BLOCK: Final = 8
_PARALLEL: Final = 1
_MEMORY: Final = 64 * 1024 * 1024
_HASH_OCTETS: Final = 32
_TOKEN: Final = re.compile(r"tdg_([1-9]\d{0,9})_([A-Za-z0-9_-]{32})", re.ASCII)
_PEM: Final = re.compile(
    r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*)-----END CERTIFICATE-----", re.ASCII
)
_SEQUENCE: Final = b"\x30"  # with it every certificate begins (X.690)
_DIGEST: Final = re.compile(r"scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w+/=]+)\$([\w+/=]+)", re.ASCII)


def token_text(credential: int, secret: bytes) -> str:
    """Return the token with a number and a drawn secret; it is shown once."""
    return f"tdg_{credential}_{base64.urlsafe_b64encode(secret).decode()}"


def token_number(text: str) -> int | None:
    """Return the number in a token; None if the text has not the form of one."""
    found = _TOKEN.fullmatch(text)
    return None if found is None else int(found[1])


def token_secret(text: str) -> str:
    """Return the part of a token that is hashed."""
    return text.split("_", 2)[2]  # the secret may have an underscore itself


def fingerprint_of(pem: str) -> str:
    """Return the SHA-256 fingerprint of the first certificate in a PEM text, in lower-case hex.

    Raises:
        InvalidUsage: There is no certificate in it, or a private key, which nobody should send.
    """
    if "PRIVATE KEY" in pem:
        raise InvalidUsage("there is a private key in this text: send the certificate alone")
    found = _PEM.search(pem[:LONGEST_PEM])
    try:
        octets = (
            b"" if found is None else base64.b64decode("".join(found[1].split()), validate=True)
        )
    except ValueError:
        octets = b""
    if octets[:1] != _SEQUENCE:
        raise InvalidUsage(
            "this is no certificate as PEM: it begins with -----BEGIN CERTIFICATE----- and has at "
            f"most {LONGEST_PEM} characters"
        )
    return hashlib.sha256(octets).hexdigest()


def checked_password(text: str) -> str:
    """Return a new password, or raise InvalidUsage for one that is too short or cannot be typed."""
    if not LEAST_PASSWORD <= len(text) <= LONGEST:
        raise InvalidUsage(
            f"a password has {LEAST_PASSWORD} to {LONGEST} characters, not {len(text)}"
        )
    if not is_readable(text):
        raise InvalidUsage("a password has no control characters")
    return text


def digest(secret: str, salt: bytes) -> str:
    """Return what is kept of a secret. It takes long: not on the event loop."""
    found = _hash(secret, salt, _COST, _BLOCK, _PARALLEL)
    parts = (base64.b64encode(one).decode() for one in (salt, found))
    return "$".join(("scrypt", str(_COST), str(_BLOCK), str(_PARALLEL), *parts))


def fits(secret: str, kept: str) -> bool:
    """Return whether a digest is that of a secret. It takes long: not on the event loop."""
    found = _DIGEST.fullmatch(kept)
    if found is None or len(secret) > LONGEST:
        return False
    cost, block, parallel = (int(found[at]) for at in (1, 2, 3))
    salt, expected = (base64.b64decode(found[at]) for at in (4, 5))
    return hmac.compare_digest(_hash(secret, salt, cost, block, parallel), expected)


def _hash(secret: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    # Keyboards compose letters in different ways (RFC 8265).
    text = unicodedata.normalize("NFC", secret)
    return hashlib.scrypt(
        text.encode(errors="surrogatepass"),
        salt=salt,
        n=cost,
        r=block,
        p=parallel,
        maxmem=_MEMORY,
        dklen=_HASH_OCTETS,
    )
