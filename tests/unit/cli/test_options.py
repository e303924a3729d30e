from __future__ import annotations

import sys

import pytest

from tidings.cli.options import clock, examples, tell_if_waiting
from tidings.clock import SystemClock
from tidings.errors import InvalidUsage


def test_a_fixed_clock_stands_still() -> None:
    told = clock("1970-01-01T00:00:01Z")
    assert told() == told() == 1_000_000


def test_without_a_time_the_clock_runs() -> None:
    before = SystemClock().now()
    assert before <= clock(None)() <= SystemClock().now()


def test_a_wrong_time_is_told_at_once() -> None:
    with pytest.raises(InvalidUsage):
        clock("later")


def test_examples_keep_their_lines() -> None:
    assert examples("a", "b") == "\b\nExamples:\n  a\n  b"


class _Terminal:
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("sources", "told"),
    [(["-"], "reading events from the terminal, Ctrl-D ends\n"), (["file"], ""), ([], "")],
)
def test_whoever_forgot_a_file_is_told(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    sources: list[str],
    told: str,
) -> None:
    monkeypatch.setattr(sys, "stdin", _Terminal())
    tell_if_waiting(sources, "events")
    assert capsys.readouterr().err == told
