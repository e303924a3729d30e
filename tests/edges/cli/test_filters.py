"""Filters at the command line: match, check and explain, and those of a service."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from tests.edges.cli.running import ALARM, CAR, SLOW_CAR, lines, objects, tidings, written
from tests.edges.cli.served import Served
from tidings.cli.filters import compiled
from tidings.cli.reading import Written
from tidings.errors import BadInput, InvalidConstraint
from tidings.events.build import event
from tidings.events.fields import COMPOSITE, Char, EnumLabel, Plain, fields_of
from tidings.filters.explain import Explained, explain
from tidings.filters.parse import parse
from tidings.filters.reasons import shown_value, verdict
from tidings.terminal.render import Mark
from tidings.terminal.why import as_data, tree_of


@pytest.fixture
def events(tmp_path: Path) -> str:
    return written(tmp_path)


# ---------------------------------------------------------------- match


def test_max_ends_the_run_and_several_expressions_are_alternatives(events: str) -> None:
    result = tidings("filter", "match", "--max", "1", "", events, events)
    assert (result.stdout, result.stderr) == (lines(CAR), "1 of 1 events match\n")
    result = tidings("filter", "match", "-e", "$rate > 50", "-e", "'17' ~ $host", events)
    assert result.stdout == lines(CAR, ALARM)


def test_many_constraints_give_the_same_answers(tmp_path: Path, events: str) -> None:
    constraints = tmp_path / "constraints.txt"
    texts = [f"$rate > {i} and $rate < {i + 10}" for i in range(25, 300, 5)]
    constraints.write_text("\n".join(texts), encoding="utf-8")
    result = tidings("filter", "match", "--json", "-f", str(constraints), events)
    assert {str(o["line"]): o["matched"] for o in objects(result.stdout)} == {
        "1": ["$rate > 50 and $rate < 60", "$rate > 55 and $rate < 65"],
        "2": ["$rate > 25 and $rate < 35", "$rate > 30 and $rate < 40"],
    }
    assert tidings("filter", "match", "-f", str(constraints), events).stdout == lines(CAR, SLOW_CAR)


def test_the_time_of_judgement_can_be_given(events: str) -> None:
    at_1970 = "$curtime.time == 122192928000000000"
    assert tidings("filter", "match", "--now", "1970-01-01T00:00Z", at_1970, events).exit_code == 0
    assert tidings("filter", "match", at_1970, events).exit_code == 1
    assert tidings("filter", "match", "$curtime.time > 139192928000000000", events).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give a constraint, or -e, or -f"),
        (("$rate >",), "the constraint ends too early"),
        (("", "--format", "jsn"), "did you mean 'json'?"),
        (("", "--now", "soon"), "'soon' is no time"),
        (("", "--now", "2026-01-01T00:00"), "names no time zone"),
        (("", "--type", "%ODD"), "'%ODD' is not an event type"),
        (("-f", "no-such-file"), "no-such-file: no such file or directory"),
        (("", "no-such-file"), "no-such-file: no such file or directory"),
        (("", "."), ".: is a directory"),
    ],
)
def test_what_cannot_be_done_is_said_and_exits_2(arguments: list[str], message: str) -> None:
    result = tidings("filter", "match", *arguments, given="")
    assert message in result.stderr
    assert (result.stdout, result.exit_code) == ("", 2)


def test_errors_and_counts_are_data_when_asked_for(events: str) -> None:
    error = {"error": "invalid_constraint", "message": "'=' has no meaning here", "line": 1}
    told = tidings("filter", "match", "--json", "$a = 1", given="").stderr
    assert objects(told) == [{**error, "column": 4, "hint": "equality is written =="}]
    result = tidings("filter", "match", "--json", "--count", "", events)
    assert objects(result.stdout) == [{"events": 3, "matches": 3, "bad_lines": 0}]
    result = tidings("filter", "match", "--json", "", given="oops\n")
    malformed = "line 1, column 1: malformed JSON: invalid character"
    place = {"file": "standard input", "line": 1}
    assert objects(result.stderr) == [
        {"error": "invalid_event", "message": malformed, **place},
        {"events": 0, "matches": 0, "bad_lines": 1},
    ]
    assert result.exit_code == 2


BAD = [
    (b"garbage", "1: malformed JSON: invalid character"),
    (b"", None),
    (b"   ", None),
    (b"7", " an event is a JSON object, not 7"),
    (b'{"domain": "a"}', " type: an event needs a type"),
    (b'{"domain": "a", "type": "b", "data": {"x": NaN}}', "44: malformed JSON"),
    (b'{"domain": "a", "type": "b", "data": {"x": "\\ud800"}}', "45: the lone surrogate U+D800"),
    (b"\xff\xfe\x00", "1: octet 0xFF is not UTF-8"),
    (b'{"domain": "a", "type": "b", "data": {"x": 18446744073709551616}}', " data.x: "),
    (b'{"domain": "a", "type": "b", "dta": {}}', "did you mean 'data'?"),
    (b'{"domain": "a", "type": "b", "data": {"x": ' + b"[" * 9_000, " the JSON nests too deeply"),
    (b'{"domain": "a", "type": "b", "type": "c"}', "stands twice in one object"),
    (b'{"domain": "a"', "the JSON ends too early"),
]


@pytest.mark.parametrize(("octets", "problem"), BAD)
def test_a_bad_line_is_told_with_its_place_and_the_rest_goes_on(
    octets: bytes, problem: str | None
) -> None:
    good = lines(CAR).encode()
    result = tidings("filter", "match", "$rate > 50", given=good + octets + b"\n" + good)
    assert result.stdout_bytes == good + good
    if problem is None:
        assert (result.stderr, result.exit_code) == ("2 of 2 events match\n", 0)
    else:
        first, last = result.stderr.splitlines()
        assert first.startswith("error: standard input:2:")
        assert problem in first
        assert last == "2 of 2 events match; 1 line is no event"
        assert result.exit_code == 2


def test_after_a_hundred_bad_lines_the_rest_is_counted() -> None:
    told = tidings("filter", "match", "", given="oops\n" * 500).stderr.splitlines()
    assert told[100:] == [
        "error: further lines that are no events are only counted",
        "0 of 0 events match; 500 lines are no events",
    ]


@pytest.mark.parametrize("line", [b"\xef\xbb\xbf%s\n", b"%s\r\n", b"   %s  \n", b"%s"])
def test_lines_come_out_octet_for_octet(line: bytes) -> None:
    event = '{"domain":"Zürich",  "type":"\\u00e9", "data":{"rate":6e1}}'.encode()
    found = tidings("filter", "match", "$rate == 60", given=line % event).stdout_bytes
    assert found == line.removesuffix(b"\n") % event + b"\n"  # the last line gets its end


def test_a_constraint_from_a_file_is_refused_with_its_place() -> None:
    with pytest.raises(BadInput, match=r"^c\.txt:9:5: the constraint ends too early") as caught:
        compiled(Written("$a\n and", "c.txt", 8))
    assert isinstance(caught.value.__cause__, InvalidConstraint)


# ---------------------------------------------------------------- check


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("$event_type == 'CommunicationsAlarm'", "write $type_name"),
        ("$.EventHeader.fixed_header.event_name == 'x'", "$.header.fixed_header.event_name"),
        ("$.EventHeader.variable_header(Priority) > 1000", "$.header.variable_header(Priority)"),
        ("not $a == 1", "write not ($a == …)"),
    ],
)
def test_warnings_do_not_fail_unless_asked_to(text: str, hint: str) -> None:
    result = tidings("filter", "check", text)
    assert (result.stdout, result.exit_code) == (f"ok: {text}\n", 0)
    assert result.stderr.startswith("warning: line 1, column 1: ")
    assert hint in result.stderr
    assert tidings("filter", "check", "--strict", text).exit_code == 1


def test_what_cannot_be_checked_is_an_error(tmp_path: Path) -> None:
    for given in ("", "\n\n", "# only a remark\n"):
        result = tidings("filter", "check", given=given)
        assert "standard input holds no constraint; TRUE matches everything" in result.stderr
        assert result.exit_code == 2
    result = tidings("filter", "check", "--against", written(tmp_path, 7), "$rate > 50")
    assert "events.jsonl:1: an event is a JSON object, not 7" in result.stderr
    assert result.exit_code == 2
    for text in ("\ud800", "$a == '\udcff'"):
        assert "a lone surrogate is not text" in tidings("filter", "check", text).stderr
        (found,) = objects(tidings("filter", "check", "--json", text).stdout)
        assert found["constraint"] == text


def test_a_check_as_json_has_an_object_for_each_constraint(tmp_path: Path, events: str) -> None:
    result = tidings("filter", "check", "--json", "--against", events, "(($rte)) > 5", "$a ==")
    hint = {"line": 1, "column": 3, "hint": "did you mean $rate?"}
    good = {"constraint": "(($rte)) > 5", "ok": True, "printed": "$rte > 5", "events": 3}
    early = "the constraint ends too early"
    bad = {"constraint": "$a ==", "ok": False, "error": "invalid_constraint", "message": early}
    warnings = [{"message": "no event has a field 'rte'", **hint}]
    assert objects(result.stdout) == [
        {**good, "warnings": warnings, "matches": 0, "errors": 3},
        {**bad, "line": 1, "column": 6},
    ]
    assert (result.stderr, result.exit_code) == ("", 2)
    file = tmp_path / "c.txt"
    file.write_text("# one\n$a\n", encoding="utf-8")
    (found,) = objects(tidings("filter", "check", "--json", "-f", str(file)).stdout)
    assert (found["file"], found["at_line"]) == (str(file), 2)


# ---------------------------------------------------------------- explain


def test_several_events_get_an_explanation_each(events: str) -> None:
    result = tidings("filter", "explain", "$rate > 50", events)
    verdicts = [paragraph.splitlines()[0] for paragraph in result.stdout.split("\n\n")[::2]]
    assert verdicts == [
        "matches: $rate > 50 is TRUE ($rate = 57.5)",
        "does not match: $rate > 50 is FALSE ($rate = 31.0)",
        "does not match: $rate is missing",
    ]
    first, _, third = objects(tidings("filter", "explain", "--json", "$rate > 50", events).stdout)
    assert (first["file"], first["line"], first["matches"]) == (events, 1, True)
    assert third["verdict"] == "does not match: $rate is missing"
    assert third["tree"]["parts"][0] == {"text": "$rate", "reached": True, "error": "missing"}


def test_an_event_of_another_type_or_no_event_is_not_asked() -> None:
    car = json.dumps(CAR)
    other = tidings("filter", "explain", "--type", "Telecom::*", "$rate > 50", car).stdout
    told = "does not match: the event type Traffic::Speed is not Telecom::*"
    assert other == f"{told}\n  Traffic::Speed car-7\n"
    as_data = tidings("filter", "explain", "--json", "--type", "X", "$rate > 1", car)
    assert objects(as_data.stdout)[0]["tree"] is None
    result = tidings("filter", "explain", "TRUE", '{"domain": 1}', car)
    assert "error: domain: must be a text, not 1" in result.stderr
    assert (result.stdout[:7], result.exit_code) == ("matches", 2)


def explained(text: str) -> Explained:
    tags = {"tags": ["a", "bb"], "nan": float("nan")}
    alarm = event("Telecom", "Alarm", data={"count": 7, "host": "node-17", "up": True, **tags})
    return explain(parse(text), fields_of(alarm))


TRUE = {
    "": "TRUE is TRUE",
    "$up": "$up is TRUE",
    "$count == 7": "$count == 7 is TRUE ($count = 7)",
    "$count == 7 and $up": "all 2 parts are TRUE",
    "$count == 8 or $up": "$up is TRUE",
    "not ($count == 8)": "not ($count == 8) is TRUE ($count = 7)",
    "exist $host": "exist $host is TRUE",
}
FALSE = {
    "$count > 8": "$count > 8 is FALSE ($count = 7)",
    "$up and $count > 8": "$count > 8 is FALSE ($count = 7)",
    "$count > 8 or not $up": "none of 2 alternatives is TRUE",
    "exist $tags[5]": "exist $tags[5] is FALSE ($tags[5] is missing)",
    "$tags[5] == 'x'": "$tags[5] is missing",
    "$up and not ($tags[5] == 'x')": "$tags[5] is missing",
    "$count == 'seven'": "== cannot take an integer and a string, in $count == 'seven' (",
    "$count / 0 == 1": "division by zero, in $count / 0 ($count = 7)",
    "$count and $up": "$count is an integer, not a boolean, in $count and $up",
    "$host": "the result is a string, not a boolean, in $host",
    "'x' in $tags": "'x' in $tags is FALSE ($tags = ['a', 'bb'])",
}


@pytest.mark.parametrize("text", [*TRUE, *FALSE])
def test_the_verdict_in_one_line(text: str) -> None:
    found = verdict(explained(text))
    said = f"matches: {TRUE[text]}" if text in TRUE else f"does not match: {FALSE[text]}"
    assert found.startswith(said)
    assert "\n" not in found


def test_an_error_marks_everything_above_it() -> None:
    tree = tree_of(explained("$up and not ($x == 1)"))
    assert [tree.mark, tree.parts[1].mark, tree.parts[1].parts[0].mark] == [Mark.ERROR] * 3
    assert tree.parts[1].parts[0].note == "$x is missing"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *((True, "TRUE"), (7, "7"), (2.5, "2.5"), (float("nan"), "nan"), (Decimal("1.50"), "1.50")),
        *(("it's", r"'it\'s'"), (Char("B"), "'B'"), (EnumLabel("major"), "major"), ((), "[]")),
        *((("a", 1), "['a', 1]"), (b"\x01\x02", "[1, 2]"), (COMPOSITE, "composite")),
        *(("a\x1b[2Jb\n", r"'a\x1b[2Jb\x0a'"), ("  two  blanks", "'  two  blanks'")),
    ],
)
def test_values_are_shown_as_constraints_write_them(value: Plain, shown: str) -> None:
    assert shown_value(value) == shown


@pytest.mark.parametrize(
    ("text", "value"),
    [("$nan == 1", "nan"), ("'a' in $tags", ["a", "bb"]), ("exist $up or $up == TRUE", None)],
)
def test_an_explanation_can_be_written_as_json(text: str, value: object) -> None:
    data = as_data(explained(text))
    assert msgspec.json.decode(msgspec.json.encode(data)) == data
    values = [part.get("value") for part in data["parts"]]  # type: ignore[attr-defined]
    assert value is None or value in values


def test_the_filters_of_a_service(served: Served) -> None:
    assert served.tidings("filter", "list").stderr == "there are no such filters\n"
    served.done("channel", "create", "auction")
    served.done("subscription", "create", "auction", "bargains", "$price < 10")
    shown = served.done("filter", "list").splitlines()
    headings = ["id", "kind", "holders", "constraints"]
    assert [line.split()[:4] for line in shown] == [headings, ["1", "filter", "1", "1"]]
    [found] = objects(served.done("filter", "list", "--json"))
    assert (found["id"], found["holders"], found["private"]) == (1, 1, True)
    assert served.done("filter", "list", "--unheld", "--json") == ""
