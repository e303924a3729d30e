"""An operator's first hour: principals, grants, tokens, passwords, and a lost key."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.edges.cli.running import tidings
from tests.real.e2e.served import Served, served

PASSWORD = "correct horse battery"


def done(*words: str, given: str | None = None) -> str:
    result = tidings(*words, given=given)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*words: str, given: str | None = None) -> str:
    result = tidings(*words, given=given)
    assert result.exit_code == 2, result.output
    return result.stderr


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Files of the operator, whose contexts are its own."""
    monkeypatch.setenv("TIDINGS_CONTEXTS", str(tmp_path / "contexts.json"))
    for name in ("TIDINGS_URL", "TIDINGS_TOKEN", "TIDINGS_CONTEXT"):
        monkeypatch.delenv(name, raising=False)
    return lambda name: str(tmp_path / name)


def _set_up(url: str, file: Callable[[str], str]) -> None:
    """From open to enforced."""
    done("context", "add", "prod", "--url", url)
    done("channel", "create", "roads-north")
    done("principal", "create", "root")
    done("grant", "create", "root", "administer", "manage", "inspect")
    done("token", "create", "root", "--into", file("root.token"))
    assert "`tidings login NAME`" in refused("principal", "list")
    done("context", "add", "prod", "--url", url, "--token-file", file("root.token"))
    assert "root" in done("principal", "list")
    assert "nobody could administer access after this" in refused("principal", "delete", "root")


def _publish(service: Served, file: Callable[[str], str]) -> None:
    """A program gets what it needs, and a new token without a gap."""
    done("principal", "create", "bob")
    done("grant", "create", "bob", "publish", "--channel", "roads-*", "--type", "Traffic::*")
    done("token", "create", "bob", "--into", file("first"))
    event = ("Traffic::Speed", "rate=3")
    as_bob = ("--token-file", file("first"))
    assert done("publish", "roads-north", *event, *as_bob) == "1\n"
    assert "may not publish" in refused("publish", "roads-north", "Shop::Sale", *as_bob)
    assert "no channel" in refused("publish", "roads-south", *event, *as_bob)
    done("channel", "create", "roads-south")  # the grant was there before it
    assert done("publish", "roads-south", *event, *as_bob) == "1\n"
    assert "no channel" in refused("channel", "delete", "rails", *as_bob)
    done("token", "create", "bob", "--into", file("second"))
    assert done("publish", "roads-north", *event, "--token-file", file("second")) == "2\n"
    assert done("publish", "roads-north", *event, *as_bob) == "3\n"
    done("token", "revoke", "2")
    assert "the token is wrong" in refused("publish", "roads-north", *event, *as_bob)
    assert done("publish", "roads-north", *event, "--token-file", file("second")) == "4\n"


def _log_in(url: str) -> None:
    """A person exchanges a password for a token, and gives it back."""
    done("principal", "create", "ann")
    done("grant", "create", "ann", "inspect", "manage")
    done("password", "set", "ann", "--password-stdin", given=f"{PASSWORD}\n")
    done("context", "add", "desk", "--url", url)
    as_ann = ("--context", "desk")
    wrong = refused("login", "ann", *as_ann, "--password-stdin", given=f"{PASSWORD}x\n")
    assert "the name or the password is wrong" in wrong
    [told] = done(
        "login", "ann", *as_ann, "--password-stdin", "--json", given=PASSWORD
    ).splitlines()
    kept = Path(json.loads(told)["file"])
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "a token from a login" in done("whoami", *as_ann)
    done("channel", "create", "rails", *as_ann)
    other = f"{PASSWORD} 2\n"
    assert "wrong" in refused("password", "set", *as_ann, "--password-stdin", given=f"{other}no\n")
    done("password", "set", *as_ann, "--password-stdin", given=f"{other}{PASSWORD}\n")
    assert "the token is wrong" in refused("whoami", *as_ann)  # the old password's
    done("login", "ann", *as_ann, "--password-stdin", given=other)
    token = kept.read_text().splitlines()[0]
    assert done("logout", *as_ann) == "logged out\n"
    assert not kept.exists()
    kept.write_text(token)
    assert "the token is wrong" in refused("whoami", *as_ann, "--token-file", str(kept))
    assert "`tidings login NAME`" in refused("whoami", *as_ann)


def test_an_operators_first_hour(tmp_path: Path, file: Callable[[str], str]) -> None:
    folder = tmp_path / "run"
    with served(folder) as service:
        _set_up(service.url, file)
        _publish(service, file)
        _log_in(service.url)
        done("principal", "create", "olga")
        done("principal", "disable", "olga")
        assert service.end(signal.SIGTERM) == 0
    with served(folder, "--recover-access", "olga") as service:
        lost = folder / "data" / "recovered-olga.token"
        assert lost.stat().st_mode & 0o777 == 0o600
        done("context", "add", "prod", "--url", service.url, "--token-file", str(lost))
        assert "olga" in done("principal", "list")
        changes = done("call", "see_changes", "most=1000")
        by_whom = [
            one for one in json.loads(changes)["changes"] if one["principal"] == "recover-access"
        ]
        assert [one["operation"] for one in by_whom] == [
            "change_principal", "create_grant", "create_token"
        ]  # fmt: skip
        service.wait_for_line("access recovered: olga administers access by credential ")
        assert lost.read_text().strip() not in service.log.read_text()
        assert service.end(signal.SIGTERM) == 0
    with served(folder) as service:
        done("context", "add", "prod", "--url", service.url, "--token-file", str(lost))
        done("principal", "delete", "root")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--memory", "--recover-access", "ann"), "nothing is kept in memory"),
        (("--recover-access", "../ann"), "cannot be the name of a principal"),
        (("--recover-access", "a b"), "1 to 64 letters, digits"),
        (("--recover-access", "olga"), "has a token already"),
    ],
)
def test_access_is_not_recovered_so(options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "recovered-olga.token").write_text("tdg_\n")
    service = Served(tmp_path, *options)
    assert service.process.wait(60) == 2
    assert words in service.log.read_text()
