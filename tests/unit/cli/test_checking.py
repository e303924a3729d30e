from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.running import objects, tidings, written


@pytest.fixture
def events(tmp_path: Path) -> str:
    return written(tmp_path)


def test_a_good_constraint() -> None:
    result = tidings("filter", "check", "$rate > 50 and 17 in $zones")
    assert (result.stdout, result.stderr) == ("ok: $rate > 50 and 17 in $zones\n", "")
    assert result.exit_code == 0


# The line below each constraint is where the caret must stand.
CARETS = [
    ("$count ==\n         ^", "the constraint ends too early"),
    ("$a = 1\n   ^", "'=' has no meaning here"),
    ("'abc\n^", "the string does not end"),
    ("5 + 'al'\n    ^", "+ takes numbers, and this is a string"),
    ("$a == 1 and and $b\n            ^", "'and' cannot stand here"),
    ("($a == 1\n^", "this parenthesis is never closed"),
    ("$..a\n  ^", "expected a member's name or number behind the dot"),
    ("$a._length.x\n          ^", "nothing may follow _length"),
    ("\t$a ==\t@\n       ^", "'@' has no meaning here"),
    ("'日本' == $a and and\n                 ^", "'and' cannot stand here"),
]


@pytest.mark.parametrize(("drawn", "problem"), CARETS)
def test_the_caret_stands_under_the_fault(drawn: str, problem: str) -> None:
    text, caret = drawn.split("\n")
    result = tidings("filter", "check", text)
    headline, shown, below = result.stderr.splitlines()[:3]
    assert problem in headline
    assert shown == "  " + text.replace("\t", " ")
    assert below == "  " + caret
    assert result.exit_code == 2


@pytest.mark.parametrize("drawn", [drawn for drawn, _ in CARETS if drawn.isascii()])
def test_the_column_said_is_the_caret_drawn(drawn: str) -> None:
    text, caret = drawn.split("\n")
    (found,) = objects(tidings("filter", "check", "--json", text).stdout)
    assert (found["line"], found["column"]) == (1, len(caret))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("$event_type == 'CommunicationsAlarm'", "write $type_name"),
        (
            "$.EventHeader.fixed_header.event_name == 'ProbeAlarm'",
            "$.header.fixed_header.event_name",
        ),
        ("$.EventHeader.variable_header(Priority) > 1000", "$.header.variable_header(Priority)"),
        ("not $a == 1", "write not ($a == …)"),
    ],
)
def test_warnings_do_not_fail_unless_asked_to(text: str, hint: str) -> None:
    result = tidings("filter", "check", text)
    assert result.stdout == f"ok: {text}\n"
    assert result.stderr.startswith("warning: line 1, column 1: ")
    assert hint in result.stderr
    assert result.exit_code == 0
    assert tidings("filter", "check", "--strict", text).exit_code == 1


def test_an_error_outweighs_warnings() -> None:
    assert tidings("filter", "check", "--strict", "not $a == 1", "$b ==").exit_code == 2


CONSTRAINTS = """\
# what the night shift wants
$Priority >= 4
  and not exist $cleared

not $a == 1
$count ==
"""


@pytest.mark.parametrize("way", ["-f", "-", ""])
def test_files_and_standard_input_name_their_lines(tmp_path: Path, way: str) -> None:
    file = tmp_path / "constraints.txt"
    file.write_text(CONSTRAINTS, encoding="utf-8")
    arguments = {"-f": ["-f", str(file)], "-": ["-"], "": []}[way]
    name = str(file) if way == "-f" else "standard input"
    result = tidings("filter", "check", *arguments, given=CONSTRAINTS)
    assert result.stdout.splitlines() == [
        f"ok: {name}:2: $Priority >= 4 and not exist $cleared",
        f"ok: {name}:5: not $a == 1",
    ]
    assert f"warning: {name}:5:1: 'not' binds tighter" in result.stderr
    assert f"error: {name}:6:10: the constraint ends too early" in result.stderr
    assert result.exit_code == 2


