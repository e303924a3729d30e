"""The page on live objects tells the truth: its example runs, its commands and limits are there."""

from __future__ import annotations

import json
from pathlib import Path

from tests.edges.cli.running import tidings
from tests.real.docs.consoles import commands, written_by
from tests.real.docs.pages import blocks, code, page, tables
from tests.real.docs.services import served, without_chance
from tidings.api.live_frames import read_objects
from tidings.live import board, core, model

NAME = "docs/live.md"


def test_the_example_does_what_is_shown(tmp_path: Path) -> None:
    with served(tmp_path) as environment:
        for shown in commands(NAME, "shell-session"):
            written = written_by(shown.command, tmp_path, environment)
            assert without_chance(written) == without_chance(shown.output), shown


def test_the_commands_are_those_of_the_program() -> None:
    [table] = [table for table in tables(page(NAME)) if table.headings[0] == "command"]
    listed = tidings("live", "--help").stdout.partition("Commands:")[2].split("\n")
    offered = {line.split()[0] for line in listed if line.startswith("  ") and line[2] != " "}
    assert offered == {code(command).split()[2] for _, (command, _) in table.rows}


def test_the_frames_can_be_read() -> None:
    look, told = (one.text for one in blocks(page(NAME)) if one.language == "json")
    assert json.loads(look)["op"] == "look"
    frames = [read_objects(json.loads(line)) for line in told.splitlines()]
    assert [(frame.anew, len(frame.entered), len(frame.left)) for frame in frames] == [
        (True, 1, 0), (False, 0, 0), (False, 0, 1),
    ]  # fmt: skip


def test_numbers_are_those_of_the_program() -> None:
    text = " ".join(page(NAME).replace(",", "").split())
    for said in (
        f"5 to {model.MAX_TAG} printable",
        f"Up to {core.MOST_OBJECTS} objects of {core.MOST_ATTRIBUTES} attributes",
        f"and {core.MAX_OBJECT // 1024} KiB. A request sets {core.MOST_AT_ONCE} objects and",
        f"and {core.MOST_SET} attributes at most each object once",
        f"a constraint of {core.MAX_FILTER} characters and {core.MOST_ATTRIBUTES} attributes",
        f"A frame has {board.MOST_TOLD} objects at most",
    ):
        assert said in text
