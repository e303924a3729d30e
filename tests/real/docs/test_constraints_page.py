"""The language page tells the truth: every table of it is run."""

from __future__ import annotations

import json
from itertools import product

import pytest

from tests.real.docs.pages import ROOT, Table, code, page, tables
from tidings.errors import InvalidConstraint
from tidings.events.anyvalue import pack
from tidings.events.codecs.json_codec import decode_event
from tidings.events.fields import Fields, fields_of
from tidings.events.paths import PathStep
from tidings.filters.check import check
from tidings.filters.constraint import constraint, event_type
from tidings.filters.explain import explain
from tidings.filters.index import MatchIndex
from tidings.filters.limits import DEFAULT_LIMITS
from tidings.filters.parse import parse
from tidings.filters.to_python import to_python
from tidings.filters.tree import ALL_NODES, ARITHMETIC, COMPARISONS, paths_of, walk_tree

TABLES = tables(page("docs/constraints.md"))
NOW = 1_794_700_000_000_000  # some moment in November 2026
ANSWERS = {True: "TRUE", False: "FALSE", None: "error"}


def sample(name: str) -> Fields:
    return fields_of(decode_event((ROOT / "docs/events" / f"{name}.json").read_bytes()), NOW)


def with_headings(*headings: str) -> list[tuple[int, dict[str, str]]]:
    found = [t for t in TABLES if set(headings) <= set(t.headings)]
    return [row for table in found for row in table.dicts()]


def by_line(value: object) -> str | None:
    return f"line {value}" if isinstance(value, int) else ""


CASES = [
    (line, code(row["constraint"]), row)
    for line, row in with_headings("constraint", "result")
    if "event types" not in row
]


def seen_by(row: dict[str, str]) -> Fields:
    if "value" in row:
        return fields_of(pack(json.loads(code(row["value"]))), NOW)
    return sample(row.get("event", "alarm"))


@pytest.mark.parametrize(("line", "text", "row"), CASES, ids=by_line)
def test_every_example(line: int, text: str, row: dict[str, str]) -> None:
    tree = parse(text)
    assert ANSWERS[to_python(tree)(seen_by(row))] == row["result"]
    explained = explain(tree, seen_by(row))
    assert ANSWERS[None if explained.failed else explained.matches] == row["result"]
    index: MatchIndex[int] = MatchIndex()
    index.add(line, [constraint(text)])
    assert list(index.match(seen_by(row))) == ([line] if row["result"] == "TRUE" else [])


def test_there_are_examples_of_every_node_and_every_step() -> None:
    trees = [parse(text) for _, text, _ in CASES]
    nodes = {type(node) for tree in trees for node in walk_tree(tree)}
    steps = {type(step) for tree in trees for path in paths_of(tree) for step in path.steps}
    assert set(ALL_NODES) <= nodes
    # By name: a class with slots leaves the one it was made from behind. What `default` asks
    # for is a step, too, but nobody can write it.
    written = {cls.__name__ for cls in PathStep.__subclasses__()} - {"DefaultActive"}
    assert {cls.__name__ for cls in steps} == written


def test_there_are_examples_of_every_result() -> None:
    assert {row["result"] for _, _, row in CASES} == set(ANSWERS.values())


@pytest.mark.parametrize(("line", "row"), with_headings("event types"), ids=by_line)
def test_event_types(line: int, row: dict[str, str]) -> None:
    patterns = [event_type(code(text)) for text in row["event types"].split(", ")]
    asked = constraint(code(row["constraint"]), patterns)
    tried = asked.is_tried(*sample("alarm").event_type)
    assert tried is (row["result"] != "not asked")
    assert asked.matches(sample("alarm")) is (row["result"] == "TRUE")


@pytest.mark.parametrize(("line", "row"), with_headings("refused because"), ids=by_line)
def test_what_is_refused(line: int, row: dict[str, str]) -> None:
    with pytest.raises(InvalidConstraint) as caught:
        check(code(row["constraint"]))
    assert row["refused because"] in f"{caught.value.problem}; {caught.value.hint}"


