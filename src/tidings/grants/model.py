"""What the core of grants keeps: principals, grants and credentials."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Final, TypeAlias

PrincipalName: TypeAlias = Annotated[str, "principal"]
"""1 to 64 letters, digits and characters of ``._@-``."""

ANONYMOUS: Final = "anonymous"
"""The name that stands for callers who do not say who they are."""

ROLE: Final = "role:"
"""In a grant, this prefix says that the name behind it is a role's."""


class Verb(Enum):
    """What a principal can be allowed to do.

    MANAGE is for channels, admins and filters; PUBLISH and SUBSCRIBE are to obtain proxies, USE to
    send or receive through them, change or end them; ADMINISTER is for principals and grants.
    """

    MANAGE = "manage"
    PUBLISH = "publish"
    SUBSCRIBE = "subscribe"
    USE = "use"
    INSPECT = "inspect"
    ADMINISTER = "administer"


class CredentialKind(Enum):
    """How a principal proves who it is.

    LOGIN is a token that a password was exchanged for: it lasts a day at most, and ends with the
    password.
    """

    TOKEN = "token"
    LOGIN = "login"
    PASSWORD = "password"
    CERTIFICATE = "certificate"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one principal may use at once; None for no limit of its own.

    Attributes:
        events_per_second: Events it publishes, on average; those of one second at once.
        event_octets: The size of one event it publishes.
        connections: Open WebSockets, and requests under way.
        subscriptions: Proxies it owns, of publishers and subscribers.
        queued_octets: Content of events that waits in memory for its consumers; beyond it, their
            discard policy chooses what goes. Content on the disk does not count.
    """

    events_per_second: int | None = None
    event_octets: int | None = None
    connections: int | None = None
    subscriptions: int | None = None
    queued_octets: int | None = None


NO_LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class Principal:
    """A program or a person that uses the service.

    Attributes:
        name: Its name, which the objects it creates have as their owner.
        roles: Its roles; a grant to ``role:NAME`` is for everybody who has that role.
        limits: What it may use at once.
        disabled: Whether it is shut out for the time being.
        created_at: When it was created, microseconds since 1970.
        used_at: When one of its credentials was last used, to the minute; None for never.
    """

    name: str
    roles: tuple[str, ...] = ()
    limits: Limits = NO_LIMITS
    disabled: bool = False
    created_at: int = 0
    used_at: int | None = None


@dataclass(frozen=True, slots=True)
class Grant:
    """Verbs on a scope, for a principal or for everybody who has a role.

    Attributes:
        id: Its number.
        to: The principal's name, or ``role:NAME``.
        verbs: What is allowed.
        channels: Patterns of channel names, ``*`` for any letters; none for the whole service.
        types: Event types that may be published or seen, as ``Domain::Type`` with ``*`` for any
            letters; none for all.
        constraint: Events that are published or seen must satisfy it; empty for none.
        expires_at: When it ends, microseconds since 1970; None for never.
        created_at: When it was created.
        created_by: Who created it.
        used_at: When it last allowed something, to the minute; None for never.
        used_by: Whom it allowed that.
    """

    id: int
    to: str
    verbs: tuple[Verb, ...]
    channels: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    constraint: str = ""
    expires_at: int | None = None
    created_at: int = 0
    created_by: str = ""
    used_at: int | None = None
    used_by: str = ""


@dataclass(frozen=True, slots=True)
class Credential:
    """A way for a principal to prove who it is.

    Attributes:
        id: Its number; a token begins with it.
        principal: Whose it is.
        kind: What it is.
        digest: The salted hash of a token or password, or the certificate's SHA-256 fingerprint; of
            a reference the object it leads to, such as ``proxy 1 7``, since its key is computed.
        label: What its owner calls it.
        expires_at: When it ends, microseconds since 1970; None for never.
        created_at: When it was created.
        used_at: When it was last used, to the minute; None for never.
    """

    id: int
    principal: str
    kind: CredentialKind
    digest: str
    label: str = ""
    expires_at: int | None = None
    created_at: int = 0
    used_at: int | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """What holds for all grants together.

    Attributes:
        last_grant: The highest number given: none is used twice, since references name grants.
        last_credential: The same for credentials.
        enforced: Whether access is decided by grants. So it is from the moment that a principal
            with a credential may administer access, and it stays so: an administrator whose token
            expires must not open the service to everybody.
    """

    last_grant: int = 0
    last_credential: int = 0
    enforced: bool = False


def is_over(expires_at: int | None, now: int) -> bool:
    """Whether something that expires then has expired."""
    return expires_at is not None and now >= expires_at
