"""Object URLs: `IOR:…`, `corbaloc:…` and `corbaname:…`."""

from __future__ import annotations

import re
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import quote, unquote_to_bytes

from tidings.events.reference import Reference
from tidings.events.texts import shortened
from tidings.orb.exceptions import BAD_PARAM, OMG
from tidings.orb.ior import (
    TAG_IIOP,
    IiopProfile,
    Protection,
    TlsPort,
    from_ior,
    make_profile,
    tls_component,
)
from tidings.orb.limits import DEFAULT_LIMITS, MessageLimits

DEFAULT_PORT: Final = 2809
_DEFAULT_KEY: Final = b"NameService"
_MOST_ADDRESSES: Final = 64
_PROTECTED: Final = Protection.INTEGRITY | Protection.CONFIDENTIALITY
# What an object key may hold without an escape.
_PLAIN: Final = ";/:?@&=+$,-_.!~*'()"

_ADDRESS: Final = re.compile(
    r"(?P<protocol>iiop|ssliop)?:(?:(?P<major>[0-9]{1,3})\.(?P<minor>[0-9]{1,3})@)?"
    r"(?P<host>\[[0-9A-Fa-f:.%]+\]|[^:/\[\],@\s]+)(?::(?P<port>[0-9]{1,5})?)?",
    re.IGNORECASE,
)


class NameComponent(NamedTuple):
    """One component of a name in the naming service."""

    id: str
    kind: str = ""


class InitialReference(NamedTuple):
    """An object known to this ORB, such as `corbaloc:rir:/NameService`."""

    name: str


class Corbaname(NamedTuple):
    """A name to look up in a context; an empty one is the context itself."""

    context: Reference | InitialReference
    name: tuple[NameComponent, ...]


ObjectUrl: TypeAlias = Reference | InitialReference | Corbaname


def parse_object_url(text: str, limits: MessageLimits = DEFAULT_LIMITS) -> ObjectUrl:
    """What an object URL names."""
    text = text.strip()
    if len(text) > limits.url_size:
        why = f"{len(text)} characters are more than the {limits.url_size} of an object URL"
        raise BAD_PARAM(OMG | 10, why=why)
    scheme, colon, rest = text.partition(":")
    scheme = scheme.lower() if colon else ""
    if scheme == "ior":
        return from_ior(text, limits)
    if scheme == "corbaloc":
        addresses, _, key = rest.partition("/")
        return _target(addresses, _unescaped(key))
    if scheme == "corbaname":
        located, _, name = rest.partition("#")
        addresses, _, key = located.partition("/")
        context = _target(addresses, _unescaped(key) or _DEFAULT_KEY)
        return Corbaname(context, parse_name(_unescaped(name).decode("utf-8", "replace")))
    why = f"{shortened(text)} begins with none of IOR:, corbaloc: and corbaname:"
    raise BAD_PARAM(OMG | 7, why=why)


def _target(addresses: str, key: bytes) -> Reference | InitialReference:
    if addresses.lower() == "rir:":
        return InitialReference(key.decode("latin-1") or "NameService")
    listed = addresses.split(",")
    if len(listed) > _MOST_ADDRESSES:
        why = f"{len(listed)} addresses; at most {_MOST_ADDRESSES} are accepted"
        raise BAD_PARAM(OMG | 8, why=why)
    profiles = [(TAG_IIOP, make_profile(_profile(address, key))) for address in listed]
    return Reference("", profiles)


def _profile(address: str, key: bytes) -> IiopProfile:
    found = _ADDRESS.fullmatch(address)
    if found is None:
        why = f"{shortened(address)} is not an address; iiop:1.2@host:2809 would be one"
        raise BAD_PARAM(OMG | 8, why=why)
    major, minor = int(found["major"] or 1), int(found["minor"] or 0)
    port = int(found["port"] or DEFAULT_PORT)
    host = found["host"].strip("[]")
    if major != 1 or minor > 255:
        raise BAD_PARAM(OMG | 8, why=f"IIOP {major}.{minor} is not supported; 1.0 to 1.2 are")
    if not 0 < port < 65_536:
        raise BAD_PARAM(OMG | 8, why=f"{port} is not a port")
    if not host.isascii():
        raise BAD_PARAM(OMG | 8, why=f"{shortened(host)} is not a host name; write it in ASCII")
    if (found["protocol"] or "").lower() != "ssliop":
        return IiopProfile(host, port, key, minor)
    tls = tls_component(TlsPort(_PROTECTED, _PROTECTED, port))
    # IIOP 1.0 has no components; omniORB uses the same port where none is named.
    return IiopProfile(host, 0, key, minor or 2, (tls,))


def _unescaped(text: str) -> bytes:
    for escape in re.findall(r"%.{0,2}", text, re.DOTALL):
        if not re.fullmatch(r"%[0-9A-Fa-f]{2}", escape):
            why = f"{escape!r} is not an escape; % is followed by two hexadecimal digits"
            raise BAD_PARAM(OMG | 9, why=why)
    return unquote_to_bytes(text)


def parse_name(text: str) -> tuple[NameComponent, ...]:
    r"""The components of a stringified name such as `plant/line 3.device`.

    `/` separates components, `.` separates id and kind, and `\` escapes these.
    """
    if not text:
        return ()
    return tuple([_component(part, text) for part in _split(text, "/", text)])


def _component(part: str, whole: str) -> NameComponent:
    pieces = _split(part, ".", whole)
    if part == "." or len(pieces) == 1:
        id, kind = ("", "") if part == "." else (part, "")
    elif len(pieces) == 2 and pieces[1]:
        id, kind = pieces
    else:
        raise BAD_PARAM(OMG | 10, why=f"{part!r} in the name {shortened(whole)} is not an id.kind")
    if not part:
        raise BAD_PARAM(OMG | 10, why=f"the name {shortened(whole)} has an empty component")
    return NameComponent(_literal(id), _literal(kind))


def _split(text: str, separator: str, whole: str) -> list[str]:
    """The parts between unescaped separators; backslashes stay."""
    parts, part = [""], iter(text)
    for character in part:
        if character == separator:
            parts.append("")
        elif character == "\\":
            following = next(part, "")
            if following not in ("/", ".", "\\"):
                why = f"in the name {shortened(whole)} a backslash stands before {following!r}"
                raise BAD_PARAM(OMG | 10, why=why)
            parts[-1] += character + following
        else:
            parts[-1] += character
    return parts


def _literal(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def make_corbaloc(host: str, port: int, key: bytes, minor: int = 2, *, tls: bool = False) -> str:
    """The URL of an object by its address and key."""
    shown = f"[{host}]" if ":" in host else host
    return (
        f"corbaloc:{'ssliop' if tls else 'iiop'}:1.{minor}@{shown}:{port}/{quote(key, safe=_PLAIN)}"
    )
