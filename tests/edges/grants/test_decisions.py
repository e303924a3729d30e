"""What is remembered of decisions: how much, and that a grant does no work for other channels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from tidings.errors import WrongState
from tidings.grants import core, decisions
from tidings.grants import requests as r
from tidings.grants.core import AccessChanged, AccessWidened, Grants
from tidings.grants.model import CredentialKind, Verb

NOW = 1_000_000


def grants_to(names: list[str], channels: Iterator[str]) -> Grants:
    made = Grants()
    for name in names:
        made.handle_many([r.CreatePrincipal(name)], NOW)
    wanted = [r.CreateGrant(name, (Verb.PUBLISH,), (next(channels),)) for name in names * 50]
    made.handle_many(wanted, NOW)
    return made


def test_a_second_check_looks_at_no_grant(monkeypatch: pytest.MonkeyPatch) -> None:
    made = grants_to(["ann"], (f"road-{number}" for number in count()))
    looked: list[int | None] = []

    def look(end: int | None, now: int) -> bool:
        looked.append(end)
        return False

    monkeypatch.setattr(core, "is_over", look)
    for _ in range(3):
        assert made.permission("ann", Verb.PUBLISH, "road-7", NOW) is not None
        assert made.permission("ann", Verb.SUBSCRIBE, "road-7", NOW) is None
        assert not made.knows("ann", "rails", NOW)
    assert len(looked) == 1  # of fifty grants, the one on this channel, once


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "MOST_REMEMBERED", 5)
    made = grants_to(["ann"], (f"road-{number}" for number in count()))
    for number in range(40):
        assert made.permission("ann", Verb.PUBLISH, f"road-{number}", NOW) is not None
        assert len(made._decisions) <= 5


def test_uses_of_one_grant_by_several_are_those_of_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Grants()
    commands = [
        *(r.CreatePrincipal("ann", ("staff",)), r.CreatePrincipal("bob", ("staff",))),
        r.CreateGrant("role:staff", (Verb.PUBLISH,)),
    ]
    made.handle_many(commands, NOW)
    minute = 60_000_000
    for later, who in ((0, "ann"), (1, "bob"), (minute + 1, "ann"), (2 * minute + 2, "bob")):
        assert made.permission(who, Verb.PUBLISH, "roads", NOW + later) is not None
        [[shown]] = made.handle_many([r.SeeGrants()], NOW + later)[0]
        assert (shown.used_at, shown.used_by) == (NOW + later, who)


def test_a_grant_to_a_role_concerns_those_who_have_it() -> None:
    made = Grants()
    made.handle_many([r.CreatePrincipal("ann", ("tills",)), r.CreatePrincipal("bob")], NOW)
    grant = r.CreateGrant("role:tills", (Verb.PUBLISH,), ("sales",), expires_at=NOW + 2)
    for asked, now in (
        (grant, NOW),
        (r.RevokeGrant(1), NOW),
        (grant, NOW),
        (r.SeeGrants(), NOW + 2),
    ):
        told = [
            one
            for one in made.handle_many([asked], now)[1]
            if isinstance(one, AccessChanged | AccessWidened)
        ]
        assert [(one.concerns("ann"), one.concerns("bob")) for one in told] == [(True, False)]


def test_the_administrators_are_found_however_many_credentials_there_are() -> None:
    made = Grants()
    for name in ("root", "ops", *(f"till-{number}" for number in range(30))):
        token = r.AddCredential(name, CredentialKind.TOKEN, "x")
        made.handle_many([r.CreatePrincipal(name, ("staff",) * (name == "ops")), token], NOW)
    grants = [r.CreateGrant(to, (Verb.ADMINISTER,)) for to in ("root", "role:staff")]
    made.handle_many(grants, NOW)
    assert set(made._administrators()) == {"root", "ops"}
    made.handle_many(
        [r.RevokeGrant(1), r.CreateGrant("root", (Verb.ADMINISTER,), expires_at=NOW + 9)], NOW
    )
    assert set(made._administrators()) == {"ops"}
    [refused], _ = made.handle_many([r.RevokeGrant(2)], NOW)
    assert isinstance(refused, WrongState)
    assert set(made._administrators()) == {"ops"}
