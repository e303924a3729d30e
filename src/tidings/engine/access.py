"""Access control: the one place that decides. The engine calls it, never the protocols.

A reference to an object is a capability: its key names a grant, and the grant a principal with a
scope. Keys are verified by computation alone, so they need no table and outlive restarts.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

from tidings.channel.vocabulary import Place
from tidings.errors import BadInput, Forbidden, LimitExceeded


class Verb(Enum):
    """What a principal can ask for.

    MANAGE is for channels, admins and filters; PUBLISH and SUBSCRIBE are to obtain proxies, USE to
    send or receive through them, change or end them; ADMINISTER is for grants and access settings.
    """

    MANAGE = "manage"
    PUBLISH = "publish to"
    SUBSCRIBE = "subscribe to"
    USE = "use"
    INSPECT = "inspect"
    ADMINISTER = "administer access to"


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller, and the owner of what it creates.

    `is_owner` holds inside its scope: the channels it is confined to, None for all.
    """

    name: str
    is_owner: bool = False
    scope: frozenset[int] | None = None

    def __str__(self) -> str:
        return self.name


OWNER: Final = Principal("owner", is_owner=True)
ANONYMOUS: Final = Principal("anonymous")


@dataclass(frozen=True, slots=True)
class Grant:
    """What a reference stands for; references reached from it have the same grant."""

    id: int
    principal: Principal


Object: TypeAlias = Place | str | None
"""A channel, admin or proxy; the words for something else, such as ``filter 3``; None for the
service itself."""

# By verb, what principals may that own neither the service nor the object: known ones, and
# anonymous ones. A string names the setting that decides.
_TABLE: Final[dict[Verb, tuple[bool, bool | str]]] = {
    Verb.MANAGE: (False, "anonymous_may_manage"),
    Verb.PUBLISH: (True, "anonymous_may_publish"),
    Verb.SUBSCRIBE: (True, "anonymous_may_subscribe"),
    Verb.USE: (False, False),
    Verb.INSPECT: (True, "anonymous_may_subscribe"),
    Verb.ADMINISTER: (False, False),
}


@dataclass(frozen=True, slots=True)
class Access:
    """The access settings and the decisions that follow.

    Anonymous clients that may subscribe may also view objects.
    """

    anonymous_may_publish: bool = True
    anonymous_may_subscribe: bool = True
    anonymous_may_manage: bool = False

    def may(self, principal: Principal, verb: Verb, target: Object, owner: str = "") -> bool:
        """Return whether a principal may do something; `owner` is the object's, empty for none."""
        scope = principal.scope
        if scope is not None and isinstance(target, Place) and target.channel not in scope:
            return False
        # An owner within a scope does not own what lies outside it.
        if principal.is_owner and (scope is None or isinstance(target, Place)):
            return True
        if owner and owner == principal.name:
            return verb is not Verb.ADMINISTER
        allowed = _TABLE[verb][principal.name == ANONYMOUS.name]
        return allowed if isinstance(allowed, bool) else bool(getattr(self, allowed))

    def require(self, principal: Principal, verb: Verb, target: Object, owner: str = "") -> None:
        """Raise Forbidden unless `may` allows it."""
        if not self.may(principal, verb, target, owner):
            shown = "the service" if target is None else str(target)
            whose = f" of {owner}" if owner and owner != principal.name else ""
            raise Forbidden(f"{principal} may not {verb.value} {shown}{whose}")


KEY_OCTETS: Final = 47
KINDS: Final = (
    "factory",
    "channel",
    "admin",
    "proxy",
    "filter",
    "mapping",
    "filter factory",
    "naming context",
    "binding iterator",
    "agent",
    "advertiser",
    "generic factory",
)
"""The kinds of objects with keys; numbered by index, so append new kinds."""

_VERSION: Final = 1
_MAC_OCTETS: Final = 16
_LEAST_OCTETS: Final = 3 + _MAC_OCTETS
_LEAST_SECRET: Final = 16
# Keys of the HMAC are not shared with other uses of the same secret.
_PURPOSE: Final = b"tidings object key"


class ObjectKey(NamedTuple):
    """The content of a key: a kind of `KINDS`, ids such as (channel, proxy), and a grant id."""

    kind: str
    ids: tuple[int, ...]
    grant: int


class Keys:
    """Makes and reads object keys: version, grant, kind, ids, truncated HMAC-SHA256 (128 bits).

    The store's secret has at least 16 octets, else BadInput.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) < _LEAST_SECRET:
            raise BadInput(
                f"a secret of {len(secret)} octets is too short: {_LEAST_SECRET} or more"
            )
        self._secret = hmac.digest(secret, _PURPOSE, hashlib.sha256)

    def make(self, kind: str, ids: tuple[int, ...], grant: int) -> bytes:
        """Return the key of an object, at most `KEY_OCTETS` long, else LimitExceeded."""
        if kind not in KINDS:
            raise BadInput(f"{kind!r} is no kind of object: {', '.join(KINDS)}")
        body = bytearray((_VERSION,))
        for number in (grant, KINDS.index(kind), *ids):
            _append(body, number)
        if len(body) + _MAC_OCTETS > KEY_OCTETS:
            raise LimitExceeded(f"the ids {ids} do not fit into a key of {KEY_OCTETS} octets")
        return bytes(body) + self._mac(bytes(body))

    def read(self, key: bytes) -> ObjectKey:
        """Return the content of a key, or raise Forbidden if this secret did not make it."""
        body, mac = key[:-_MAC_OCTETS], key[-_MAC_OCTETS:]
        if not _LEAST_OCTETS <= len(key) <= KEY_OCTETS or not hmac.compare_digest(
            mac, self._mac(body)
        ):
            raise Forbidden("this reference is not one of ours, or was changed: obtain a new one")
        if body[0] != _VERSION:
            raise Forbidden(f"this reference has the form {body[0]}: obtain one of form {_VERSION}")
        grant, kind, *ids = _numbers(body[1:])
        return ObjectKey(KINDS[kind], tuple(ids), grant)

    def _mac(self, body: bytes) -> bytes:
        return hmac.digest(self._secret, body, hashlib.sha256)[:_MAC_OCTETS]


def _append(body: bytearray, number: int) -> None:
    """Append a number, seven bits an octet, lowest first; the high bit says that more follow."""
    if number < 0:
        raise BadInput(f"{number} cannot be part of an object key: 0 or more")
    while number > 0x7F:
        body.append(number & 0x7F | 0x80)
        number >>= 7
    body.append(number)


def _numbers(octets: bytes) -> list[int]:
    found, number, shift = [], 0, 0
    for octet in octets:
        number |= (octet & 0x7F) << shift
        shift += 7
        if octet < 0x80:
            found.append(number)
            number, shift = 0, 0
    return found
