"""What the commands show, on terminals and elsewhere, and how they end."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command, get_group

from tests.edges.cli.running import tidings
from tidings import __version__, event
from tidings.channel.effects import Message
from tidings.cli import main as cli
from tidings.cli import showing
from tidings.cli.interrupts import ended_at_once
from tidings.terminal import render
from tidings.terminal.render import Mark, TreeNode


def test_an_event_is_a_line() -> None:
    made = event("Traffic", "Speed", "car-7", {"rate": 57.5, "road": "A 8", "z": [1, {"a": None}]})
    message = Message(made, "0" * 32, 17, 1_000_000, 0, 3)
    line = "    17  1970-01-01T00:00:01.000Z  Traffic::Speed car-7  "
    line += 'rate=57.5 road="A 8" z=[1,{"a":null}]'
    assert showing.event_line(message) == line
    assert showing.event_line(message, redelivered=True).endswith("  again")


class Terminal(io.StringIO):
    """A terminal with colours, as far as anybody asks."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def at_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Not a fixture: pytest puts its own streams back between a fixture and the test."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("NO_COLOR", raising=False)
    made = Terminal()
    monkeypatch.setattr(sys, "stdout", made)
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    found = TreeNode("$a", "$a = FALSE", mark=Mark.FALSE)
    inner = TreeNode("not", "", (found,), Mark.TRUE)
    missing = TreeNode("$b > 1", "$b is missing", mark=Mark.ERROR)
    skipped = TreeNode("$c", "not reached", mark=Mark.SKIPPED)
    tree = TreeNode("and", "", (inner, missing, skipped), Mark.ERROR)
    render.explanation("does not match", False, "", tree)
    render.error("odd")
    drawn = terminal.getvalue()
    assert "\x1b[1;31mdoes not match\x1b[0m" in drawn
    assert "\x1b[32m✓ \x1b[0m" in drawn
    assert "\x1b[1;31merror: \x1b[0modd" in drawn


def test_nothing_in_a_text_can_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "a\x1b[2J\x9b1A\r\x00b\u202e\nc"
    render.say(hostile)
    render.note(hostile)
    render.error(hostile)
    render.explanation(hostile, True, hostile, None)
    captured = capsys.readouterr()
    assert set(captured.out + captured.err) & set("\x1b\x9b\r\x00\u202e") == set()
    assert captured.out.startswith("a\\x1b[2J\\x9b1A\\r\\x00b\\u202e\nc\n")


def test_what_an_output_cannot_spell_appears_as_its_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    octets = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(octets, encoding="utf-8"))
    render.prepare()
    render.say("a\udcffb")
    sys.stdout.flush()
    assert octets.getvalue() == b"a\\udcffb\n"


def test_a_file_is_written_in_blocks_and_a_pipe_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "out"
    with file.open("w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        render.Writer().line(b"one")
        assert file.read_bytes() == b""
    assert file.read_bytes() == b"one\n"
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as stream, os.fdopen(reader, "rb") as other_end:
        monkeypatch.setattr(sys, "stdout", stream)
        render.Writer().line(b"two\n")
        assert other_end.readline() == b"two\n"
        monkeypatch.undo()


def test_what_moves_on_a_terminal_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    assert render.on_terminal()
    with render.live_table(("name", "count"), [1]) as show:
        show([("a", "one")])
        assert "one" in terminal.getvalue()
        show([("a", "two")])
    with render.live_outline() as show_outline:
        show_outline([TreeNode("first")])
        show_outline([TreeNode("second")])
    with render.steps() as tell:
        tell("count\x1b[2Jing", 0.5)
    for words in ("two", "first", "second", "count\\x1b[2Jing"):
        assert words in terminal.getvalue()
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with render.progress(10**8) as advance:
        for _ in range(100):
            advance(10**6)
    assert "reading" in terminal.getvalue()
    assert "100.0/100.0 MB" in terminal.getvalue()


# ---------------------------------------------------------------- how a command ends


def run_and_fail(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> tuple[object, str]:
    """What `main` exits with and tells, when a command raises the error."""
    tree = typer.Typer(pretty_exceptions_enable=False)

    @tree.command("tree")
    def fail() -> None:
        raise error

    told = io.StringIO()
    monkeypatch.setattr(cli, "_commands_in", lambda *_: get_group(tree).commands)
    monkeypatch.setattr(sys, "argv", ["tidings", "tree"])
    monkeypatch.setattr(sys, "stderr", told)
    monkeypatch.setattr(render, "forget_output", lambda: None)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code, told.getvalue()


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        *((KeyboardInterrupt(), 130, ""), (BrokenPipeError(), 141, "")),
        (OSError(28, "No space left on device"), 2, "error: no space left on device\n"),
    ],
)
def test_what_ends_a_command(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, told: str
) -> None:
    assert run_and_fail(monkeypatch, error) == (code, told)


def test_a_fault_of_ours_shows_its_traceback_only_when_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(cli.TRACEBACK, raising=False)
    code, told = run_and_fail(monkeypatch, KeyError("lost"))
    assert code == 2
    assert told.startswith("error: this is a fault in Tidings: KeyError: 'lost'\n")
    assert "Traceback" not in told
    monkeypatch.setenv(cli.TRACEBACK, "1")
    with pytest.raises(KeyError):
        run_and_fail(monkeypatch, KeyError("lost"))


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN])
def test_after_work_that_ctrl_c_ends_at_once_it_is_as_before(handler: Any) -> None:
    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(KeyError), ended_at_once():
            raise KeyError
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_every_command_is_in_the_module_that_is_named_for_it() -> None:
    root: Any = get_command(cli.app)
    for name, command in root.commands.items():
        assert command.name == name
    assert tidings("publsh").stderr.endswith("No such command 'publsh'. Did you mean 'publish'?\n")


def test_a_command_imports_neither_other_commands_nor_the_core() -> None:
    program = "import sys; from tidings.cli.main import app; app(standalone_mode=False)"
    imported = subprocess.run(
        [sys.executable, "-c", f"{program}; print(*sys.modules)", "publish", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    modules = imported.stdout.splitlines()[-1].split()
    assert "tidings.cli.publishing" in modules
    for needless in ("rich", "tidings.cli.filters", "tidings.cli.bench", "tidings.channel.channel"):
        assert needless not in modules


def test_version() -> None:
    assert tidings("--version").stdout == f"tidings {__version__}\n"
