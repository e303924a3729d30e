"""The core of grants: who there is, and what each may do. It decides; the engine asks and enforces.

Digests of secrets come in ready-made: hashing takes long and drawing a secret takes luck, and a
core has neither.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from tidings.cores import Handled, Keep, State, answer_each
from tidings.errors import InvalidUsage, LimitExceeded, NameTaken, NotFound, StoreError, WrongState
from tidings.filters.constraint import Constraint, constraint
from tidings.grants import requests as r
from tidings.grants.decisions import (
    Anywhere,
    Decision,
    Decisions,
    GrantIndex,
    Permission,
    Where,
    decide,
)
from tidings.grants.model import (
    ANONYMOUS,
    NO_LIMITS,
    ROLE,
    Credential,
    CredentialKind,
    Grant,
    Limits,
    Principal,
    Status,
    Verb,
    is_over,
)
from tidings.grants.secrets import fingerprint_of

MOST_PRINCIPALS: Final = 10_000
MOST_GRANTS: Final = 100_000
MOST_CREDENTIALS: Final = 50_000
"""Together about 100 MB; more is a mistake of a script."""
MOST_PATTERNS: Final = 100
"""Channels or event types of one grant: each is tried in turn."""
MOST_FENCES: Final = 100
"""Grants with types or a constraint to one principal or role; an event is tried with each."""

_USE_STEP: Final = 60_000_000
"""Uses are written down at most once in so many microseconds."""
_VERSION: Final = 1
_FENCED: Final = frozenset({Verb.PUBLISH, Verb.SUBSCRIBE})
MOST_LOGINS: Final = 20
"""Login tokens of one principal; beyond it the oldest one ends."""
RECOVERY: Final = "recover-access"
"""Who gives access back to an administrator who lost it, on the machine itself."""
_NAME: Final = re.compile(r"[\w.@-]{1,64}")
_RESERVED: Final = frozenset({"owner", ANONYMOUS, RECOVERY})
_OF_PASSWORDS: Final = frozenset({CredentialKind.PASSWORD, CredentialKind.LOGIN})
_NO_ADMINISTRATOR: Final = frozenset({CredentialKind.LOGIN, CredentialKind.REFERENCE})
"""A login token ends soon; what it came from counts. The agent creates references alone."""
_ANYBODY: Final = Principal(ANONYMOUS)
_FOR_ANYBODY: Final = frozenset({Verb.PUBLISH, Verb.SUBSCRIBE, Verb.INSPECT})
"""What may be granted to anonymous callers: they are many, and would end each other's proxies."""

_Kept = TypeVar("_Kept", Principal, Grant, Credential, Status)


class AccessChanged(NamedTuple):
    """An effect: these principals may do less than before; None for everybody."""

    principals: frozenset[str] | None
    credentials: frozenset[int] = frozenset()

    def concerns(self, principal: str, credential: int | None = None) -> bool:
        """Return whether a principal, or what it opened with a credential, is concerned."""
        everybody = self.principals is None or principal in self.principals
        return everybody or credential in self.credentials


class AccessWidened(NamedTuple):
    """An effect: these principals may do more than before."""

    principals: frozenset[str]

    def concerns(self, principal: str) -> bool:
        """Return whether a principal is concerned."""
        return principal in self.principals


