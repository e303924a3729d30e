from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.running import ALARM, CAR, EVENTS, SLOW_CAR, lines, objects, tidings, written
from tests.unit.cli.served import Served


@pytest.fixture
def events(tmp_path: Path) -> str:
    return written(tmp_path)


# ---------------------------------------------------------------- match


def test_matching_lines_from_standard_input() -> None:
    result = tidings("filter", "match", "$rate > 50 and 17 in $zones", given=lines(*EVENTS))
    assert result.stdout == lines(CAR)
    assert result.stderr == "1 of 3 events match\n"
    assert result.exit_code == 0


def test_matching_lines_from_files(tmp_path: Path) -> None:
    one = written(tmp_path, CAR, ALARM, name="one")
    two = written(tmp_path, SLOW_CAR, CAR, name="two")
    result = tidings("filter", "match", "$rate > 50", one, two)
    assert result.stdout == lines(CAR, CAR)
    assert result.stderr == "2 of 4 events match\n"


def test_a_dash_is_standard_input_among_files(events: str) -> None:
    result = tidings("filter", "match", "$rate > 50", events, "-", given=lines(CAR))
    assert result.stdout == lines(CAR, CAR)


def test_no_match_exits_as_grep(events: str) -> None:
    result = tidings("filter", "match", "$rate > 500", events)
    assert (result.stdout, result.exit_code) == ("", 1)
    assert result.stderr == "0 of 3 events match\n"


def test_the_empty_constraint_matches_everything(events: str) -> None:
    assert tidings("filter", "match", "", events).stdout == lines(*EVENTS)


def test_invert(events: str) -> None:
    result = tidings("filter", "match", "--invert", "$rate > 50", events)
    assert result.stdout == lines(SLOW_CAR, ALARM)
    assert result.stderr == "2 of 3 events do not match\n"


def test_count(events: str) -> None:
    result = tidings("filter", "match", "--count", "exist $rate", events)
    assert (result.stdout, result.exit_code) == ("2\n", 0)


def test_max_ends_the_run(events: str) -> None:
    result = tidings("filter", "match", "--max", "1", "", events, events)
    assert result.stdout == lines(CAR)
    assert result.stderr == "1 of 1 events match\n"


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["Telecom::Comm*"], [ALARM]),
        (["Speed"], [CAR, SLOW_CAR]),
        (["Nobody::*"], []),
        (["Telecom::*", "Traffic::Sp*d"], EVENTS),
        (["*::*Alarm"], [ALARM]),
    ],
)
def test_event_types(events: str, patterns: list[str], expected: list[object]) -> None:
    options = [word for pattern in patterns for word in ("--type", pattern)]
    assert tidings("filter", "match", *options, "", events).stdout == lines(*expected)


def test_several_expressions_are_alternatives(events: str) -> None:
    result = tidings("filter", "match", "-e", "$rate > 50", "-e", "'17' ~ $host", events)
    assert result.stdout == lines(CAR, ALARM)


def test_a_file_of_constraints(tmp_path: Path, events: str) -> None:
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("# fast ones\n$rate\n  > 50\n\n'17' ~ $host\n", encoding="utf-8")
    result = tidings("filter", "match", "-f", str(constraints), events)
    assert result.stdout == lines(CAR, ALARM)


def test_many_constraints_give_the_same_answers(tmp_path: Path, events: str) -> None:
    constraints = tmp_path / "constraints.txt"
    texts = [f"$rate > {i} and $rate < {i + 10}" for i in range(25, 300, 5)]
    constraints.write_text("\n".join(texts), encoding="utf-8")
    result = tidings("filter", "match", "--json", "-f", str(constraints), events)
    found = {str(o["line"]): o["matched"] for o in objects(result.stdout)}
    assert found == {
        "1": ["$rate > 50 and $rate < 60", "$rate > 55 and $rate < 65"],
        "2": ["$rate > 25 and $rate < 35", "$rate > 30 and $rate < 40"],
    }
    assert tidings("filter", "match", "-f", str(constraints), events).stdout == lines(CAR, SLOW_CAR)


def test_json_lines_of_matches_and_a_summary(events: str) -> None:
    result = tidings("filter", "match", "--json", "-e", "$rate > 50", "-e", "exist $zones", events)
    (match,) = objects(result.stdout)
    assert match == {
        "file": events,
        "line": 1,
        "matched": ["$rate > 50", "exist $zones"],
        "event": CAR,
    }
    assert objects(result.stderr) == [{"events": 3, "matches": 1, "bad_lines": 0}]


def test_json_count_is_the_summary_itself(events: str) -> None:
    result = tidings("filter", "match", "--json", "--count", "", events)
    assert objects(result.stdout) == [{"events": 3, "matches": 3, "bad_lines": 0}]


def test_the_time_of_judgement_can_be_given(events: str) -> None:
    at_1970 = "$curtime.time == 122192928000000000"
    assert tidings("filter", "match", "--now", "1970-01-01T00:00Z", at_1970, events).exit_code == 0
    assert tidings("filter", "match", at_1970, events).exit_code == 1
    assert tidings("filter", "match", "$curtime.time > 139192928000000000", events).exit_code == 0