def test_a_fault_in_a_continued_line_is_placed_there() -> None:
    result = tidings("filter", "check", given="$a\n# a remark\n  and $b\n  and and\n")
    assert (
        "error: standard input:4:7: 'and' cannot stand here\n    and and\n        ^"
        in result.stderr
    )


@pytest.mark.parametrize("given", ["", "\n\n", "# only a remark\n"])
def test_no_constraint_at_all_is_an_error(given: str) -> None:
    result = tidings("filter", "check", given=given)
    assert "standard input holds no constraint; TRUE matches everything" in result.stderr
    assert result.exit_code == 2


def test_a_misspelt_name_is_found_with_sample_events(events: str) -> None:
    result = tidings("filter", "check", "--against", events, "$rte > 50")
    assert result.stdout == "ok: $rte > 50   [matches 0 of 3 events, errors on 3]\n"
    assert "warning: line 1, column 1: no event has a field 'rte'" in result.stderr
    assert "hint: did you mean $rate?" in result.stderr


def test_a_wrong_kind_is_found_with_sample_events(events: str) -> None:
    result = tidings("filter", "check", "--against", events, "$host == 17", "$up == TRUE")
    assert "$host is always a string, which this cannot be compared with" in result.stderr
    assert result.stderr.count("warning") == 1


def test_good_names_pass_with_sample_events(events: str) -> None:
    text = "$rate > 50 or $Priority == 2 or $domain_name == 'Telecom'"
    result = tidings("filter", "check", "--against", events, text)
    found = "[matches 1 of 3 events, errors on 2]"  # a car without Priority, an alarm without rate
    assert (result.stdout, result.stderr) == (f"ok: {text}   {found}\n", "")


def test_sample_lines_that_are_no_events_are_told(tmp_path: Path) -> None:
    result = tidings("filter", "check", "--against", written(tmp_path, 7), "$rate > 50")
    assert "events.jsonl:1: an event is a JSON object, not 7" in result.stderr
    assert result.exit_code == 2


def test_without_a_sample_event_nothing_is_said_of_names(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    result = tidings("filter", "check", "--against", str(empty), "$rte > 50")
    assert result.stdout == "ok: $rte > 50   [matches 0 of 0 events]\n"
    assert result.stderr == ""


def test_json_has_an_object_for_each_constraint(events: str) -> None:
    result = tidings("filter", "check", "--json", "--against", events, "(($rte)) > 5", "$a ==")
    good, bad = objects(result.stdout)
    assert good == {
        "constraint": "(($rte)) > 5",
        "ok": True,
        "printed": "$rte > 5",
        "warnings": [
            {
                "message": "no event has a field 'rte'",
                "line": 1,
                "column": 3,
                "hint": "did you mean $rate?",
            }
        ],
        "events": 3,
        "matches": 0,
        "errors": 3,
    }
    assert bad == {
        "constraint": "$a ==",
        "ok": False,
        "error": "invalid_constraint",
        "message": "the constraint ends too early",
        "line": 1,
        "column": 6,
    }
    assert result.stderr == ""
    assert result.exit_code == 2


def test_json_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "c.txt"
    file.write_text("# one\n$a\n", encoding="utf-8")
    (found,) = objects(tidings("filter", "check", "--json", "-f", str(file)).stdout)
    assert (found["file"], found["at_line"]) == (str(file), 2)


@pytest.mark.parametrize("text", ["\ud800", "$a == '\udcff'"])
def test_an_argument_that_is_no_text(text: str) -> None:
    assert "a lone surrogate is no text" in tidings("filter", "check", text).stderr
    (found,) = objects(tidings("filter", "check", "--json", text).stdout)
    assert found["constraint"] == text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("(" * 10_000 + "$a" + ")" * 10_000, "nests deeper than 100"),
        ("$a == '" + "x" * 65_536 + "'", "octets, more than 65536"),
        ("$a == " + "9" * 5_000, "the integer is larger than 18446744073709551615"),
        ("$a" + ".b" * 1_001, "more than 1000 steps"),
    ],
)
def test_hostile_constraints_are_refused_in_few_words(text: str, problem: str) -> None:
    result = tidings("filter", "check", text)
    assert problem in result.stderr
    assert len(result.stderr) < 1_000
    assert result.exit_code == 2
