"""The operations on principals, grants and credentials. Their rows are in the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tidings.cores import Most, Question, Request
from tidings.filters.plan import Side
from tidings.grants.model import (
    CredentialKind,
    Grant,
    Limits,
    Principal,
    PrincipalName,
    Verb,
)


@dataclass(frozen=True, slots=True)
class CreatePrincipal(Request):
    """Create a principal: a program or a person that uses the service.

    It may do nothing before something is granted to it or to one of its roles. Grants decide from
    the moment that a principal with a credential may administer access; from then on callers that
    do not say who they are may only ask for the service's health.

    Attributes:
        name: Its name: letters, digits, and any of ``. _ - @``.
        roles: Its roles.
        limits: What it may use at once; left out, no limits of its own.
    """

    name: PrincipalName
    roles: tuple[str, ...] = ()
    limits: Limits | None = None


@dataclass(frozen=True, slots=True)
class ChangePrincipal(Request):
    """Change a principal's roles or limits, or shut it out.

    Its open connections end if it may no longer do what they are for.

    Attributes:
        name: Its name.
        roles: Its roles from now on; left out, they stay.
        limits: Its limits from now on; left out, they stay.
        disabled: Whether it is shut out; left out, this stays.
    """

    name: PrincipalName
    roles: tuple[str, ...] | None = None
    limits: Limits | None = None
    disabled: bool | None = None


@dataclass(frozen=True, slots=True)
class DeletePrincipal(Request):
    """Delete a principal with its credentials and the grants to it; its connections end.

    Attributes:
        name: Its name.
    """

    name: PrincipalName


@dataclass(frozen=True, slots=True)
class CreateGrant(Request):
    """Allow a principal, or everybody who has a role, to do something. Answer: its number.

    A grant on channels applies to every channel whose name fits, also to those that are created
    later. Types and a constraint go with publish and subscribe only. A subscriber receives what one
    of its grants allows, whatever its filters say; a grant without them allows everything.

    Attributes:
        to: The principal's name, or ``role:NAME``.
        verbs: What is allowed.
        channels: Patterns of channel names, ``*`` for any letters; none for the whole service.
        types: Event types that may be published or seen, as ``Domain::Type`` with ``*`` for any
            letters; none for all.
        constraint: Events that are published or seen must satisfy it; empty for none.
        expires_at: When it ends, microseconds since 1970; left out, never.
        created_by: Who asked.
    """

    to: str
    verbs: tuple[Verb, ...]
    channels: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    constraint: str = ""
    expires_at: int | None = None
    created_by: str = ""


@dataclass(frozen=True, slots=True)
class RevokeGrant(Request):
    """Take a grant back, at once: connections and pulls that it allowed end.

    Attributes:
        grant: Its number.
    """

    grant: int


@dataclass(frozen=True, slots=True)
class AddCredential(Request):
    """Give a principal another way to prove who it is. Answer: its number.

    Attributes:
        principal: The principal's name.
        kind: What it is.
        digest: The hash of the secret, or the certificate's fingerprint.
        label: What its owner calls it.
        expires_at: When it ends, microseconds since 1970; left out, never.
    """

    principal: PrincipalName
    kind: CredentialKind
    digest: str
    label: str = ""
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token, shown this once: the service keeps only its hash.

    Attributes:
        credential: The number of the credential, for revoking it.
        token: The token.
    """

    credential: int
    token: str


@dataclass(frozen=True, slots=True)
class CreateToken(Question[NewToken]):
    """Create a token with which a principal can say who it is; the answer shows it only once.

    To rotate a token without a gap: create another, use it everywhere, revoke the old one.

    Attributes:
        principal: The principal's name.
        label: What its owner calls it.
        expires_at: When it ends, microseconds since 1970; left out, never.
    """

    principal: PrincipalName
    label: str = ""
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class NewReference:
    """A CORBA reference that carries a grant; whoever has it may use it.

    Attributes:
        credential: The number of the credential, for revoking it.
        reference: The reference, ``IOR:…``.
    """

    credential: int
    reference: str


