"""The core of grants: who there is, and what each may do. It decides; the engine asks and enforces.

Digests of secrets come in ready-made: hashing takes long and drawing a secret takes luck, and a
core has neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from tidings.cores import Handled, Keep, State, answer_each
from tidings.errors import InvalidUsage, LimitExceeded, NameTaken, NotFound, StoreError, WrongState
from tidings.filters.constraint import Constraint, constraint, wildcard_match
from tidings.grants import requests as r
from tidings.grants.endings import Endings
from tidings.grants.model import (
    NO_LIMITS,
    ROLE,
    Credential,
    CredentialKind,
    Grant,
    Principal,
    Status,
    Verb,
    is_over,
)

MOST_PRINCIPALS: Final = 10_000
MOST_GRANTS: Final = 100_000
MOST_CREDENTIALS: Final = 50_000
"""Together about 100 MB; more is a mistake of a script."""
MOST_PATTERNS: Final = 100
"""Channels or event types of one grant: each is tried in turn."""

_USE_STEP: Final = 60_000_000
"""Uses are written down at most once in so many microseconds."""
_VERSION: Final = 1
_NAME: Final = re.compile(r"[\w.@-]{1,64}")
_RESERVED: Final = frozenset({"owner", "anonymous"})

_Kept = TypeVar("_Kept", Principal, Grant, Credential, Status)


class AccessChanged(NamedTuple):
    """An effect: these principals may do less than before; None for everybody."""

    principals: frozenset[str] | None
    credentials: frozenset[int] = frozenset()

    def concerns(self, principal: str, credential: int | None = None) -> bool:
        """Return whether a principal, or what it opened with a credential, is concerned."""
        everybody = self.principals is None or principal in self.principals
        return everybody or credential in self.credentials


@dataclass(frozen=True, slots=True)
class Permission:
    """What a principal may do with a verb on a channel.

    Attributes:
        fence: Events must match one of these; empty for all events.
    """

    fence: tuple[Constraint, ...] = ()


class Grants:
    """Principals, grants and credentials."""

    name: Final = "grants"

    def __init__(self) -> None:
        self._principals: dict[str, Principal] = {}
        self._grants: dict[int, Grant] = {}
        self._credentials: dict[int, Credential] = {}
        self._fences: dict[int, Constraint | None] = {}
        self._to: dict[str, set[int]] = {}
        self._status = Status()
        self._effects: list[Any] = []
        self._used: dict[int, tuple[int, str]] = {}
        self._seen: dict[int, int] = {}
        self._write_uses_at: int | None = None
        self._grant_ends = Endings(self._grants)
        self._credential_ends = Endings(self._credentials)
        self.version = 0
        """Rises with every change, so that decisions can be kept until the next."""
        self._handlers: dict[type, Callable[[Any, int], object]] = {
            r.CreatePrincipal: self._create_principal,
            r.ChangePrincipal: self._change_principal,
            r.DeletePrincipal: self._delete_principal,
            r.CreateGrant: self._create_grant,
            r.RevokeGrant: self._revoke_grant,
            r.AddCredential: self._add_credential,
            r.RevokeCredential: self._revoke_credential,
            r.SeePrincipals: self._see_principals,
            r.SeeGrants: self._see_grants,
            r.SeeCredentials: self._see_credentials,
        }

    @property
    def requests(self) -> tuple[type, ...]:
        """The operations on principals, grants and credentials."""
        return tuple(self._handlers)

    @property
    def wake_at(self) -> int | None:
        """When uses are written down, or something expires."""
        times = (self._write_uses_at, self._grant_ends.first, self._credential_ends.first)
        return min((one for one in times if one is not None), default=None)

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        """Carry out commands; write down uses when it is time to, and tell what has expired."""
        if self._write_uses_at is not None and now >= self._write_uses_at:
            self._keep_uses()
        self._end_expired(now)
        answers = answer_each(self._handlers, commands, now)
        effects, self._effects = self._effects, []
        return answers, effects

    # Decisions.

    @property
    def is_open(self) -> bool:
        """Whether access is as the settings say: nobody was ever able to administer grants."""
        return not self._status.enforced

    def principal(self, name: str) -> Principal | None:
        """Return a principal that is not shut out."""
        found = self._principals.get(name)
        return None if found is None or found.disabled else found

    def credential(self, id: int, now: int) -> Credential | None:
        """Return a credential that can be used now."""
        found = self._credentials.get(id)
        if found is None or is_over(found.expires_at, now):
            return None
        return None if self.principal(found.principal) is None else found

    def certificate(self, fingerprint: str, now: int) -> Credential | None:
        """Return the credential for a certificate."""
        for one in self._credentials.values():
            if one.kind is CredentialKind.CERTIFICATE and one.digest == fingerprint:
                return self.credential(one.id, now)
        return None

    def passwords(self, principal: str, now: int) -> list[Credential]:
        """Return the passwords of a principal."""
        found = (one for one in self._credentials.values() if one.principal == principal)
        live = (self.credential(one.id, now) for one in found)
        return [one for one in live if one is not None and one.kind is CredentialKind.PASSWORD]

    def permission(
        self, principal: str, verb: Verb, channel: str | None, now: int
    ) -> Permission | None:
        """Return what a principal may do on a channel, or on the service; None for nothing."""
        fences: list[Constraint] = []
        allowed = False
        for grant in self._live_grants(principal, now):
            if verb not in grant.verbs or not _covers(grant, channel):
                continue
            self._note_use(grant.id, principal, now)
            fence = self._fences[grant.id]
            if fence is None:
                return Permission()
            allowed = True
            fences.append(fence)
        return Permission(tuple(fences)) if allowed else None

    def holds(self, principal: str, verb: Verb, now: int) -> bool:
        """Return whether a principal may do something on any channel at all."""
        return any(verb in grant.verbs for grant in self._live_grants(principal, now))

    def note_login(self, credential: int, now: int) -> None:
        """Remember that a credential was used."""
        self._seen[credential] = now
        self._wake(now)

    def _live_grants(self, principal: str, now: int) -> Iterable[Grant]:
        found = self.principal(principal)
        if found is None:
            return
        for to in (principal, *(ROLE + role for role in found.roles)):
            for id in sorted(self._to.get(to, ())):
                grant = self._grants[id]
                if not is_over(grant.expires_at, now):
                    yield grant

    def _note_use(self, grant: int, principal: str, now: int) -> None:
        self._used[grant] = (now, principal)
        self._wake(now)

    def _wake(self, now: int) -> None:
        if self._write_uses_at is None:
            self._write_uses_at = now + _USE_STEP

    def _end_expired(self, now: int) -> None:
        """Tell whose grants and which credentials have expired: what they opened ends."""
        to = {self._grants[id].to for id in self._grant_ends.due(now)}
        credentials = frozenset(self._credential_ends.due(now))
        if to or credentials:
            self.version += 1
            everybody = any(one.startswith(ROLE) for one in to)
            self._effects.append(AccessChanged(None if everybody else frozenset(to), credentials))

    def _keep_uses(self) -> None:
        self._write_uses_at = None
        for id, (at, who) in self._used.items():
            if (grant := self._grants.get(id)) is not None:
                self._grants[id] = replace(grant, used_at=at, used_by=who)
                self._keep("grant", id, self._grants[id], waits=False)
        for id, at in self._seen.items():
            if (credential := self._credentials.get(id)) is not None:
                self._credentials[id] = replace(credential, used_at=at)
                self._keep("credential", id, self._credentials[id], waits=False)
        self._used, self._seen = {}, {}

    # Principals.

    def _create_principal(self, asked: r.CreatePrincipal, now: int) -> None:
        _check_name("a principal's name", asked.name)
        if asked.name in _RESERVED:
            raise InvalidUsage(f"the name {asked.name} stands for callers without a principal")
        if asked.name in self._principals:
            raise NameTaken(f"there is a principal {asked.name} already")
        _check_room("principals", self._principals, MOST_PRINCIPALS)
        made = Principal(asked.name, _roles(asked.roles), asked.limits or NO_LIMITS, created_at=now)
        self._put_principal(made)

    def _change_principal(self, asked: r.ChangePrincipal, now: int) -> None:
        before = self._found_principal(asked.name)
        made = replace(
            before,
            roles=before.roles if asked.roles is None else _roles(asked.roles),
            limits=before.limits if asked.limits is None else asked.limits,
            disabled=before.disabled if asked.disabled is None else asked.disabled,
        )
        self._guarded(now, lambda: self._principals.__setitem__(made.name, made),
                      lambda: self._principals.__setitem__(made.name, before))  # fmt: skip
        self._put_principal(made)
        self._effects.append(AccessChanged(frozenset({made.name})))
        self._enforce(now)

    def _delete_principal(self, asked: r.DeletePrincipal, now: int) -> None:
        before = self._found_principal(asked.name)
        self._guarded(now, lambda: self._principals.pop(before.name),
                      lambda: self._principals.__setitem__(before.name, before))  # fmt: skip
        self._keep("principal", asked.name, None)
        for credential in [
            one for one in self._credentials.values() if one.principal == asked.name
        ]:
            self._drop_credential(credential)
        for id in sorted(self._to.get(asked.name, ())):
            self._drop_grant(self._grants[id])
        self._effects.append(AccessChanged(frozenset({asked.name})))

    def _found_principal(self, name: str) -> Principal:
        if name not in self._principals:
            raise NotFound(f"there is no principal {name[:64]!r}")
        return self._principals[name]

    def _put_principal(self, principal: Principal) -> None:
        self._principals[principal.name] = principal
        self._keep("principal", principal.name, principal)

    # Grants.

    def _create_grant(self, asked: r.CreateGrant, now: int) -> int:
        if asked.to.startswith(ROLE):
            _check_name("a role's name", asked.to.removeprefix(ROLE))
        else:
            self._found_principal(asked.to)
        _check_grant(asked, now)
        _check_room("grants", self._grants, MOST_GRANTS)
        self._become(replace(self._status, last_grant=self._status.last_grant + 1))
        made = Grant(
            self._status.last_grant,
            asked.to,
            tuple(dict.fromkeys(asked.verbs)),
            tuple(asked.channels),
            tuple(asked.types),
            asked.constraint,
            asked.expires_at,
            created_at=now,
            created_by=asked.created_by,
        )
        self._index(made)
        self._keep("grant", made.id, made)
        self._enforce(now)
        return made.id

    def _revoke_grant(self, asked: r.RevokeGrant, now: int) -> None:
        grant = self._grants.get(asked.grant)
        if grant is None:
            raise NotFound(f"there is no grant {asked.grant}")
        self._guarded(now, lambda: self._to[grant.to].discard(grant.id),
                      lambda: self._to[grant.to].add(grant.id))  # fmt: skip
        self._drop_grant(grant)
        everybody = grant.to.startswith(ROLE)
        self._effects.append(AccessChanged(None if everybody else frozenset({grant.to})))

    def _index(self, grant: Grant) -> None:
        fenced = bool(grant.constraint or grant.types)
        self._fences[grant.id] = constraint(grant.constraint, grant.types) if fenced else None
        self._grants[grant.id] = grant
        self._grant_ends.add(grant.expires_at, grant.id)
        self._to.setdefault(grant.to, set()).add(grant.id)

    def _drop_grant(self, grant: Grant) -> None:
        del self._grants[grant.id], self._fences[grant.id]
        to = self._to[grant.to]
        to.discard(grant.id)
        if not to:
            del self._to[grant.to]
        self._keep("grant", grant.id, None)

    # Credentials.

    def _add_credential(self, asked: r.AddCredential, now: int) -> int:
        self._found_principal(asked.principal)
        _check_end("a credential", asked.expires_at, now)
        if len(asked.label) > 64:
            raise InvalidUsage(f"a label has at most 64 characters, not {len(asked.label)}")
        _check_room("credentials", self._credentials, MOST_CREDENTIALS)
        if asked.kind is CredentialKind.CERTIFICATE:
            self._refuse_shared_certificate(asked.digest)
        self._become(replace(self._status, last_credential=self._status.last_credential + 1))
        made = Credential(
            self._status.last_credential,
            asked.principal,
            asked.kind,
            asked.digest,
            asked.label,
            asked.expires_at,
            created_at=now,
        )
        self._credentials[made.id] = made
        self._credential_ends.add(made.expires_at, made.id)
        self._keep("credential", made.id, made)
        self._enforce(now)
        return made.id

    def _refuse_shared_certificate(self, fingerprint: str) -> None:
        for one in self._credentials.values():
            if one.kind is CredentialKind.CERTIFICATE and one.digest == fingerprint:
                raise NameTaken(f"this certificate is credential {one.id}, of {one.principal}")

    def _revoke_credential(self, asked: r.RevokeCredential, now: int) -> None:
        credential = self._credentials.get(asked.credential)
        if credential is None:
            raise NotFound(f"there is no credential {asked.credential}")
        self._guarded(now, lambda: self._credentials.pop(credential.id),
                      lambda: self._credentials.__setitem__(credential.id, credential))  # fmt: skip
        self._credentials[credential.id] = credential
        self._drop_credential(credential)
        changed = AccessChanged(frozenset(), frozenset({credential.id}))
        self._effects.append(changed)

    def _drop_credential(self, credential: Credential) -> None:
        del self._credentials[credential.id]
        self._keep("credential", credential.id, None)

    # Questions.

    def _see_principals(self, asked: r.SeePrincipals, now: int) -> list[Principal]:
        found = (
            self._principals[name] for name in sorted(self._principals) if name > asked.after_name
        )
        return list(islice(found, max(asked.most, 0)))

    def _see_grants(self, asked: r.SeeGrants, now: int) -> list[Grant]:
        ids = sorted(self._to.get(asked.to, ())) if asked.to else sorted(self._grants)
        found = (self._with_use(self._grants[id]) for id in ids if id > asked.after)
        return list(islice(found, max(asked.most, 0)))

    def _with_use(self, grant: Grant) -> Grant:
        at, who = self._used.get(grant.id, (grant.used_at, grant.used_by))
        return replace(grant, used_at=at, used_by=who)

    def _see_credentials(self, asked: r.SeeCredentials, now: int) -> list[r.CredentialInfo]:
        found = (
            r.CredentialInfo(
                one.id,
                one.principal,
                one.kind,
                one.label,
                one.expires_at,
                one.created_at,
                self._seen.get(one.id, one.used_at),
            )
            for one in sorted(self._credentials.values(), key=lambda one: one.id)
            if one.id > asked.after and asked.principal in ("", one.principal)
        )
        return list(islice(found, max(asked.most, 0)))

    # Nobody is locked out by accident.

    def _guarded(self, now: int, change: Callable[[], object], undo: Callable[[], object]) -> None:
        """Make a change, and take it back if it leaves nobody who can administer access."""
        had = self._has_administrator(now)
        change()
        if had and not self._has_administrator(now):
            undo()
            raise WrongState(
                "nobody could administer access after this: grant `administer` on the service to "
                "another principal with a credential first"
            )

    def _has_administrator(self, now: int) -> bool:
        with_credential = {
            one.principal
            for one in self._credentials.values()
            if self.credential(one.id, now) is not None
        }
        return any(
            Verb.ADMINISTER in grant.verbs and not grant.channels and grant.expires_at is None
            for name in with_credential
            for grant in self._live_grants(name, now)
        )

    # The journal.

    def _keep(self, kind: str, id: object, kept: object, *, waits: bool = True) -> None:
        self.version += waits
        state = None if kept is None else {"version": _VERSION, **msgspec.to_builtins(kept)}
        self._effects.append(Keep(self.name, f"{kind}:{id}", state, waits))

    def _become(self, status: Status) -> None:
        self._status = status
        self._keep("status", "", status)

    def _enforce(self, now: int) -> None:
        """From the first administrator on, grants decide."""
        if not self._status.enforced and self._has_administrator(now):
            self._become(replace(self._status, enforced=True))
            self._effects.append(AccessChanged(None))

    def snapshot(self) -> list[tuple[str, State]]:
        """Return the state of every object."""
        return [
            (f"{kind}:{id}", {"version": _VERSION, **msgspec.to_builtins(kept)})
            for kind, table in (
                ("principal", self._principals),
                ("grant", self._grants),
                ("credential", self._credentials),
                ("status", {"": self._status}),
            )
            for id, kept in table.items()
        ]

    def restore(self, states: Mapping[str, State]) -> Sequence[str]:
        """Take back what was kept; StoreError if a newer version has written it."""
        for key, state in states.items():
            if state.get("version") != _VERSION:
                raise StoreError(
                    f"{key} of the grants was written in form {state.get('version')!r}; "
                    f"this version of Tidings reads {_VERSION}"
                )
            kind = key.partition(":")[0]
            if kind == "principal":
                principal = _converted(state, Principal)
                self._principals[principal.name] = principal
            elif kind == "grant":
                self._index(_converted(state, Grant))
            elif kind == "credential":
                credential = _converted(state, Credential)
                self._credentials[credential.id] = credential
                self._credential_ends.add(credential.expires_at, credential.id)
            else:
                self._status = _converted(state, Status)
        self.version += 1
        return ()


def _converted(state: State, kind: type[_Kept]) -> _Kept:
    return msgspec.convert(dict(state), kind)


def _covers(grant: Grant, channel: str | None) -> bool:
    """Whether a grant is about a channel, or about the service if none is named."""
    if not grant.channels:
        return True
    return channel is not None and any(wildcard_match(one, channel) for one in grant.channels)


def _check_name(what: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidUsage(
            f"{what} has 1 to 64 letters, digits and characters of ._@-, unlike {name[:64]!r}"
        )


def _roles(names: Iterable[str]) -> tuple[str, ...]:
    roles = tuple(dict.fromkeys(names))
    for role in roles:
        _check_name("a role's name", role)
    return roles


def _check_grant(asked: r.CreateGrant, now: int) -> None:
    if not asked.verbs:
        words = ", ".join(verb.value for verb in Verb)
        raise InvalidUsage(f"a grant has one verb or more: {words}")
    if Verb.ADMINISTER in asked.verbs and asked.channels:
        raise InvalidUsage("access is administered for the whole service: leave channels out")
    if (asked.types or asked.constraint) and set(asked.verbs) != {Verb.PUBLISH}:
        raise InvalidUsage(
            "types and constraint go with the verb publish alone: what a subscriber receives "
            "cannot be narrowed by a grant yet"
        )
    for what, patterns in (("channels", asked.channels), ("types", asked.types)):
        if len(patterns) > MOST_PATTERNS:
            raise LimitExceeded(f"a grant has at most {MOST_PATTERNS} {what}, not {len(patterns)}")
    if not all(asked.channels):
        raise InvalidUsage("a pattern of channel names is not empty; * stands for all")
    _check_end("a grant", asked.expires_at, now)
    constraint(asked.constraint, asked.types)


def _check_end(what: str, expires_at: int | None, now: int) -> None:
    if is_over(expires_at, now):
        raise InvalidUsage(f"{what} that expires at {expires_at} has expired already: it is {now}")


def _check_room(what: str, table: Mapping[Any, object], most: int) -> None:
    if len(table) >= most:
        raise LimitExceeded(f"there are {most} {what} already; delete some first")
