"""The page on changes of services tells the truth: its example runs, its commands are there."""

from __future__ import annotations

from pathlib import Path

from tests.edges.cli.running import tidings
from tests.real.docs.consoles import commands, written_by
from tests.real.docs.pages import blocks, code, page, tables
from tests.real.docs.services import served, without_chance
from tidings.changes import core, pending, qos
from tidings.changes.model import ChangeKind
from tidings.changes.notice_event import FILTERABLE
from tidings.changes.requests import ChangeSettings

NAME = "docs/changes.md"


def test_the_example_does_what_is_shown(tmp_path: Path) -> None:
    with served(tmp_path) as environment:
        for shown in commands(NAME, "shell-session"):
            written = written_by(shown.command, tmp_path, environment)
            if "announce" not in shown.command:
                written = without_chance(written)
            assert written == shown.output.replace("2030-01-01T08:00:00.000Z", _EFFECTIVE), shown


# What is announced is no chance, but looks like it.
_EFFECTIVE = without_chance("2030-01-01T08:00:00.000Z")


def test_a_network_brings_the_notices_of_another_trader(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("east", "west")]
    for folder in folders:
        folder.mkdir()
    with served(folders[0]) as east, served(folders[1]) as west:

        def told(environment: dict[str, str], command: str) -> str:
            return written_by(f"tidings {command}", tmp_path, environment)

        told(west, "service-changes subscribe ann --type Bank")
        told(east, "trader add Bank")
        told(east, "trader export Bank corbaloc::10.0.0.9:2809/one")
        [block] = [one for one in blocks(page(NAME)) if "network create" in one.text]
        create = block.text.strip().removeprefix("tidings ").replace("\\\n", "")
        for name, environment in (("east", east), ("west", west)):
            create = create.replace(f"http://{name}:8080", environment["TIDINGS_URL"])
        told(east, create)
        told(east, "trader export Bank corbaloc::10.0.0.9:2809/two Name=CU-Bank")
        written = told(west, "service-changes watch ann --most 1")
        assert "EV2  Bank/2 is new" in written
        assert "Name = CU-Bank" in written


def test_the_commands_are_those_of_the_program() -> None:
    [table] = [table for table in tables(page(NAME)) if table.headings[0] == "command"]
    listed = tidings("service-changes", "--help").stdout.partition("Commands:")[2].split("\n")
    offered = {line.split()[0] for line in listed if line.startswith("  ") and line[2] != " "}
    assert offered == {code(command).split()[2] for _, (command, _) in table.rows}


def test_kinds_properties_and_limits_are_those_of_the_program() -> None:
    found = {table.headings[0]: table for table in tables(page(NAME))}
    assert [code(row[0]) for _, row in found["kind"].rows] == [one.name for one in ChangeKind]
    named = {word for _, row in found["property"].rows for word in row[0].split("`")[1::2]}
    assert named == set(qos._CHECKS)
    text = " ".join(page(NAME).split()).replace(",", "")
    defaults = ChangeSettings()
    for told in (
        f"while {defaults.coalesce_after} of them (`coalesce_after`)",
        f"have the priority {defaults.default_priority} ",
        f"deeper than {core.DEEPEST} ",
        f"At most {pending.MOST_PENDING} notices",
        f"in the channel `{pending.CHANNEL}`",
        *(f"`{name}`" for name in FILTERABLE),
    ):
        assert told in text, told