@pytest.mark.parametrize(("line", "row"), with_headings("warning", "instead"), ids=by_line)
def test_what_is_warned_of(line: int, row: dict[str, str]) -> None:
    checked = check(code(row["constraint"]))
    assert any(row["warning"] in caution.problem for caution in checked.cautions)
    assert to_python(checked.tree)(sample("alarm")) is None
    instead = check(code(row["instead"]))
    assert instead.cautions == ()
    assert to_python(instead.tree)(sample("alarm")) is True


def test_the_limits_are_the_real_ones() -> None:
    limits = [int(row["value"]) for _, row in with_headings("limit")]
    expected = DEFAULT_LIMITS
    assert limits == [expected.octets, expected.depth, expected.steps, expected.nodes]


# ---------------------------------------------------------------- the truth tables

PIECES = {"TRUE": "$up", "FALSE": "(not $up)", "error": "($missing == 1)"}


@pytest.mark.parametrize(("line", "row"), with_headings("a and b", "a or b"), ids=by_line)
def test_the_table_of_and_or_not(line: int, row: dict[str, str]) -> None:
    a, b = PIECES[row["a"]], PIECES[row["b"]]
    for heading, text in [
        ("a and b", f"{a} and {b}"),
        ("a or b", f"{a} or {b}"),
        ("not a", f"not {a}"),
    ]:
        assert ANSWERS[to_python(parse(text))(sample("alarm"))] == row[heading]


def test_the_table_of_and_or_not_is_whole() -> None:
    rows = with_headings("a and b", "a or b")
    assert {(row["a"], row["b"]) for _, row in rows} == set(product(PIECES, repeat=2))


KINDS = {
    "number": ["$count", "$rate", "3"],
    "boolean": ["$up", "TRUE"],
    "char": ["$grade"],
    "string": ["$host", "'node-17'"],
    "enum": ["$sev", "minor"],
    "sequence": ["$tags", "$nums"],
    "composite": ["$addr", "$u", "$.header"],
    "missing": ["$missing", "$tags[5]"],
}
ONE_CHARACTER = ["$tags[0]", "'B'"]
MATRICES = [table for table in TABLES if table.headings[0] == "left \\ right"]


def answers(left: str, operator: str, right: str) -> bool:
    """Whether an operator has an answer for two operands; refusing them at once is an error too."""
    text = f"{left} {operator} {right}"
    if operator in "+-*/%":
        text = f"({text}) == 0"
    try:
        return to_python(parse(text))(sample("alarm")) is not None
    except InvalidConstraint:
        return False


def expected_answer(cell: str, left: str, right: str) -> bool:
    return cell == "yes" or (cell == "one" and (left in ONE_CHARACTER or right in ONE_CHARACTER))


@pytest.mark.parametrize("table", MATRICES, ids=lambda table: table.title)
def test_the_tables_of_kinds(table: Table) -> None:
    assert table.headings[1:] == [row["left \\ right"] for _, row in table.dicts()] == list(KINDS)
    operators = [code(word) for word in table.title.replace(" and ", " ").split()]
    for (_, row), right_kind, operator in product(table.dicts(), KINDS, operators):
        cell = row[right_kind]
        left_kind = row["left \\ right"]
        lefts, rights = list(KINDS[left_kind]), list(KINDS[right_kind])
        if cell == "one":
            lefts += ONE_CHARACTER if left_kind == "string" else []
            rights += ONE_CHARACTER if right_kind == "string" else []
        for left, right in product(lefts, rights):
            expected = expected_answer(cell, left, right)
            assert answers(left, operator, right) is expected, f"{left} {operator} {right}"


def test_every_operator_between_values_has_a_table_of_kinds() -> None:
    listed = {
        code(word) for table in MATRICES for word in table.title.replace(" and ", " ").split()
    }
    assert listed == {*COMPARISONS, *ARITHMETIC, "~"}


def test_in_compares_as_equality_does() -> None:
    for left, answer in [("2", True), ("TRUE", True), ("$grade", True), ("'node'", False)]:
        assert answers(left, "in", "$nums") is answer
    for right in ("$count", "$host", "$addr", "$missing"):
        assert not answers("1", "in", right)