@dataclass(frozen=True, slots=True)
class CreateReference(Question[NewReference]):
    """Create a CORBA reference with which a principal uses one object, and what it leads to.

    A reference to a channel leads to everything in this channel; one to an admin to the admin's own
    proxies; one to a proxy nowhere else; one to the factory to all channels; one to the agent to
    the factory and the trader, too. What the principal may do there, its grants say.

    Attributes:
        principal: The principal's name.
        channel: The channel; left out, the factory.
        side: The side of the admin.
        admin: An admin of the channel.
        proxy: A proxy of the channel.
        agent: Whether it leads to the agent.
        trader: Whether it leads to the trader.
        label: What its owner calls it.
        expires_at: When it ends, microseconds since 1970; left out, never.
    """

    principal: PrincipalName
    channel: int | None = None
    side: Side | None = None
    admin: int | None = None
    proxy: int | None = None
    agent: bool = False
    trader: bool = False
    label: str = ""
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class AddCertificate(Request):
    """Let a principal say who it is by a certificate. Answer: the credential's number.

    The service recognises it over HTTPS and over IIOP with TLS, if an authority in `tls.client_ca`
    has signed it, and keeps only its SHA-256 fingerprint.

    Attributes:
        principal: The principal's name.
        certificate: The certificate, as PEM, without its key.
        label: What its owner calls it.
        expires_at: When the service stops to accept it, microseconds since 1970; left out, when the
            certificate itself expires.
    """

    principal: PrincipalName
    certificate: str
    label: str = ""
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class SetPassword(Question[None]):
    """Set a principal's password in place of the one before; whoever is logged in by that is out.

    Whoever administers access may set every password; a principal its own, if it knows the old one.

    Attributes:
        principal: The principal's name.
        password: The new one, 12 to 256 characters; the service keeps only its hash.
        old: The one before; whoever administers access may leave it out.
    """

    principal: PrincipalName
    password: str = field(repr=False)
    old: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class RevokeCredential(Request):
    """End a credential, at once: connections that were opened with it end.

    Attributes:
        credential: Its number.
    """

    credential: int


@dataclass(frozen=True, slots=True)
class CredentialInfo:
    """A credential without what could be used to guess it.

    Attributes:
        id: Its number.
        principal: Whose it is.
        kind: What it is.
        label: What its owner calls it.
        expires_at: When it ends, microseconds since 1970; None for never.
        created_at: When it was created.
        used_at: When it was last used, to the minute; None for never.
        leads_to: The object that a reference leads to; empty for others.
    """

    id: int
    principal: str
    kind: CredentialKind
    label: str
    expires_at: int | None
    created_at: int
    used_at: int | None
    leads_to: str = ""


@dataclass(frozen=True, slots=True)
class Myself:
    """Who a caller is, and what it may do.

    Attributes:
        principal: Its name; `owner` for the service's owner.
        everything: Whether it may do everything, as the owner may.
        roles: Its roles.
        credential: The number of the credential it has shown; None for none.
        kind: What that is; a password stands for a session of somebody who has logged in.
        expires_at: When the credential ends, microseconds since 1970; None for never.
        grants: What is granted to it and to its roles, the first hundred.
    """

    principal: str
    everything: bool
    roles: tuple[str, ...]
    credential: int | None
    kind: CredentialKind | None
    expires_at: int | None
    grants: tuple[Grant, ...]


@dataclass(frozen=True, slots=True)
class SeeMyself(Question[Myself]):
    """See who asks, by which credential, and what is granted to it."""


@dataclass(frozen=True, slots=True)
class SeePrincipals(Question[Sequence[Principal]]):
    """All principals, by name.

    Attributes:
        after_name: The name of the last one seen before.
        principal: Only this one; empty for all.
        most: At most so many.
    """

    after_name: str = ""
    principal: str = ""
    most: Most = 100


@dataclass(frozen=True, slots=True)
class SeeGrants(Question[Sequence[Grant]]):
    """Grants, by number, with who used each last.

    Attributes:
        to: Only those to this principal or role; empty for all.
        after: The number of the last one seen before.
        most: At most so many.
    """

    to: str = ""
    after: int = 0
    most: Most = 100


@dataclass(frozen=True, slots=True)
class SeeCredentials(Question[Sequence[CredentialInfo]]):
    """Credentials, by number; the secrets cannot be shown again.

    Attributes:
        principal: Only those of this principal; empty for all.
        after: The number of the last one seen before.
        most: At most so many.
    """

    principal: str = ""
    after: int = 0
    most: Most = 100


ACCESS_REQUESTS: Final = (
    *(CreatePrincipal, ChangePrincipal, DeletePrincipal, SeePrincipals),
    *(CreateGrant, RevokeGrant, SeeGrants),
    *(CreateToken, CreateReference, SetPassword, AddCertificate, AddCredential),
    *(RevokeCredential, SeeCredentials, SeeMyself),
)
"""All of them."""
