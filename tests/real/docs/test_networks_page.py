"""The page on networks tells the truth: its example runs, its commands are there."""

from __future__ import annotations

from pathlib import Path

from tests.edges.cli.running import tidings
from tests.real.docs.consoles import commands, written_by
from tests.real.docs.pages import code, page, tables
from tests.real.docs.services import served, without_chance

NAME = "docs/networks.md"


def test_the_example_writes_what_is_shown(tmp_path: Path) -> None:
    with served(tmp_path) as environment:
        for shown in commands(NAME, "shell-session"):
            written = written_by(shown.command, tmp_path, environment)
            assert without_chance(written) == without_chance(shown.output), shown


def test_the_commands_are_those_of_the_program() -> None:
    [table] = [table for table in tables(page(NAME)) if table.headings[0] == "command"]
    for _, (command, _) in table.rows:
        shown = tidings(*code(command).split()[1:], "--help").stdout
        assert shown.startswith(f"Usage: {code(command)} ")
    listed = tidings("network", "--help").stdout.partition("Commands:")[2].split("\n")
    offered = {line.split()[0] for line in listed if line.startswith("  ") and line[2] != " "}
    assert offered == {code(command).split()[2] for _, (command, _) in table.rows}
