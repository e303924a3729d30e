from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tidings.cli.why import Branch, Mark, as_data, branch_of, shown_value, verdict
from tidings.events.build import event
from tidings.events.fields import COMPOSITE, Char, EnumLabel, Plain, fields_of
from tidings.filters.explain import Explained, explain
from tidings.filters.parse import parse

EVENT = event(
    "Telecom",
    "Alarm",
    data={"count": 7, "host": "node-17", "up": True, "tags": ["a", "bb"], "nan": float("nan")},
)


def explained(text: str) -> Explained:
    return explain(parse(text), fields_of(EVENT))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "matches: TRUE is TRUE"),
        ("$up", "matches: $up is TRUE"),
        ("$count == 7", "matches: $count == 7 is TRUE ($count = 7)"),
        ("$count == 7 and $up", "matches: all 2 parts are TRUE"),
        ("$count == 8 or $up", "matches: $up is TRUE"),
        ("not ($count == 8)", "matches: not ($count == 8) is TRUE ($count = 7)"),
        ("exist $host", "matches: exist $host is TRUE"),
        ("$count > 8", "does not match: $count > 8 is FALSE ($count = 7)"),
        ("$up and $count > 8", "does not match: $count > 8 is FALSE ($count = 7)"),
        ("$count > 8 or not $up", "does not match: none of 2 alternatives is TRUE"),
        ("exist $tags[5]", "does not match: exist $tags[5] is FALSE ($tags[5] is missing)"),
        ("$tags[5] == 'x'", "does not match: $tags[5] is missing"),
        ("$up and not ($tags[5] == 'x')", "does not match: $tags[5] is missing"),
        (
            "$count == 'seven'",
            "does not match: == cannot take an integer and a string, in $count == 'seven' (",
        ),
        ("$count / 0 == 1", "does not match: division by zero, in $count / 0 ($count = 7)"),
        (
            "$count and $up",
            "does not match: $count is an integer, not a boolean, in $count and $up",
        ),
        ("$host", "does not match: the result is a string, not a boolean, in $host"),
        ("'x' in $tags", "does not match: 'x' in $tags is FALSE ($tags = ['a', 'bb'])"),
    ],
)
def test_the_verdict_in_one_line(text: str, said: str) -> None:
    found = verdict(explained(text))
    assert found.startswith(said)
    assert "\n" not in found


def test_logic_becomes_branches_and_tests_become_lines_with_their_values() -> None:
    tree = branch_of(explained("$up and ($count * 2 > 20 or 'bb' in $tags) and not exist $x"))
    assert tree == Branch(
        Mark.TRUE,
        "and",
        "",
        (
            Branch(Mark.TRUE, "$up", "$up = TRUE"),
            Branch(
                Mark.TRUE,
                "or",
                "",
                (
                    Branch(Mark.FALSE, "$count * 2 > 20", "$count = 7, $count * 2 = 14"),
                    Branch(Mark.TRUE, "'bb' in $tags", "$tags = ['a', 'bb']"),
                ),
            ),
            Branch(Mark.TRUE, "not", "", (Branch(Mark.FALSE, "exist $x", "$x is missing"),)),
        ),
    )


def test_what_was_not_reached_says_so_and_has_nothing_below() -> None:
    tree = branch_of(explained("$count > 8 and ($x or $y)"))
    assert tree.mark is Mark.FALSE
    assert tree.parts[1] == Branch(Mark.SKIPPED, "$x or $y", "not reached")


def test_an_error_marks_everything_above_it() -> None:
    tree = branch_of(explained("$up and not ($x == 1)"))
    assert [tree.mark, tree.parts[1].mark, tree.parts[1].parts[0].mark] == [Mark.ERROR] * 3
    assert tree.parts[1].parts[0].note == "$x is missing"


def test_both_values_stand_beside_what_cannot_be_compared() -> None:
    tree = branch_of(explained("$count == $host"))
    assert tree.note == "$count = 7, $host = 'node-17'; == cannot take an integer and a string"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "TRUE"),
        (7, "7"),
        (2.5, "2.5"),
        (float("nan"), "nan"),
        (Decimal("1.50"), "1.50"),
        ("it's", r"'it\'s'"),
        (Char("B"), "'B'"),
        (EnumLabel("major"), "major"),
        (("a", 1), "['a', 1]"),
        (b"\x01\x02", "[1, 2]"),
        ((), "[]"),
        (COMPOSITE, "composite"),
        ("a\x1b[2Jb\n", r"'a\x1b[2Jb\x0a'"),
        ("  two  blanks", "'  two  blanks'"),
    ],
)
def test_values_are_shown_as_constraints_write_them(value: Plain, shown: str) -> None:
    assert shown_value(value) == shown


@pytest.mark.parametrize("value", ["x" * 10_000_000, tuple(range(1_000_000)), b"x" * 1_000_000])
def test_long_values_are_shortened(value: Plain) -> None:
    shown = shown_value(value)
    assert len(shown) == 60
    assert shown.endswith("…")


def test_a_long_test_is_shortened() -> None:
    assert len(branch_of(explained(f"$host == '{'x' * 500}'")).text) == 60


def test_the_tree_as_data_has_a_value_at_every_node() -> None:
    assert as_data(explained("$count > 8 and $x")) == {
        "text": "$count > 8 and $x",
        "reached": True,
        "kind": "boolean",
        "value": False,
        "parts": [
            {
                "text": "$count > 8",
                "reached": True,
                "kind": "boolean",
                "value": False,
                "parts": [
                    {"text": "$count", "reached": True, "kind": "integer", "value": 7},
                    {"text": "8", "reached": True, "kind": "integer", "value": 8},
                ],
            },
            {"text": "$x", "reached": False},
        ],
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [("$nan == 1", "nan"), ("'a' in $tags", ["a", "bb"]), ("exist $up or $up == TRUE", None)],
)
def test_the_data_can_be_written_as_json(text: str, value: object) -> None:
    data = as_data(explained(text))
    assert msgspec.json.decode(msgspec.json.encode(data)) == data
    values = [part.get("value") for part in data["parts"]]  # type: ignore[attr-defined]
    assert value is None or value in values