class Grants:
    """Principals, grants and credentials."""

    name: Final = "grants"

    def __init__(self) -> None:
        self._principals: dict[str, Principal] = {}
        self._grants: dict[int, Grant] = {}
        self._credentials: dict[int, Credential] = {}
        self._owned: dict[str, set[int]] = {}  # credentials by principal
        self._administering: set[int] = set()  # grants without an end
        self._passwords: dict[str, int] = {}
        self._certificates: dict[str, int] = {}  # credentials by fingerprint
        self._fences: dict[int, Constraint | None] = {}
        self._index = GrantIndex()
        self._decisions = Decisions(self._find_out)
        self._ends: list[tuple[int, str, int]] = []  # of grants and credentials, rising
        self._status = Status()
        self._effects: list[Any] = []
        self._used: dict[int, tuple[int, str]] = {}
        self._seen: dict[int, int] = {}
        self._keep_uses_at: int | None = None
        self.version = 0
        """Rises with every change, so that decisions can be kept until the next."""
        self._handlers: dict[type, Callable[[Any, int], object]] = {
            r.CreatePrincipal: self._create_principal,
            r.ChangePrincipal: self._change_principal,
            r.DeletePrincipal: self._delete_principal,
            r.CreateGrant: self._create_grant,
            r.RevokeGrant: self._revoke_grant,
            r.AddCertificate: self._add_certificate,
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
        """When uses are written down, or the next grant or credential ends."""
        uses_at, end = self._keep_uses_at, self._ends[0][0] if self._ends else None
        return end if uses_at is None else uses_at if end is None else min(uses_at, end)

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        """Carry out commands; first what the time brings."""
        if self._keep_uses_at is not None and now >= self._keep_uses_at:
            self._keep_uses()
        if self._ends and now >= self._ends[0][0]:
            self._expire(now)
        answers = answer_each(self._handlers, commands, now)
        effects, self._effects = self._effects, []
        return answers, effects

    # Decisions.

    @property
    def is_open(self) -> bool:
        """Whether access is as the settings say: nobody was ever able to administer grants."""
        return not self._status.enforced

    def principal(self, name: str) -> Principal | None:
        """Return a principal that is not shut out; the anonymous one if it has a grant."""
        if name == ANONYMOUS:
            return _ANYBODY if self._index.to(name) else None
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
        found = self._certificates.get(fingerprint)
        return None if found is None else self.credential(found, now)

    def password(self, principal: str, now: int) -> Credential | None:
        """Return the password of a principal; it has one at most."""
        id = self._passwords.get(principal)
        return None if id is None else self.credential(id, now)

    def granted(self, principal: str, now: int) -> list[Grant]:
        """Return what is granted now to a principal and to its roles."""
        return [
            self._with_use(grant) for grant in self._live_grants(principal, Anywhere.ANYWHERE, now)
        ]

    def permission(
        self, principal: str, verb: Verb, channel: str | None, now: int
    ) -> Permission | None:
        """Return what a principal may do on a channel, or on the service; None for nothing."""
        decision = self._decisions.of(principal, channel, now)
        found = decision.permissions.get(verb)
        if found is not None:
            self._note_use(decision, verb, principal, now)
        return found

    def knows(self, principal: str, channel: str, now: int) -> bool:
        """Return whether a principal may do anything on a channel."""
        decision = self._decisions.of(principal, channel, now)
        for verb in decision.permissions:
            self._note_use(decision, verb, principal, now)
            return True
        return False

    def holds(self, principal: str, verb: Verb, now: int) -> bool:
        """Return whether a principal may do something on any channel at all."""
        return verb in self._decisions.of(principal, Anywhere.ANYWHERE, now).permissions

    def sees(self, principal: str, channel: str, now: int) -> Permission | None:
        """Return which events of a channel a principal may see; this is no use of a grant."""
        return self._decisions.of(principal, channel, now).permissions.get(Verb.SUBSCRIBE)

    def settled_until(self, principal: str, channel: str, now: int) -> int | None:
        """Return when what a principal may do on a channel changes by itself; None for never."""
        return self._decisions.of(principal, channel, now).until

    def note_login(self, credential: int, now: int) -> None:
        """Remember that a credential was used."""
        self._seen[credential] = now
        self._wake(now)

    def _find_out(self, principal: str, where: Where, now: int) -> Decision:
        return decide(self._live_grants(principal, where, now), self._fences)

    def _live_grants(self, principal: str, where: Where, now: int) -> Iterator[Grant]:
        found = self.principal(principal)
        if found is None:
            return
        for to in (principal, *(ROLE + role for role in found.roles)):
            for id in self._index.on(to, where):
                grant = self._grants[id]
                if not is_over(grant.expires_at, now):
                    yield grant

    def _note_use(self, decision: Decision, verb: Verb, principal: str, now: int) -> None:
        """Note when grants were used, to the minute: a check costs no more for it."""
        noted = decision.noted.get(verb)
        if noted is not None and now < noted + _USE_STEP:
            return
        decision.noted[verb] = now
        for id in decision.allowed_by[verb]:
            self._used[id] = (now, principal)
        self._wake(now)

    def _wake(self, now: int) -> None:
        if self._keep_uses_at is None:
            self._keep_uses_at = now + _USE_STEP

    def _keep_uses(self) -> None:
        self._keep_uses_at = None
        for id, (at, who) in self._used.items():
            if (grant := self._grants.get(id)) is not None:
                self._grants[id] = replace(grant, used_at=at, used_by=who)
                self._keep("grant", id, self._grants[id], waits=False)
        for id, at in self._seen.items():
            if (credential := self._credentials.get(id)) is not None:
                self._credentials[id] = replace(credential, used_at=at)
                self._keep("credential", id, self._credentials[id], waits=False)
        self._used, self._seen = {}, {}

    # The end of grants and credentials.

    def _begin(self, kind: str, one: Grant | Credential) -> None:
        if one.expires_at is not None:
            insort(self._ends, (one.expires_at, kind, one.id))

    def _end(self, kind: str, one: Grant | Credential) -> None:
        if one.expires_at is not None:
            end = (one.expires_at, kind, one.id)
            at = bisect_left(self._ends, end)
            if at < len(self._ends) and self._ends[at] == end:  # else it has come already
                del self._ends[at]

    def _expire(self, now: int) -> None:
        """Say who may do less: grants or credentials have ended."""
        over = bisect_left(self._ends, (now + 1, "", 0))
        grants, credentials = (
            [id for _, one, id in self._ends[:over] if one == kind]
            for kind in ("grant", "credential")
        )
        del self._ends[:over]
        self._changed()
        less = AccessChanged(self._whom(grants), frozenset(credentials))
        self._effects.append(less)

    def _whom(self, grants: Iterable[int]) -> frozenset[str]:
        """Return the principals that grants are to, by name or by a role."""
        to = {self._grants[id].to for id in grants}
        return frozenset(name for one in to for name in self._named(one))

    def _named(self, to: str) -> Iterable[str]:
        """Return a principal's name, or the names of those with a role."""
        if not to.startswith(ROLE):
            return (to,)
        role = to.removeprefix(ROLE)
        return (one.name for one in self._principals.values() if role in one.roles)

    def _changed(self) -> None:
        self.version += 1
        self._decisions.forget()

    # Principals.

    def _create_principal(self, asked: r.CreatePrincipal, now: int) -> None:
        _check_name("a principal's name", asked.name)
        if asked.name in _RESERVED:
            raise InvalidUsage(f"the name {asked.name} stands for callers without a principal")
        if asked.name in self._principals:
            raise NameTaken(f"there is a principal {asked.name} already")
        _check_room("principals", self._principals, MOST_PRINCIPALS)
        _check_limits(asked.limits)
        made = Principal(asked.name, _roles(asked.roles), asked.limits or NO_LIMITS, created_at=now)
        self._put_principal(made)

    def _change_principal(self, asked: r.ChangePrincipal, now: int) -> None:
        before = self._found_principal(asked.name)
        _check_limits(asked.limits)
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
        credentials = self._credentials_of(asked.name)
        for credential in credentials:
            self._drop_credential(credential)
        for id in self._index.to(asked.name):
            self._drop_grant(self._grants[id])
        ended = frozenset(one.id for one in credentials)
        self._effects.append(AccessChanged(frozenset({asked.name}), ended))

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
        elif asked.to == ANONYMOUS:
            _check_for_anybody(asked.verbs)
        else:
            self._found_principal(asked.to)
        _check_grant(asked, now)
        _check_room("grants", self._grants, MOST_GRANTS)
        self._check_fences(asked)
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
        self._take(made)
        self._keep("grant", made.id, made)
        self._effects.append(AccessWidened(self._whom([made.id])))
        self._enforce(now)
        return made.id

    def _check_fences(self, asked: r.CreateGrant) -> None:
        """Refuse too many constraints on one subscriber: each of its proxies has them all."""
        if not asked.types and not asked.constraint:
            return
        fenced = sum(self._fences[id] is not None for id in self._index.to(asked.to))
        if fenced >= MOST_FENCES:
            raise LimitExceeded(
                f"{MOST_FENCES} grants to {asked.to} have types or a constraint already: revoke "
                "some, or join their constraints by `or`"
            )

    def _revoke_grant(self, asked: r.RevokeGrant, now: int) -> None:
        grant = self._grants.get(asked.grant)
        if grant is None:
            raise NotFound(f"there is no grant {asked.grant}")
        whom = self._whom([grant.id])
        self._guarded(now, lambda: self._administering.discard(grant.id),
                      lambda: self._administering.add(grant.id))  # fmt: skip
        self._drop_grant(grant)
        self._effects.append(AccessChanged(whom))

    def _take(self, grant: Grant) -> None:
        fenced = bool(grant.constraint or grant.types)
        self._fences[grant.id] = constraint(grant.constraint, grant.types) if fenced else None
        self._grants[grant.id] = grant
        self._index.add(grant)
        if Verb.ADMINISTER in grant.verbs and grant.expires_at is None:
            self._administering.add(grant.id)
        self._begin("grant", grant)

    def _drop_grant(self, grant: Grant) -> None:
        del self._grants[grant.id], self._fences[grant.id]
        self._index.remove(grant)
        self._administering.discard(grant.id)
        self._end("grant", grant)
        self._keep("grant", grant.id, None)

    # Credentials.

    def _add_credential(self, asked: r.AddCredential, now: int) -> int:
        self._found_principal(asked.principal)
        _check_end("a credential", asked.expires_at, now)
        if len(asked.label) > 64:
            raise InvalidUsage(f"a label has at most 64 characters, not {len(asked.label)}")
        if asked.kind is CredentialKind.CERTIFICATE:
            self._refuse_shared_certificate(asked.digest)
        self._make_way(asked, now)
        _check_room("credentials", self._credentials, MOST_CREDENTIALS)
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
        self._put_credential(made)
        self._keep("credential", made.id, made)
        self._enforce(now)
        return made.id

    def _make_way(self, asked: r.AddCredential, now: int) -> None:
        """End the password that a new one takes the place of, or login tokens that are too many."""
        if asked.kind not in _OF_PASSWORDS:
            return
        found = self._of_password(asked.principal)
        if asked.kind is CredentialKind.LOGIN:
            logins = [one for one in found if one.kind is CredentialKind.LOGIN]
            live = [one for one in logins if not is_over(one.expires_at, now)]
            found = [one for one in logins if one not in live[1 - MOST_LOGINS :]]
        self._end_credentials(found)

    def _of_password(self, principal: str) -> list[Credential]:
        """Return a principal's password, and the tokens it was exchanged for."""
        found = self._credentials_of(principal)
        return [one for one in found if one.kind in _OF_PASSWORDS]

    def _credentials_of(self, principal: str) -> list[Credential]:
        """Return a principal's credentials, the oldest first."""
        ids = sorted(self._owned.get(principal, ()))
        return [self._credentials[id] for id in ids if id in self._credentials]

    def _end_credentials(self, ended: list[Credential]) -> None:
        for one in ended:
            self._drop_credential(one)
        if ended:
            self._effects.append(AccessChanged(frozenset(), frozenset(one.id for one in ended)))

    def _put_credential(self, credential: Credential) -> None:
        self._credentials[credential.id] = credential
        self._owned.setdefault(credential.principal, set()).add(credential.id)
        self._begin("credential", credential)
        if credential.kind is CredentialKind.PASSWORD:
            self._passwords[credential.principal] = credential.id
        elif credential.kind is CredentialKind.CERTIFICATE:
            self._certificates[credential.digest] = credential.id

    def _add_certificate(self, asked: r.AddCertificate, now: int) -> int:
        kept = fingerprint_of(asked.certificate)
        kind = CredentialKind.CERTIFICATE
        add = r.AddCredential(asked.principal, kind, kept, asked.label, asked.expires_at)
        return self._add_credential(add, now)

    def _refuse_shared_certificate(self, fingerprint: str) -> None:
        found = self._certificates.get(fingerprint)
        if found is not None:
            owner = self._credentials[found].principal
            raise NameTaken(f"this certificate is credential {found}, of {owner}")

    def _revoke_credential(self, asked: r.RevokeCredential, now: int) -> None:
        credential = self._credentials.get(asked.credential)
        if credential is None:
            raise NotFound(f"there is no credential {asked.credential}")
        self._guarded(now, lambda: self._credentials.pop(credential.id),
                      lambda: self._credentials.__setitem__(credential.id, credential))  # fmt: skip
        self._credentials[credential.id] = credential
        is_password = credential.kind is CredentialKind.PASSWORD
        self._end_credentials(
            self._of_password(credential.principal) if is_password else [credential]
        )

    def _drop_credential(self, credential: Credential) -> None:
        del self._credentials[credential.id]
        owned = self._owned[credential.principal]
        owned.discard(credential.id)
        if not owned:
            del self._owned[credential.principal]
        self._end("credential", credential)
        if credential.kind is CredentialKind.PASSWORD:
            self._passwords.pop(credential.principal, None)
        elif credential.kind is CredentialKind.CERTIFICATE:
            del self._certificates[credential.digest]
        self._keep("credential", credential.id, None)

    # Questions.

    def _see_principals(self, asked: r.SeePrincipals, now: int) -> list[Principal]:
        found = (
            self._principals[name]
            for name in sorted(self._principals)
            if name > asked.after_name and asked.principal in ("", name)
        )
        return [self._with_last_use(one) for one in islice(found, max(asked.most, 0))]

    def _with_last_use(self, principal: Principal) -> Principal:
        used = [self._seen.get(one.id, one.used_at) for one in self._credentials_of(principal.name)]
        last = max((at for at in used if at is not None), default=None)
        return replace(principal, used_at=last)

    def _see_grants(self, asked: r.SeeGrants, now: int) -> list[Grant]:
        ids = self._index.to(asked.to) if asked.to else sorted(self._grants)
        found = (self._with_use(self._grants[id]) for id in ids if id > asked.after)
        return list(islice(found, max(asked.most, 0)))

    def _with_use(self, grant: Grant) -> Grant:
        at, who = self._used.get(grant.id, (grant.used_at, grant.used_by))
        return replace(grant, used_at=at, used_by=who)

    def _see_credentials(self, asked: r.SeeCredentials, now: int) -> list[r.CredentialInfo]:
        found = (
            self._credentials_of(asked.principal)
            if asked.principal
            else (self._credentials[id] for id in sorted(self._credentials))
        )
        shown = (
            r.CredentialInfo(
                one.id,
                one.principal,
                one.kind,
                one.label,
                one.expires_at,
                one.created_at,
                self._seen.get(one.id, one.used_at),
                one.digest if one.kind is CredentialKind.REFERENCE else "",
            )
            for one in found
            if one.id > asked.after
        )
        return list(islice(shown, max(asked.most, 0)))

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
        return any(
            True
            for name in self._administrators()
            for one in self._credentials_of(name)
            if one.kind not in _NO_ADMINISTRATOR and self.credential(one.id, now) is not None
        )

    def _administrators(self) -> Iterator[str]:
        """Yield those who may administer access, few of all who there are."""
        for id in self._administering:
            yield from self._named(self._grants[id].to)

    # The journal.

    def _keep(self, kind: str, id: object, kept: object, *, waits: bool = True) -> None:
        if waits:
            self._changed()
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
                self._take(_converted(state, Grant))
            elif kind == "credential":
                self._put_credential(_converted(state, Credential))
            else:
                self._status = _converted(state, Status)
        self._changed()
        return ()


def _converted(state: State, kind: type[_Kept]) -> _Kept:
    return msgspec.convert(dict(state), kind)


def _check_for_anybody(verbs: Iterable[Verb]) -> None:
    refused = [verb.value for verb in verbs if verb not in _FOR_ANYBODY]
    if refused:
        raise InvalidUsage(
            f"{ANONYMOUS} can be granted publish, subscribe and inspect, not {', '.join(refused)}"
        )


def _check_name(what: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InvalidUsage(
            f"{what} has 1 to 64 letters, digits and characters of ._@-, unlike {name[:64]!r}"
        )


def _check_limits(limits: Limits | None) -> None:
    for one in fields(Limits) if limits is not None else ():
        value = getattr(limits, one.name)
        if value is not None and value < 0:
            raise InvalidUsage(f"the limit {one.name} is 0 or more, or left out, not {value}")


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
    if (asked.types or asked.constraint) and not _FENCED.issuperset(asked.verbs):
        raise InvalidUsage(
            "types and constraint go with publish and subscribe only: other verbs are about "
            "objects, not events; grant them separately"
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
