"""The page on the trader tells the truth: its example runs, its commands are there."""

from __future__ import annotations

from pathlib import Path

from tests.edges.cli.running import tidings
from tests.real.docs.consoles import commands, written_by
from tests.real.docs.pages import blocks, code, page, tables
from tests.real.docs.services import served, without_chance
from tidings.client.configuration.text import read_configuration, written
from tidings.trader import core, outside, queries, types
from tidings.trader.model import PropertyMode
from tidings.trader.text import read_service_types

NAME = "docs/trader.md"


def test_the_examples_do_what_is_shown(tmp_path: Path) -> None:
    [block] = [one for one in blocks(page(NAME)) if one.text.startswith("service ")]
    [found] = read_service_types(block.text)
    assert (found.name, found.super_types) == ("Office::Scanner", ("Office::Printer",))
    (tmp_path / "office.types").write_text(block.text)
    with served(tmp_path) as environment:
        for shown in commands(NAME, "shell-session"):
            written = written_by(shown.command, tmp_path, environment)
            assert without_chance(written) == without_chance(shown.output), shown
        for told in ("added: Office::Scanner", "added: nothing"):
            written = written_by("tidings trader load office.types", tmp_path, environment)
            assert written.rpartition("\n")[2] == told


def test_the_configuration_is_as_it_would_be_written() -> None:
    [block] = [one for one in blocks(page(NAME)) if one.language == "toml"]
    assert written(read_configuration(block.text)).partition("\n")[2] == block.text


def test_the_commands_are_those_of_the_program() -> None:
    [table] = [table for table in tables(page(NAME)) if table.headings[0] == "command"]
    listed = tidings("trader", "--help").stdout.partition("Commands:")[2].split("\n")
    offered = {line.split()[0] for line in listed if line.startswith("  ") and line[2] != " "}
    assert offered == {code(command).split()[2] for _, (command, _) in table.rows}


def test_modes_policies_and_limits_are_those_of_the_trader() -> None:
    found = {table.headings[0]: table for table in tables(page(NAME))}
    modes = [code(row[0]) for _, row in found["mode"].rows]
    assert modes == [one.name.lower() for one in PropertyMode]
    named = {word for _, row in found["policy"].rows for word in row[0].split("`")[1::2]}
    assert named == set(queries._POLICIES)
    limits = page(NAME).partition("## Limits")[2].partition("##")[0].replace(",", "")
    for number in (
        types.MOST_TYPES,
        types.MOST_PROPERTIES,
        core.MOST_OFFERS,
        core.MAX_OFFER // 1024,
        core.MOST_LINKS,
        core.MOST_IN_LIST,
        outside.MOST_EVALUATED,
        outside.MOST_FOLLOWED,
        outside.MOST_LINKED,
    ):
        assert f"{number} " in " ".join(limits.split()), number
