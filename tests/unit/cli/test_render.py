from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from tidings.cli import render
from tidings.cli.twigs import Twig
from tidings.cli.why import Branch, Mark

TREE = Branch(
    Mark.ERROR,
    "and",
    "",
    (
        Branch(Mark.TRUE, "not", "", (Branch(Mark.FALSE, "$a", "$a = FALSE"),)),
        Branch(Mark.ERROR, "$b > 1", "$b is missing"),
        Branch(Mark.SKIPPED, "$c", "not reached"),
    ),
)


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


def test_an_explanation_reads_at_a_glance(capsys: pytest.CaptureFixture[str]) -> None:
    render.explanation("does not match: $b is missing", False, "file:1", TREE)
    assert capsys.readouterr().out.splitlines() == [
        "does not match: $b is missing",
        "  file:1",
        "",
        "! and",
        "├─ ✓ not",
        "│  └─ ✗ $a    $a = FALSE",
        "├─ ! $b > 1   $b is missing",
        "└─ · $c       not reached",
    ]


def test_colour_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    render.explanation("does not match", False, "", TREE)
    render.error("odd")
    drawn = terminal.getvalue()
    assert "\x1b[1;31mdoes not match\x1b[0m" in drawn
    assert "\x1b[32m✓ \x1b[0m" in drawn
    assert "\x1b[1;31merror: \x1b[0modd" in drawn


def test_there_is_a_form_for_outputs_without_unicode(monkeypatch: pytest.MonkeyPatch) -> None:
    octets = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(octets, encoding="ascii"))
    render.prepare()
    render.explanation("matches: 'é'", True, "", TREE)
    sys.stdout.flush()
    assert octets.getvalue().decode("ascii").splitlines() == [
        "matches: '\\xe9'",
        "",
        "! and",
        "|- T not",
        "|  `- F $a    $a = FALSE",
        "|- ! $b > 1   $b is missing",
        "`- - $c       not reached",
    ]


def test_nothing_in_a_text_is_taken_for_markup(capsys: pytest.CaptureFixture[str]) -> None:
    render.say("$tags[0] [red]x[/red] :smile:")
    render.table(("a",), [("[bold]$tags[0]",)])
    assert capsys.readouterr().out == "$tags[0] [red]x[/red] :smile:\na\n[bold]$tags[0]\n"


def test_nothing_in_a_text_can_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "a\x1b[2J\x9b1A\r\x00b\u202e\nc"
    render.say(hostile)
    render.note(hostile)
    render.error(hostile)
    render.explanation(hostile, True, hostile, None)
    captured = capsys.readouterr()
    assert set(captured.out + captured.err) & set("\x1b\x9b\r\x00\u202e") == set()
    assert captured.out.startswith("a\\x1b[2J\\x9b1A\\r\\x00b\\u202e\nc\n")


def test_long_lines_are_not_broken(capsys: pytest.CaptureFixture[str]) -> None:
    render.say("x " * 300)
    render.note("y " * 300)
    captured = capsys.readouterr()
    assert (captured.out.count("\n"), captured.err.count("\n")) == (1, 1)


def test_a_table_has_numbers_to_the_right_and_no_blanks_at_the_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    render.table(("name", "count", "note"), [("a", "7", "x"), ("longer", "1,000", "")], [1])
    assert capsys.readouterr().out.splitlines() == [
        "name    count  note",
        "a           7  x",
        "longer  1,000",
    ]


def test_json_is_one_line_on_the_stream_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    render.as_json({"a": [1, "é"]})
    render.as_json({"b": "\ud800"}, stderr=True)
    captured = capsys.readouterr()
    assert captured.out == '{"a":[1,"é"]}\n'
    assert captured.err == '{"b": "\\ud800"}\n'


def test_failures_are_text_or_data(capsys: pytest.CaptureFixture[str]) -> None:
    render.failure("odd", None)
    render.failure("odd", {"message": "odd"})
    assert capsys.readouterr().err == 'error: odd\n{"message":"odd"}\n'


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


def test_no_bar_for_short_input_or_without_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for total in (1, 10**9):
        with render.progress(total) as advance:
            advance(total)
    assert capsys.readouterr().err == ""


def test_a_bar_on_the_terminal_for_long_input(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with render.progress(10**8) as advance:
        for _ in range(100):
            advance(10**6)
    assert "reading" in terminal.getvalue()
    assert "100.0/100.0 MB" in terminal.getvalue()


def test_no_bar_where_the_results_are_written_to_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = at_terminal(monkeypatch)
    with render.progress(10**9) as advance:
        advance(10**9)
    assert terminal.getvalue() == ""


def test_a_live_table_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    with render.live_table(("name", "count"), [1]) as show:
        show([("a", "1")])
        show([("a", "2")])
    assert render.on_terminal()
    assert "1" in terminal.getvalue()
    assert "2" in terminal.getvalue()


OUTLINE = [Twig("a", "one", (Twig("b", "", (Twig("c"),)), Twig("d"))), Twig("e")]


def test_an_outline_is_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    render.outline(OUTLINE)
    assert capsys.readouterr().out == "a   one\n├─ b\n│  └─ c\n└─ d\ne\n"


def test_a_live_outline_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    with render.live_outline() as show:
        show([Twig("first")])
        show([Twig("second")])
    assert "first" in terminal.getvalue()
    assert "second" in terminal.getvalue()


def test_nothing_in_a_table_or_outline_can_move_the_cursor(
    capsys: pytest.CaptureFixture[str],
) -> None:
    render.table(("\x1b[2J",), [("\x1b[2J",)])
    render.outline([Twig("\x1b[2J", "\x1b[2J")])
    assert "\x1b" not in capsys.readouterr().out


def test_steps_are_lines_where_nobody_watches(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter([0.0, 0.5, 1.0, 3.0, 9.0])
    monkeypatch.setattr("tidings.cli.render.time.monotonic", lambda: next(moments))
    with render.steps() as tell:
        tell("starting", 0.0)
        tell("starting", 0.0)
        tell("too soon", 0.1)
        tell("counting", 0.5)
        tell("counting", 0.9)
    assert capsys.readouterr().err.splitlines() == ["  0%  starting", " 50%  counting"]


def test_steps_are_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    with render.steps() as tell:
        tell("count\x1b[2Jing", 0.5)
    assert "count\\x1b[2Jing" in terminal.getvalue()


def test_steps_can_be_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with render.steps(silent=True) as tell:
        tell("counting", 0.5)
    assert capsys.readouterr().err == ""
