"""What cannot be granted, and what the refusal says."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from tidings.errors import (
    BadInput,
    LimitExceeded,
    NameTaken,
    NotFound,
    StoreError,
    TidingsError,
    WrongState,
)
from tidings.grants import core
from tidings.grants import requests as r
from tidings.grants.core import Grants
from tidings.grants.model import CredentialKind, Verb

NOW = 1_000
PUBLISH = (Verb.PUBLISH,)
CERTIFICATE = r.AddCredential("ann", CredentialKind.CERTIFICATE, "ab" * 32)


def answer(grants: Grants, command: Any) -> Any:
    return grants.handle_many([command], NOW)[0][0]


@pytest.fixture
def grants() -> Grants:
    made = Grants()
    assert answer(made, r.CreatePrincipal("ann")) is None
    return made


@pytest.mark.parametrize(
    ("command", "kind", "words"),
    [
        (r.CreatePrincipal("ann"), NameTaken, "a principal ann already"),
        (r.CreatePrincipal(""), BadInput, "1 to 64 letters"),
        (r.CreatePrincipal("x" * 1_000_000), BadInput, "1 to 64 letters"),
        (r.CreatePrincipal("a\nb"), BadInput, r"'a\\nb'"),
        (r.CreatePrincipal("owner"), BadInput, "without a principal"),
        (r.CreatePrincipal("eve", ("no role",)), BadInput, "a role's name"),
        (r.ChangePrincipal("eve"), NotFound, "no principal 'eve'"),
        (r.DeletePrincipal("eve"), NotFound, "no principal 'eve'"),
        (r.CreateGrant("eve", PUBLISH), NotFound, "no principal 'eve'"),
        (r.CreateGrant("role:", PUBLISH), BadInput, "a role's name"),
        (r.CreateGrant("ann", ()), BadInput, "one verb or more: manage, publish"),
        (r.CreateGrant("ann", (Verb.ADMINISTER,), ("roads",)), BadInput, "leave channels out"),
        (
            r.CreateGrant("ann", (Verb.MANAGE,), types=("A::B",)),
            BadInput,
            "publish and subscribe only",
        ),
        (r.CreateGrant("ann", PUBLISH, ("",)), BadInput, "stands for all"),
        (r.CreateGrant("ann", PUBLISH, ("x",) * 101), LimitExceeded, "at most 100 channels"),
        (r.CreateGrant("ann", PUBLISH, types=("A::%X",)), BadInput, "not an event type"),
        (r.CreateGrant("ann", PUBLISH, constraint="$a =="), BadInput, "ends"),
        (r.CreateGrant("ann", PUBLISH, expires_at=NOW), BadInput, "has expired already"),
        (r.RevokeGrant(7), NotFound, "no grant 7"),
        (r.AddCredential("eve", CredentialKind.TOKEN, "x"), NotFound, "no principal 'eve'"),
        (
            r.AddCredential("ann", CredentialKind.TOKEN, "x", "y" * 65),
            BadInput,
            "at most 64 characters, not 65",
        ),
        (r.RevokeCredential(7), NotFound, "no credential 7"),
    ],
)
def test_refusals_say_what_would_be_right(
    grants: Grants, command: Any, kind: type[TidingsError], words: str
) -> None:
    before = grants.snapshot()
    with pytest.raises(kind, match=words):
        raise answer(grants, command)
    assert grants.snapshot() == before


def test_a_certificate_is_one_principals(grants: Grants) -> None:
    assert answer(grants, CERTIFICATE) == 1
    with pytest.raises(NameTaken, match="credential 1, of ann"):
        raise answer(grants, CERTIFICATE)
    found = grants.certificate("ab" * 32, NOW)
    assert found is not None
    assert found.principal == "ann"
    assert grants.certificate("cd" * 32, NOW) is None
    restored = Grants()
    restored.restore(dict(grants.snapshot()))
    assert restored.certificate("ab" * 32, NOW) == found


PEM = f"-----BEGIN CERTIFICATE-----\n{base64.b64encode(b'0a certificate').decode()}\n"
PEM += "-----END CERTIFICATE-----\n"


def test_a_revoked_certificate_can_be_added_again(grants: Grants) -> None:
    kept = hashlib.sha256(b"0a certificate").hexdigest()
    assert answer(grants, r.AddCertificate("ann", f"a chain:\n{PEM}", "radar")) == 1
    assert grants.certificate(kept, NOW) is not None
    assert answer(grants, r.RevokeCredential(1)) is None
    assert grants.certificate(kept, NOW) is None
    assert answer(grants, r.AddCertificate("ann", PEM, expires_at=NOW + 1)) == 2
    assert grants.certificate(kept, NOW) is not None
    assert grants.certificate(kept, NOW + 1) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no certificate as PEM: it begins with -----BEGIN CERTIFICATE-----"),
        (PEM.replace("M", "-", 1), "no certificate as PEM"),
        (PEM[:-30], "no certificate as PEM"),
        (" " * 1_000_000 + PEM, "at most 16384 characters"),
        (PEM.replace("MGE", "TUdF", 1), "no certificate as PEM"),
        (f"-----BEGIN PRIVATE KEY-----\n{PEM}", "there is a private key in this text"),
    ],
)
def test_what_is_no_certificate_is_refused(grants: Grants, text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        raise answer(grants, r.AddCertificate("ann", text))


def test_a_principal_has_one_password_and_few_login_tokens(grants: Grants) -> None:
    def add(kind: CredentialKind, **more: Any) -> int:
        return int(answer(grants, r.AddCredential("ann", kind, "x", **more)))

    first = add(CredentialKind.PASSWORD)
    logins = [add(CredentialKind.LOGIN, expires_at=NOW + 1) for _ in range(core.MOST_LOGINS + 1)]
    assert grants.credential(logins[0], NOW) is None
    assert all(grants.credential(one, NOW) for one in logins[1:])
    token, second = add(CredentialKind.TOKEN), add(CredentialKind.PASSWORD)
    shown = answer(grants, r.SeeCredentials())
    assert [one.id for one in shown] == [token, second]
    assert grants.credential(first, NOW) is None
    add(CredentialKind.LOGIN)
    answer(grants, r.RevokeCredential(second))
    assert [one.id for one in answer(grants, r.SeeCredentials())] == [token]


def test_a_login_token_does_not_stand_for_the_password_it_came_from(grants: Grants) -> None:
    answer(grants, r.CreateGrant("ann", (Verb.ADMINISTER,)))
    password = answer(grants, r.AddCredential("ann", CredentialKind.PASSWORD, "x"))
    answer(grants, r.AddCredential("ann", CredentialKind.LOGIN, "x"))
    with pytest.raises(WrongState, match="nobody could administer access"):
        raise answer(grants, r.RevokeCredential(password))


def test_there_is_a_most_of_everything(grants: Grants, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_PRINCIPALS", "MOST_GRANTS", "MOST_CREDENTIALS"):
        monkeypatch.setattr(core, name, 1)
    for command in (r.CreateGrant("ann", PUBLISH), CERTIFICATE):
        assert answer(grants, command) == 1
    for again in (
        r.CreatePrincipal("eve"),
        r.CreateGrant("ann", PUBLISH),
        r.AddCredential("ann", CredentialKind.TOKEN, "x"),
    ):
        with pytest.raises(LimitExceeded, match="there are 1 "):
            raise answer(grants, again)


def test_uses_are_written_down_once_a_minute(grants: Grants) -> None:
    answer(grants, r.CreateGrant("ann", PUBLISH))
    answer(grants, CERTIFICATE)
    assert grants.wake_at is None
    for later in range(3):
        assert grants.permission("ann", Verb.PUBLISH, "roads", NOW + later) is not None
        grants.note_login(1, NOW + later)
    assert grants.wake_at == NOW + 60_000_000
    [[shown], [login]] = grants.handle_many([r.SeeGrants(), r.SeeCredentials()], NOW + 5)[0]
    assert (shown.used_at, shown.used_by, login.used_at) == (NOW, "ann", NOW + 2)
    [ann] = answer(grants, r.SeePrincipals(principal="ann"))
    assert ann.used_at == NOW + 2
    _, kept = grants.handle_many([], NOW + 60_000_000)
    assert [one.key for one in kept] == ["grant:1", "credential:1"]
    assert not any(one.waits for one in kept)
    assert grants.wake_at is None


def test_a_newer_form_is_not_read() -> None:
    with pytest.raises(StoreError, match="form 2; this version of Tidings reads 1"):
        Grants().restore({"grant:1": {"version": 2}})
