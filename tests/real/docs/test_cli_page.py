"""The page of the command line tells the truth: what it shows is what is written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.edges.cli.running import tidings
from tests.real.docs.consoles import Shown, commands, written_by
from tests.real.docs.pages import ROOT, code, page, tables
from tests.real.docs.services import served, without_chance
from tidings.cli.main import BROKEN_PIPE, ERROR, INTERRUPTED

SHOWN = commands("docs/cli.md")
WITH_SERVICE = commands("docs/cli.md", "shell-session")


@pytest.mark.parametrize(
    "shown", SHOWN, ids=lambda shown: f"line {shown.line} {shown.command[:40]}"
)
def test_every_example_writes_what_is_shown(shown: Shown) -> None:
    assert written_by(shown.command, ROOT / "docs/events") == shown.output


def test_every_example_with_a_service_writes_what_is_shown(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs/events", tmp_path / "events")
    with served(tmp_path) as environment:
        for shown in WITH_SERVICE:
            written = written_by(shown.command, tmp_path / "events", environment)
            assert without_chance(written) == without_chance(shown.output), shown


def test_there_is_an_example_of_every_filter_command() -> None:
    for word in ("check", "match", "explain"):
        assert any(f"tidings filter {word}" in shown.command for shown in SHOWN)


@pytest.mark.parametrize(
    "options",
    [
        *("filter match", "filter check", "filter explain", "channel create"),
        *("subscription create", "publish", "subscribe", "peek", "replay", "trail", "tree", "top"),
        *("dead-letter list", "dead-letter redrive", "dead-letter drop", "export", "apply"),
        *("principal limits", "principal create", "grant create", "token create", "password set"),
        *("login", "logout", "whoami", "pipeline report", "pipeline backtest", "pipeline audit"),
        *("pipeline lake", "pipeline replay", "ior show", "ior check", "idl compile", "idl diff"),
    ],
)
def test_every_option_is_described(options: str) -> None:
    text = written_by(f"tidings {options} --help", ROOT)
    offered = {word.strip(",.:;") for word in text.split() if word.startswith("--")} - {"--help"}
    told = page("docs/cli.md")
    spelt = {"--expression": "-e", "--file": "-f"}
    assert [word for word in offered if spelt.get(word, word) not in told] == []


def test_the_exit_codes_are_the_real_ones() -> None:
    (table,) = [t for t in tables(page("docs/cli.md")) if t.headings[0] == "exit code"]
    told = [row["exit code"] for _, row in table.dicts()]
    assert told == ["0", "1", str(ERROR), str(INTERRUPTED), str(BROKEN_PIPE)]


def test_every_command_is_listed() -> None:
    (table,) = [t for t in tables(page("docs/cli.md")) if t.headings[0] == "command"]
    for _, row in table.dicts():
        command = code(row["command"].partition("[")[2].partition("]")[0])
        shown = tidings(*command.split()[1:], "--help").stdout
        assert shown.startswith(f"Usage: {command} ")