def test_cloudevents(tmp_path: Path) -> None:
    one = {
        "specversion": "1.0",
        "id": "1",
        "source": "/cars",
        "type": "Speed",
        "data": {"rate": 60},
    }
    two = one | {"type": "Jam"}
    file = written(tmp_path, one, two)
    result = tidings("filter", "match", "--format", "cloudevents", "$type_name == 'Jam'", file)
    assert result.stdout == lines(two)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give a constraint, or -e, or -f"),
        (("$rate >",), "the constraint ends too early"),
        (("", "--format", "jsn"), "did you mean 'json'?"),
        (("", "--now", "soon"), "'soon' is no time"),
        (("", "--now", "2026-01-01T00:00"), "names no time zone"),
        (("", "--type", "%ODD"), "'%ODD' is no event type"),
        (("-f", "no-such-file"), "no-such-file: no such file or directory"),
        (("", "no-such-file"), "no-such-file: no such file or directory"),
        (("", "."), ".: is a directory"),
    ],
)
def test_what_cannot_be_done_is_said_and_exits_2(arguments: list[str], message: str) -> None:
    result = tidings("filter", "match", *arguments, given="")
    assert message in result.stderr
    assert result.stdout == ""
    assert result.exit_code == 2


def test_an_error_in_a_constraint_is_data_when_asked_for() -> None:
    result = tidings("filter", "match", "--json", "$a = 1", given="")
    assert objects(result.stderr) == [
        {
            "error": "invalid_constraint",
            "message": "'=' has no meaning here",
            "line": 1,
            "column": 4,
            "hint": "equality is written ==",
        }
    ]


def test_a_missing_file_does_not_stop_the_others(events: str) -> None:
    result = tidings("filter", "match", "$rate > 50", "nowhere", events)
    assert result.stdout == lines(CAR)
    assert result.exit_code == 2


# ---------------------------------------------------------------- explain

EXPLAINED = """\
does not match: $zones[5] is missing
  Traffic::Speed car-7

! and
├─ ✓ $rate > 50       $rate = 57.5
├─ ! $zones[5] == 1   $zones[5] is missing
└─ · $Priority == 4   not reached
"""


def test_explain_an_event_from_the_command_line() -> None:
    asked = "$rate > 50 and $zones[5] == 1 and $Priority == 4"
    result = tidings("filter", "explain", asked, json.dumps(CAR))
    assert result.stdout == EXPLAINED
    assert result.exit_code == 0


@pytest.mark.parametrize("indent", [None, 2])
def test_explain_an_event_from_a_file_or_standard_input(tmp_path: Path, indent: int | None) -> None:
    text = json.dumps(SLOW_CAR, indent=indent)
    file = tmp_path / "event.json"
    file.write_text(text, encoding="utf-8")
    from_file = tidings("filter", "explain", "$rate > 50", str(file))
    from_input = tidings("filter", "explain", "$rate > 50", given=text)
    assert from_file.stdout.startswith("does not match: $rate > 50 is FALSE ($rate = 31.0)\n")
    assert f"{file}:1  Traffic::Speed car-8" in from_file.stdout
    assert "standard input:1  Traffic::Speed car-8" in from_input.stdout


def test_several_events_get_an_explanation_each(events: str) -> None:
    result = tidings("filter", "explain", "$rate > 50", events)
    verdicts = [paragraph.splitlines()[0] for paragraph in result.stdout.split("\n\n")[::2]]
    assert verdicts == [
        "matches: $rate > 50 is TRUE ($rate = 57.5)",
        "does not match: $rate > 50 is FALSE ($rate = 31.0)",
        "does not match: $rate is missing",
    ]


def test_explain_as_data(events: str) -> None:
    result = tidings("filter", "explain", "--json", "$rate > 50", events)
    first, _, third = objects(result.stdout)
    assert (first["file"], first["line"], first["matches"]) == (events, 1, True)
    assert third["verdict"] == "does not match: $rate is missing"
    assert isinstance(third["tree"], dict)
    assert third["tree"]["parts"][0] == {"text": "$rate", "reached": True, "error": "missing"}


def test_an_event_of_another_type_is_not_asked() -> None:
    result = tidings("filter", "explain", "--type", "Telecom::*", "$rate > 50", json.dumps(CAR))
    assert result.stdout == (
        "does not match: the event type Traffic::Speed is not Telecom::*\n  Traffic::Speed car-7\n"
    )
    as_data = tidings("filter", "explain", "--json", "--type", "X", "$rate > 1", json.dumps(CAR))
    assert objects(as_data.stdout)[0]["tree"] is None


def test_the_filters_of_a_service(served: Served) -> None:
    assert served.tidings("filter", "list").stderr == "there are no such filters\n"
    served.done("channel", "create", "auction")
    served.done("subscription", "create", "auction", "bargains", "$price < 10")
    shown = served.done("filter", "list").splitlines()
    assert [line.split()[:4] for line in shown] == [
        ["id", "kind", "holders", "constraints"],
        ["1", "filter", "1", "1"],
    ]
    [found] = objects(served.done("filter", "list", "--json"))
    assert (found["id"], found["holders"], found["private"]) == (1, 1, True)
    assert served.done("filter", "list", "--unheld", "--json") == ""


def test_explain_says_what_is_no_event() -> None:
    result = tidings("filter", "explain", "TRUE", '{"domain": 1}', json.dumps(CAR))
    assert "error: domain: must be a text, not 1" in result.stderr
    assert result.stdout.startswith("matches")
    assert result.exit_code == 2
