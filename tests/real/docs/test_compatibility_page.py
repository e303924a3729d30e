"""The page on compatibility tells the truth: each row is compared, called and shown to be so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.edges.cli.running import tidings
from tests.laws.interface_calls import Calls, Version, two_orbs
from tests.real.docs.consoles import commands, written_by
from tests.real.docs.pages import blocks, code, page, tables
from tidings.changes.service_types import RULES as TYPE_RULES
from tidings.changes.service_types import compare_types
from tidings.idl.diff import compare_models
from tidings.idl.rules import RULES
from tidings.trader.model import ServiceType
from tidings.trader.text import read_service_types

PAGE = page("docs/compatibility.md")
ACCOUNT = "Bank::Account"
TRIES = 5
"""With other values each; what is incompatible may need particular ones to fail."""

Row = dict[str, str]


@pytest.fixture(scope="module")
def calls() -> Iterator[Calls]:
    with two_orbs() as made:
        yield made


def rows() -> Iterator[tuple[str, Row]]:
    """The rows about IDL: the last table is about references."""
    found = [table for table in tables(PAGE) if table.headings[:2] == ["case", "before"]]
    for number, table in enumerate(found):
        for _, row in table.dicts():
            yield "IDL:Bank/Account:1.0" if number == 2 else "", row


TYPES = [
    row for table in tables(PAGE) if "type before" in table.headings for _, row in table.dicts()
]


def version(fragment: str) -> Version:
    text = code(fragment).replace("⏎", "\n")
    inside = text if "interface " in text else f"interface Account {{\n{text}\n}};"
    return Version(f"module Bank {{\n{inside}\n}};")


def listed(cell: str) -> set[str]:
    return {code(one) for one in cell.split(", ") if one}


CASES = list(rows())


@pytest.mark.parametrize(("id", "row"), CASES, ids=[row["case"] for _, row in CASES])
def test_each_case_is_judged_as_shown(calls: Calls, id: str, row: Row) -> None:
    before, after = version(row["before"]), version(row["after"])
    found = compare_models(before.model, after.model, id)
    assert {one.rule for one in found.differences} == listed(row["rules"])
    assert found.compatible is (row["compatible"] == "yes")
    tries = (calls.of_client(before, after, ACCOUNT, seed) for seed in range(TRIES))
    met = next((one for one in tries if one), [])
    assert bool(met) is not found.compatible, met


def test_every_rule_has_a_case_and_every_case_is_known() -> None:
    shown = {rule for _, row in CASES for rule in listed(row["rules"])}
    assert shown == set(RULES)
    assert len(CASES) >= 40


# Service types.


def full_type(cell: str) -> ServiceType:
    [read] = read_service_types(code(cell))
    return ServiceType(read.name, read.interface, tuple(read.properties), tuple(read.super_types))


@pytest.mark.parametrize("row", TYPES, ids=[row["case"] for row in TYPES])
def test_each_type_is_judged_as_shown(row: Row) -> None:
    before, after = full_type(row["type before"]), full_type(row["type after"])
    found = compare_types(before, after)
    assert {one.rule for one in found.differences} == listed(row["rules"])
    assert found.compatible is (row["compatible"] == "yes")


def test_every_rule_about_types_is_on_the_page() -> None:
    shown = {rule for row in TYPES for rule in listed(row["rules"])}
    told = {rule for rule in TYPE_RULES if f"`{rule}`" in PAGE}
    assert told == set(TYPE_RULES)
    beside = ("value", "type-", "interface-too-long")
    assert {rule for rule in TYPE_RULES if not rule.startswith(beside)} <= shown


def test_the_example_runs_as_shown(tmp_path: Path) -> None:
    files = [block.text for block in blocks(PAGE) if block.language == "idl"]
    for name, text in zip(("Bank.idl", "Bank-2.idl"), files, strict=True):
        (tmp_path / name).write_text(text)
    (shown,) = commands("docs/compatibility.md", "shell-session")
    assert written_by(shown.command, tmp_path) == shown.output


def test_the_exit_code_is_the_verdict(tmp_path: Path) -> None:
    before, after, wrong = (str(tmp_path / name) for name in ("a.idl", "b.idl", "c.idl"))
    Path(before).write_text("interface A { void a(); };")
    Path(after).write_text("interface A { void a(); void b(); };")
    Path(wrong).write_text("interface A { void a(; };")
    for args, code_ in (((before, after), 0), ((after, before), 1), ((before, wrong), 2)):
        assert tidings("idl", "diff", *args).exit_code == code_
    assert tidings("idl", "diff", before, before).stdout == "nothing has changed\n"
    assert tidings("idl", "diff", before, after, "--interface", "C").exit_code == 2
