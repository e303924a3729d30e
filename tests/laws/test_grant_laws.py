"""The core of grants: what it allows follows from what was granted, and survives a restart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tidings.cores import Keep
from tidings.errors import TidingsError, WrongState
from tidings.filters.constraint import wildcard_match
from tidings.grants import requests as r
from tidings.grants.core import AccessChanged, Grants
from tidings.grants.model import CredentialKind, Principal, Verb, is_over

NAMES = ("ann", "bob", "car-7")
ROLES = ("drivers", "staff")
CHANNELS = ("roads", "rails", "roads-eu")
PATTERNS = ((), ("roads",), ("roads*",), ("r*s", "x"))
STEP = 1_000_000

_names = st.sampled_from(NAMES)
_roles = st.lists(st.sampled_from(ROLES), max_size=2).map(tuple)
_ends = st.none() | st.integers(1, 40).map(lambda step: step * STEP)
# Few names and small numbers, so that commands meet each other's objects.
commands = st.one_of(
    st.builds(r.CreatePrincipal, _names, _roles),
    st.builds(
        r.ChangePrincipal,
        _names,
        st.none() | _roles,
        disabled=st.none() | st.booleans(),
    ),
    st.builds(r.DeletePrincipal, _names),
    st.builds(
        r.CreateGrant,
        st.sampled_from((*NAMES, "role:drivers", "role:staff")),
        st.lists(st.sampled_from(Verb), min_size=1, max_size=3).map(tuple),
        st.sampled_from(PATTERNS),
        expires_at=_ends,
    ),
    st.builds(
        r.CreateGrant,
        st.sampled_from((*NAMES, "role:drivers")),
        st.sampled_from([(Verb.PUBLISH,), (Verb.SUBSCRIBE,), (Verb.PUBLISH, Verb.SUBSCRIBE)]),
        st.sampled_from(PATTERNS),
        constraint=st.sampled_from(("", "$region == 'eu'")),
    ),
    st.builds(r.RevokeGrant, st.integers(1, 6)),
    st.builds(
        r.AddCredential,
        _names,
        st.just(CredentialKind.TOKEN),
        st.just("x"),
        expires_at=_ends,
    ),
    st.builds(r.RevokeCredential, st.integers(1, 6)),
)
# An administrator first: otherwise hardly any run would have one.
BEGINNING = (
    r.CreatePrincipal("ann"),
    r.CreateGrant("ann", (Verb.ADMINISTER,)),
    r.AddCredential("ann", CredentialKind.TOKEN, "digest"),
)


class Played:
    """A core that was given commands, one each second, and what it wrote down."""

    def __init__(self, given: list[Any]) -> None:
        self.core = Grants()
        self.journal: dict[str, Any] = {}
        self.now = 0
        self.refused: list[TidingsError] = []
        self.changes: list[AccessChanged] = []
        for command in (*BEGINNING, *given):
            self.play(command)

    def play(self, command: Any) -> None:
        self.now += STEP
        self._note(self.core.handle_many((), self.now)[1])  # what expires
        (answer,), effects = self.core.handle_many([command], self.now)
        if isinstance(answer, TidingsError):
            assert type(answer) is not TidingsError, answer.__cause__
            assert not [one for one in effects if isinstance(one, Keep)]
            self.refused.append(answer)
        self._note(effects)

    def _note(self, effects: Sequence[Any]) -> None:
        for effect in effects:
            if isinstance(effect, Keep):
                self.journal.pop(effect.key, None)
                if effect.state is not None:
                    self.journal[effect.key] = effect.state
            elif isinstance(effect, AccessChanged):
                self.changes.append(effect)


def decisions(core: Grants, now: int) -> dict[Any, Any]:
    """Everything that the core can be asked."""
    return {
        (name, verb, channel): core.permission(name, verb, channel, now)
        for name in NAMES
        for verb in Verb
        for channel in (*CHANNELS, None)
    }


def seen(core: Grants) -> tuple[Any, ...]:
    questions = (r.SeePrincipals(), r.SeeGrants(), r.SeeCredentials())
    return tuple(core.handle_many(questions, 0)[0])


@given(st.lists(commands, max_size=25), st.integers(0, 30))
@example([r.CreateGrant("role:staff", (Verb.ADMINISTER,)),
          r.CreatePrincipal("bob", ("staff",)),
          r.ChangePrincipal("bob", disabled=True)], 0)  # fmt: skip
def test_what_is_allowed_is_what_was_granted(given: list[Any], later: int) -> None:
    played = Played(given)
    played.now += later * STEP
    principals, grants, _ = seen(played.core)
    known: dict[str, Principal] = {one.name: one for one in principals}
    for (name, verb, channel), permission in decisions(played.core, played.now).items():
        who = known.get(name)
        fitting = [
            grant
            for grant in grants
            if who is not None
            and not who.disabled
            and grant.to in (name, *(f"role:{role}" for role in who.roles))
            and verb in grant.verbs
            and (grant.expires_at is None or grant.expires_at > played.now)
            and (
                not grant.channels
                or (channel and any(wildcard_match(one, channel) for one in grant.channels))
            )
        ]
        assert (permission is not None) == bool(fitting)
        if permission is not None:
            free = any(not grant.constraint for grant in fitting)
            texts = [] if free else [grant.constraint for grant in fitting]
            assert [one.text for one in permission.fence] == texts


@given(st.lists(commands, max_size=25), st.booleans())
def test_a_restart_changes_nothing(given: list[Any], compacted: bool) -> None:
    played = Played(given)
    again = Grants()
    states = dict(played.core.snapshot()) if compacted else played.journal
    assert dict(played.core.snapshot()) == played.journal
    assert not again.restore(states)
    assert seen(again) == seen(played.core)
    assert decisions(again, played.now) == decisions(played.core, played.now)
    assert again.is_open == played.core.is_open
    # Numbers that were given once are not given again.
    for core in (played.core, again):
        core.handle_many([r.CreatePrincipal("eve")], 0)
    numbers = [
        core.handle_many([r.CreateGrant("eve", (Verb.USE,))], 0)[0] for core in (played.core, again)
    ]
    assert numbers[0] == numbers[1]


@settings(max_examples=300)
@given(st.lists(commands, max_size=25))
def test_somebody_can_always_administer_access(given: list[Any]) -> None:
    played = Played(given)
    principals, grants, credentials = seen(played.core)
    able = {
        grant.to for grant in grants if Verb.ADMINISTER in grant.verbs and grant.expires_at is None
    }
    live = {
        one.principal
        for one in credentials
        if one.expires_at is None or one.expires_at > played.now
    }
    assert any(
        one.name in live
        and not one.disabled
        and able & {one.name, *(f"role:{role}" for role in one.roles)}
        for one in principals
    ) or any(getattr(one, "expires_at", None) is not None for one in given)


@given(st.lists(commands, max_size=25))
def test_who_may_do_less_is_named(given: list[Any]) -> None:
    """By a command, or because something has expired."""
    played = Played([])
    for command in given:
        before = decisions(played.core, played.now)
        told = len(played.changes)
        played.play(command)
        after = decisions(played.core, played.now)
        assert after == decisions(restored(played.core), played.now)
        less = {key[0] for key in before if before[key] is not None and after[key] is None}
        named = played.changes[told:]
        assert all(
            any(one.principals is None or name in one.principals for one in named) for name in less
        )


@given(st.lists(commands, max_size=25), st.booleans())
@example([r.AddCredential("ann", CredentialKind.TOKEN, "x", expires_at=9 * STEP)], True)
@example([r.CreateGrant("ann", (Verb.PUBLISH,), expires_at=9 * STEP)], False)
def test_what_ends_is_told_at_its_time(given: list[Any], restarted: bool) -> None:
    """What is remembered ends with the grant, whether or not that has been told."""
    played = Played(given)
    core, now = restored(played.core) if restarted else played.core, played.now
    live = {one.id for one in seen(core)[2] if not is_over(one.expires_at, now)}
    for later in range(now + STEP, now + 45 * STEP, STEP):
        before = decisions(core, later - STEP)
        assert decisions(core, later) == decisions(restored(core), later)  # before it is told
        due = core.wake_at is not None and core.wake_at <= later
        effects = core.handle_many((), later)[1] if due else []
        ended = [one for one in effects if isinstance(one, AccessChanged)]
        assert decisions(core, later) == decisions(restored(core), later)
        for key, permission in decisions(core, later).items():
            if permission is None and before[key] is not None:
                assert any(one.principals is None or key[0] in one.principals for one in ended)
        for id in {id for id in live if core.credential(id, later) is None}:
            live.remove(id)
            shut_out = core.credential(id, later - STEP) is None
            assert shut_out or any(id in one.credentials for one in ended)
    assert core.wake_at is None or core.wake_at > later


def restored(core: Grants) -> Grants:
    """A core that has never been asked anything."""
    made = Grants()
    made.restore(dict(core.snapshot()))
    return made


def test_the_last_administrator_stays() -> None:
    for command in (
        r.DeletePrincipal("ann"),
        r.ChangePrincipal("ann", disabled=True),
        r.RevokeGrant(1),
        r.RevokeCredential(1),
    ):
        played = Played([command])
        assert [type(one) for one in played.refused] == [WrongState]
        assert len(played.journal) == 4
        # With a second one it may go.
        second = (
            r.CreatePrincipal("bob", ("staff",)),
            r.CreateGrant("role:staff", (Verb.ADMINISTER,)),
            r.AddCredential("bob", CredentialKind.PASSWORD, "digest"),
        )
        assert not Played([*second, command]).refused
