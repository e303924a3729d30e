from __future__ import annotations

import io
import sys

import pytest
import typer

from tests.unit.cli.running import tidings
from tidings import __version__
from tidings.cli import main as cli
from tidings.cli import render

# Commands that are no groups.
ALONE = (
    *("publish", "subscribe", "tree", "top", "peek"),
    *("replay", "trail", "export", "apply"),
)

COMMANDS = [
    (),
    ("filter",),
    ("filter", "check"),
    ("filter", "match"),
    ("filter", "explain"),
    ("bench",),
    ("bench", "match"),
    ("bench", "channel"),
    ("bench", "persist"),
    ("bench", "recover"),
    ("bench", "memory"),
    ("demo",),
    ("demo", "filters"),
    ("channel",),
    ("channel", "create"),
    ("channel", "list"),
    ("channel", "show"),
    ("channel", "delete"),
    ("subscription",),
    ("subscription", "create"),
    ("subscription", "list"),
    ("subscription", "show"),
    ("subscription", "delete"),
    ("subscription", "suspend"),
    ("subscription", "resume"),
    ("dead-letter",),
    ("dead-letter", "list"),
    ("dead-letter", "show"),
    ("dead-letter", "redrive"),
    ("dead-letter", "drop"),
    *((word,) for word in ALONE),
]


def test_version() -> None:
    assert tidings("--version").stdout == f"tidings {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help(command: tuple[str, ...]) -> None:
    result = tidings(*command, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: {' '.join(['tidings', *command])} ")


@pytest.mark.parametrize(
    "command", [c for c in COMMANDS if len(c) == 2 or (c and c[0] in {"demo", *ALONE})]
)
def test_every_help_has_examples(command: tuple[str, ...]) -> None:
    shown = tidings(*command, "--help").stdout
    examples = shown.partition("Examples:\n")[2].splitlines()
    assert examples
    assert all("tidings" in line or line.startswith("      '") for line in examples if line.strip())


@pytest.mark.parametrize(
    "command",
    [(), ("filter",), ("bench",), ("channel",), ("subscription",), ("dead-letter",)],
    ids=" ".join,
)
def test_a_group_alone_shows_its_commands(command: tuple[str, ...]) -> None:
    result = tidings(*command)
    assert "Commands:" in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("filtr",), "Did you mean 'filter'?"),
        (("filter", "mtch"), "Did you mean 'match'?"),
        (("filter", "match", "--cuont", "x"), "--cuont"),
        (("filter", "explain"), "CONSTRAINT"),
        (("bench", "match", "--workload", "W9"), "W9"),
        (("demo", "--seed", "x"), "valid integer"),
        (("chanel", "list"), "Did you mean 'channel'?"),
        (("publish",), "CHANNEL"),
        (("subscribe", "a", "--count", "0"), "--count"),
        (("top", "--by", "size"), "size"),
    ],
)
def test_wrong_words_exit_2(arguments: tuple[str, ...], message: str) -> None:
    result = tidings(*arguments)
    assert message in result.stderr
    assert result.exit_code == 2


def _raising(error: BaseException) -> typer.Typer:
    app = typer.Typer(cls=cli._Root, pretty_exceptions_enable=False)

    @app.command()
    def fail() -> None:
        raise error

    @app.callback()
    def callback() -> None:
        pass

    return app


def run_and_fail(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> tuple[object, str]:
    """What `main` exits with and tells, when a command raises the error."""
    told = io.StringIO()
    monkeypatch.setattr(cli, "app", _raising(error))
    monkeypatch.setattr(sys, "argv", ["tidings", "fail"])
    monkeypatch.setattr(sys, "stderr", told)
    monkeypatch.setattr(render, "forget_output", lambda: None)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code, told.getvalue()


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
        (OSError(28, "No space left on device"), 2, "error: no space left on device\n"),
    ],
)
def test_what_ends_a_command(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, told: str
) -> None:
    assert run_and_fail(monkeypatch, error) == (code, told)


def test_a_fault_of_ours_is_told_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(cli.TRACEBACK, raising=False)
    code, told = run_and_fail(monkeypatch, KeyError("lost"))
    assert code == 2
    assert told.startswith("error: this is a fault in Tidings: KeyError: 'lost'\n")
    assert "Traceback" not in told


def test_a_fault_of_ours_shows_its_traceback_when_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(cli.TRACEBACK, "1")
    with pytest.raises(KeyError):
        run_and_fail(monkeypatch, KeyError("lost"))
