"""Principals, grants, tokens and passwords on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.edges.cli.running import objects, tidings
from tests.edges.cli.served import Served
from tidings.cli import logins


@pytest.fixture
def radar(served: Served) -> Served:
    """A service with a principal that may publish."""
    served.done("principal", "create", "radar-7", "--role", "masts")
    served.done("grant", "create", "radar-7", "publish", "--channel", "roads-*", "--type",
                "Traffic::*", "--constraint", "$rate > 0", "--expires", "7d")  # fmt: skip
    return served


def test_principals_are_made_shown_shut_out_and_deleted(radar: Served) -> None:
    assert radar.done("principal", "list").split()[:4] == ["principal", "roles", "state", "created"]
    assert "radar-7" in radar.done("principal", "list")
    assert radar.done("principal", "disable", "radar-7") == "principal radar-7 disabled\n"
    [shown] = objects(radar.done("principal", "show", "radar-7", "--json"))
    assert shown["disabled"] is True
    assert [one["id"] for one in shown["grants"]] == [1]
    radar.done("principal", "enable", "radar-7")
    assert "enabled" in radar.done("principal", "show", "radar-7")
    radar.done("principal", "delete", "radar-7")
    none = "there is no principal 'radar-7'; `tidings principal list` names all"
    assert none in radar.refused("principal", "show", "radar-7")


def test_limits_are_set_one_by_one(radar: Served) -> None:
    radar.done("principal", "limits", "radar-7", "--connections", "3", "--event-octets", "1000")
    shown = radar.done("principal", "limits", "radar-7", "--connections", "none", "--json")
    limits = json.loads(shown)
    assert (limits["connections"], limits["event_octets"]) == (None, 1_000)
    assert "event octets" in radar.done("principal", "show", "radar-7")
    wrong = radar.refused("principal", "limits", "radar-7", "--connections", "-1")
    assert "--connections is a number or none" in wrong


def test_grants_are_listed_and_revoked(radar: Served) -> None:
    listed = radar.done("grant", "list", "radar-7")
    for word in ("publish", "roads-*", "Traffic::*", "$rate > 0"):
        assert word in listed
    assert radar.done("grant", "list", "role:masts") == ""
    [shown] = objects(radar.done("grant", "list", "--json"))
    assert shown["expires_at"] > shown["created_at"]
    radar.done("grant", "revoke", "1")
    assert "there is no grant 1" in radar.refused("grant", "revoke", "1")
    assert "no principal 'eve'" in radar.refused("grant", "create", "eve", "publish")
    wrong = radar.refused("grant", "create", "radar-7", "publish", "--expires", "soon")
    assert "write it as 2026-11-15T08:30:00Z" in wrong
    assert "letters, digits" in radar.refused("principal", "create", "a\x07b")


def test_a_token_is_shown_once_or_written_for_its_owner_alone(
    radar: Served, tmp_path: Path
) -> None:
    file = tmp_path / "radar.token"
    text = radar.done("token", "create", "radar-7", "--label", "mast 3", "--into", str(file))
    secret = file.read_text()
    assert secret.startswith("tdg_1_")
    assert secret.strip() not in text
    assert file.stat().st_mode & 0o777 == 0o600
    assert "a new file" in radar.refused("token", "create", "radar-7", "--into", str(file))
    shown = radar.done("token", "create", "radar-7")
    assert shown.startswith("tdg_2_")
    assert shown.count("\n") == 1
    listed = radar.done("token", "list", "radar-7")
    assert "mast 3" in listed
    assert "tdg_" not in listed
    radar.done("token", "revoke", "1", "2")
    assert radar.done("token", "list") == ""


def test_a_token_that_cannot_be_written_is_revoked(radar: Served, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    where = tmp_path / "file" / "radar.token"
    assert "cannot be written" in radar.refused("token", "create", "radar-7", "--into", str(where))
    assert radar.done("token", "list") == ""


def test_passwords_come_from_standard_input_and_are_not_shown(radar: Served) -> None:
    secret = "correct horse battery"
    told = radar.done("password", "set", "radar-7", "--password-stdin", given=f"{secret}\n")
    assert told == "the password of radar-7 is set\n"
    assert "password" in radar.done("token", "list")
    short = radar.refused("password", "set", "radar-7", "--password-stdin", given="too short\n")
    assert "12 to 256" in short
    assert "too short" not in short
    long = radar.refused("password", "set", "radar-7", "--password-stdin", given="x" * 1_000_000)
    assert "12 to 256" in long
    assert len(long) < 200
    assert "--password-stdin" in radar.refused("password", "set", "radar-7")
    assert "name a principal" in radar.refused("password", "set", "--password-stdin", given="x")


def test_a_password_is_asked_for_twice(radar: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    given = iter(["correct horse battery", "correct horse butter", *["correct horse battery"] * 2])
    monkeypatch.setattr(logins, "_asked", lambda _: next(given))
    assert "two different passwords" in radar.refused("password", "set", "radar-7")
    radar.done("password", "set", "radar-7")


@pytest.mark.parametrize("words", ["principal list", "login ann", "whoami", "password set"])
@pytest.mark.parametrize("option", ["--token", "--password"])
def test_no_secret_can_be_an_argument(words: str, option: str) -> None:
    result = tidings(*words.split(), option, "tdg_1_secret")
    assert result.exit_code == 2
    assert f"No such option: {option}" in result.stderr
    assert "tdg_1_secret" not in result.stderr


def test_no_secret_can_be_in_a_url() -> None:
    url = "http://ann:secret-word@127.0.0.1:1"
    for command in (["context", "add", "prod", "--url", url], ["whoami", "--url", url]):
        result = tidings(*command)
        assert result.exit_code == 2
        assert "user or password" in result.stderr
        assert "secret-word" not in result.stderr


def test_logging_in_needs_a_place_for_the_token(tmp_path: Path) -> None:
    result = tidings("login", "ann", "--password-stdin", given="x\n")
    assert "no context to keep the token in" in result.stderr
    own = tmp_path / "own.token"
    own.write_text("tdg_1_" + "x" * 32 + "\n")
    tidings("context", "add", "prod", "--url", "http://127.0.0.1:1", "--token-file", str(own))
    for command in (["login", "ann", "--password-stdin"], ["logout"]):
        result = tidings(*command, given="x\n")
        assert result.exit_code == 2
        assert "does not come from a login" in result.stderr
    assert own.read_text().startswith("tdg_1_")
    tidings("context", "add", "other", "--url", "http://127.0.0.1:1")
    assert "nobody is logged in" in tidings("logout", "--context", "other").stderr


def test_whoami_tells_what_one_may_do(radar: Served) -> None:
    assert "everything" in radar.done("whoami")
    assert json.loads(radar.done("whoami", "--json"))["principal"] == "owner"
