from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import typer

from tests.unit.cli.running import objects, tidings
from tests.unit.cli.served import Served
from tidings.cli import connection
from tidings.cli.connection import DEFAULT_URL, Service
from tidings.client.client import Client
from tidings.errors import Unauthenticated


def test_which_service_is_meant_by_default(served: Served) -> None:
    served.done("channel", "list")
    assert served.asked == [Service(DEFAULT_URL, None, 5.0)]


def test_which_service_is_meant_by_options(served: Served, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("secret\nmore\n")
    token = ("--token-file", str(tmp_path / "token"))
    served.done("channel", "list", "--url", "http://other:1", *token, "--patience", "1", "--json")
    assert served.asked == [Service("http://other:1", "secret", 1.0, json=True)]


def test_which_service_is_meant_by_the_environment(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(connection.URL, "http://other:2")
    monkeypatch.setenv(connection.TOKEN, "secret")
    served.done("channel", "list")
    assert served.asked == [Service("http://other:2", "secret", 5.0)]


@pytest.mark.parametrize(
    ("token", "told"), [(None, "give its file with --token-file"), ("x", "the token is wrong")]
)
def test_a_service_that_wants_a_token(
    monkeypatch: pytest.MonkeyPatch, token: str | None, told: str
) -> None:
    async def refused(*_: object, **__: object) -> None:
        raise Unauthenticated("the token is wrong")

    async def use() -> None:
        async with connection.connected(Service(token=token)):
            pass

    monkeypatch.setattr("tidings.client.connecting.connect", refused)
    with pytest.raises(Unauthenticated, match=told):
        asyncio.run(use())


@pytest.mark.parametrize("content", [None, "", "\nsecret\n"])
def test_a_token_that_cannot_be_read(served: Served, tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_text(content)
    result = served.tidings("channel", "list", "--token-file", str(file))
    assert result.exit_code == 2
    assert str(file) in result.stderr
    assert "secret" not in result.output
    assert not served.asked


def test_nobody_there() -> None:
    result = tidings("channel", "list", "--url", "http://127.0.0.1:1", "--patience", "0.5")
    assert result.exit_code == 2
    assert "`tidings serve` starts a service" in result.stderr


def test_nobody_there_as_json() -> None:
    result = tidings(
        "channel", "list", "--url", "http://127.0.0.1:1", "--patience", "0.5", "--json"
    )
    [told] = objects(result.stderr)
    assert told["error"] == "unreachable"


@pytest.mark.parametrize("json", [False, True])
def test_cuts_are_told_once_each(capsys: pytest.CaptureFixture[str], json: bool) -> None:
    cuts = connection._Cuts(Service("http://here", json=json))
    cuts.tell(True, "")  # nothing to say: it was never away
    cuts.tell(False, "gone")
    cuts.tell(False, "gone")
    cuts.tell(True, "")
    cuts.tell(False, "gone")
    cuts.tell(True, "3 missed")
    cuts.over = True
    cuts.tell(False, "the client was closed")
    told = capsys.readouterr().err.splitlines()
    if json:
        cut, back = '{"connection":"cut","why":"gone"}', '{"connection":"back","why":"%s"}'
        assert told == [cut, back % "", cut, back % "3 missed"]
    else:
        away, back = "http://here is away (gone); waiting for it", "http://here is back"
        assert told == [away, back, away, f"{back}; 3 missed"]


# ---------------------------------------------------------------- completion


def _context() -> typer.Context:
    context: typer.Context = typer.main.get_command(typer_app()).make_context("x", [])  # type: ignore[assignment]
    return context


def typer_app() -> typer.Typer:
    app = typer.Typer()
    app.command()(lambda: None)
    return app


def test_shells_complete_names_of_channels(served: Served) -> None:
    for name in ("auction", "alarms", "traffic"):
        served.done("channel", "create", name)
    assert connection._channel_names(_context(), "a") == ["alarms", "auction"]


def test_without_a_service_there_is_nothing_to_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(connection.URL, "http://127.0.0.1:1")
    assert connection._channel_names(_context(), "a") == []


def test_a_slow_service_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def never(service: Service) -> AsyncIterator[Client]:
        await asyncio.Event().wait()
        raise AssertionError
        yield

    monkeypatch.setattr(connection, "connected", never)
    monkeypatch.setattr(connection, "_COMPLETION_SECONDS", 0.01)
    assert connection._channel_names(_context(), "a") == []
