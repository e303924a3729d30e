"""Events at the command line: published, subscribed to, looked back at, and followed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.edges.cli.running import ALARM, CAR, SLOW_CAR, lines, objects, written
from tests.edges.cli.served import Served
from tidings.cli import trails
from tidings.client.publishing import Publisher
from tidings.errors import Unreachable


@pytest.fixture
def small(served: Served) -> Served:
    """A service whose channel `small` has room for one event."""
    served.done("channel", "create", "small", "--limit", "MaxQueueLength=1")
    served.done("subscription", "create", "small", "waits")
    return served


def published(served: Served) -> list[Any]:
    return [one["event"] for one in objects(served.done("peek", "auction", "--json"))]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Domain::Type"),
        (("Speed",), "Domain::Type"),
        (("D::T", "a=1", "a=2"), "given twice"),
        (("D::T", "a:={"), "a: "),
        (("D::T", "--header", "Priority=high"), "header.Priority: must be a short from -32767"),
        (("D::T", "--header", "Timeout=5x"), "header.Timeout: must be a duration such as"),
        (("D::T", "--header", "StartTime=soon"), "header.StartTime: must be a time such as"),
        (("D::T", "--ttl", "5x"), "--ttl: '5x' is not a duration"),
        (("D::T", "--at", "soon"), "'soon' is no time"),
        (("D::T", "--at", "2027-01-01T00:00:00Z", "--delay", "5s"), "'StartTime' is given twice"),
        (("--json-lines", "x", "--header", "a=1"), "not with --json-lines"),
        (("--json-lines", "x", "--ttl", "5s"), "not with --json-lines"),
        (("--json-lines", "no-such-file"), "no-such-file: no such file or directory"),
        (("--json-lines", "-", "--format", "xml"), "xml"),
    ],
)
def test_words_that_are_no_event(auction: Served, words: tuple[str, ...], message: str) -> None:
    assert message in auction.refused("publish", "auction", *words)
    assert published(auction) == []


def test_a_slip_in_a_standard_name_is_warned_of(auction: Served) -> None:
    slip = ("D::T", "--header", "Priorty=4")
    warning = "header.Priorty has no effect; did you mean Priority?"
    told = auction.tidings("publish", "auction", *slip)
    assert (told.exit_code, told.stdout, told.stderr) == (0, "1\n", f"warning: {warning}\n")
    [told_json] = objects(auction.done("publish", "auction", *slip, "--json"))
    assert told_json["warnings"] == [warning]
    many = lines(*[{"domain": "D", "type": "T", "header": {"Priorty": 4}}] * 2)
    result = auction.tidings("publish", "auction", "--json-lines", "-", given=many)
    assert result.stderr == f"warning: standard input:1: {warning}\n"


def test_run_again_as_the_same_producer_nothing_comes_twice(auction: Served) -> None:
    command = ("publish", "auction", "--json-lines", "-", "--producer", "import-7")
    auction.refused(*command, given=lines(CAR) + "oops\n" + lines(SLOW_CAR))
    mended = lines(CAR, ALARM, SLOW_CAR, CAR)
    assert auction.done(*command, given=mended) == "4 events accepted, numbers 1 to 4\n"
    assert published(auction) == [CAR, SLOW_CAR, ALARM, CAR]
    given = lines(CAR) + "\n" + lines(ALARM)
    result = auction.tidings("publish", "auction", "--json-lines", "-", "--json", given=given)
    numbers = [(one["file"], one["line"], one["seq"]) for one in objects(result.stdout)]
    assert numbers == [("standard input", 1, 5), ("standard input", 3, 6)]
    assert objects(result.stderr) == [{"accepted": 2, "stopped": 0, "refused": 0, "bad_lines": 0}]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--producer", "import-7"), "run the same again"),
        ((), "all up to standard input:{} was answered"),
    ],
)
def test_a_service_that_goes_away_for_good(
    auction: Served, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    publish_many = Publisher.publish_many
    calls: list[int] = []

    async def cut(self: Publisher, events: Any) -> Any:
        calls.append(len(events))
        if len(calls) > 1:
            raise Unreachable("no answer for 5 s")
        return await publish_many(self, events)

    monkeypatch.setattr(Publisher, "publish_many", cut)
    given = lines(*[CAR] * 1_200)
    result = auction.tidings("publish", "auction", "--json-lines", "-", *words, given=given)
    assert result.exit_code == 2
    # How many go at once depends on how fast they come.
    assert result.stdout.startswith(f"{calls[0]} events accepted")
    assert told.format(calls[0]) in result.stderr


def test_a_full_channel_refuses_each_event_by_itself(small: Served) -> None:
    result = small.tidings("publish", "small", "--json-lines", "-", given=lines(CAR, ALARM))
    assert result.exit_code == 2
    assert result.stdout == "1 event accepted, numbers 1 to 1; 1 were refused\n"
    assert "standard input:2: " in result.stderr
    shown = small.done("trail", "small", "D::T")
    assert shown.startswith("not accepted: MaxQueueLength is reached\n")


# ---------------------------------------------------------------- subscribe


@pytest.fixture
def offers(auction: Served) -> Served:
    auction.done("subscription", "create", "auction", "one", "$price < 10")
    for price in (5, 50, 7):
        auction.done("publish", "auction", "Auction::offer", f"item-{price}", f"price={price}")
    return auction


def seqs(text: str) -> list[object]:
    return [one["seq"] for one in objects(text)]


def test_events_are_acknowledged_when_they_are_written(offers: Served) -> None:
    command = ("subscribe", "auction", "--name", "one", "--count", "1")
    first = offers.done(*command)
    assert first.split()[0] == "1"
    assert first.rstrip().endswith("Auction::offer item-5  price=5")
    [second] = objects(offers.done(*command, "--json"))
    assert (second["seq"], second["event"]["data"]) == (3, {"price": 7})
    assert {"arrival", "priority", "redelivered", "producer", "number"} <= second.keys()
    late = offers.tidings(*command, "--seconds", "0")
    assert (late.stdout, late.exit_code) == ("", 1)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--since", "1h"), [1, 2, 3]),
        (("--since", "1970-01-01T00:00:00Z"), [1, 2, 3]),
        (("--since", "2"), [2, 3]),
        (("$price > 6", "--since", "1"), [2, 3]),
        (("--since", "1", "--type", "Auction::*"), [1, 2, 3]),
        (("--since", "1", "--type", "Traffic::*"), []),
        ((), []),
    ],
)
def test_the_past_comes_first(
    offers: Served, options: tuple[str, ...], expected: list[int]
) -> None:
    end = ("--count", str(len(expected))) if expected else ("--seconds", "0.05")
    shown = offers.done("subscribe", "auction", *options, *end, "--json")
    assert seqs(shown) == expected


# ---------------------------------------------------------------- peek and replay


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), [1, 2, 3]),
        (("$price > 6",), [2, 3]),
        (("--after", "2"), [3]),
        (("--since", "2"), [2, 3]),
        (("--since", "1h", "--most", "2"), [1, 2]),
        (("--after", "3"), []),
        (("--since", "2999-01-01T00:00:00Z"), []),
    ],
)
def test_peek(offers: Served, options: tuple[str, ...], expected: list[int]) -> None:
    assert seqs(offers.done("peek", "auction", *options, "--json")) == expected
    assert len(offers.done("peek", "auction", *options).splitlines()) == len(expected)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("subscribe", "auction", "$price <"), "line 1, column"),
        (("subscribe", "auction", "--since", "soon"), "'soon' is no time"),
        (("peek", "auction", "--after", "1", "--since", "2"), "leave one out"),
        (("replay", "auction", "--into", "1"), "into itself"),
    ],
)
def test_what_cannot_be_looked_at_is_told(
    auction: Served, words: tuple[str, ...], message: str
) -> None:
    assert message in auction.refused(*words)


def test_replay_into_another_channel_goes_once(offers: Served) -> None:
    offers.done("channel", "create", "test")
    command = ("replay", "auction", "--since", "2", "--into", "test")
    assert offers.done(*command) == "into test: 2 accepted\n"
    offers.done("publish", "auction", "Auction::offer", "price=1")
    assert offers.done(*command, "--json") == '{"accepted":3,"stopped":0,"refused":0}\n'
    found = objects(offers.done("peek", "test", "--json"))
    assert [one["event"]["data"]["price"] for one in found] == [50, 7, 1]
    assert [one["number"] for one in found] == [2, 3, 4]


def test_what_a_replay_could_not_send_is_told(offers: Served, small: Served) -> None:
    result = offers.tidings("replay", "auction", "--into", "small")
    assert (result.exit_code, result.stdout) == (2, "into small: 1 accepted, 2 refused\n")
    assert "event 2: " in result.stderr


def test_speed_keeps_the_pauses_in_proportion(
    offers: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("tidings.cli.history.asyncio.sleep", sleep)
    monkeypatch.setattr("tidings.cli.history.time.perf_counter", lambda: 0.0)
    found = objects(offers.done("replay", "auction", "--speed", "2", "--json"))
    arrivals = [int(str(one["arrival"])) for one in found]
    expected = [(at - arrivals[0]) / 2e6 for at in arrivals]
    assert [seconds for seconds in pauses if seconds in expected] == expected


# ---------------------------------------------------------------- trails


SPEED = ("Traffic::Speed", "car-7", "rate=57.5")


@pytest.fixture
def traffic(served: Served) -> Served:
    served.done("channel", "create", "traffic")
    return served


@pytest.fixture
def drivers(traffic: Served) -> Served:
    traffic.done("subscription", "create", "traffic", "fast", "$rate > 50")
    traffic.done("subscription", "create", "traffic", "slow", "$rate < 10")
    return traffic


def test_each_stage_with_verdict_and_reason(drivers: Served) -> None:
    shown = drivers.done("trail", "traffic", *SPEED)
    head, where, _, root, *stages = shown.splitlines()
    assert (head, where) == ("accepted, for 1 of 2 consumers", "  Traffic::Speed car-7")
    assert root.startswith("✓ rules of version ")
    told = [" ".join(line.split()[1:4]) for line in stages]
    assert told == ["✓ channel there", "✓ consumer fast", "✗ consumer slow", "✗ $rate <"]
    assert stages[3].endswith("$rate = 57.5")
    assert "'$rate > 50'" in stages[1]
    dry = drivers.done("publish", "traffic", "Traffic::Speed", "rate=57.5", "--dry-run")
    assert dry.startswith(f"{head}\n  Traffic::Speed\n")  # its first field is no name
    [found] = objects(drivers.done("channel", "list", "--json"))
    assert found["accepted"] == 0  # nothing was published
    drivers.done("channel", "create", "lonely")
    shown = drivers.done("trail", "lonely", "D::T")
    assert shown.startswith("accepted, and there are no consumers")


def test_the_trails_of_a_file(drivers: Served, tmp_path: Path) -> None:
    file = written(tmp_path, CAR, ALARM)
    first, second = objects(drivers.done("trail", "traffic", "--json-lines", file, "--json"))
    assert (len(first["recipients"]), len(second["recipients"])) == (1, 0)
    stages = ["header", "channel", "consumer", "consumer"]
    assert [step["stage"] for step in first["steps"]] == stages
    assert first["steps"][0]["priority"] == 4
    Path(file).write_text('oops\n{"domain": "D", "type": "T"}\n')
    result = drivers.tidings("trail", "traffic", "--json-lines", file)
    assert result.exit_code == 2  # a bad line is told, and the rest goes on
    assert result.stdout.startswith("accepted, for 0 of 2 consumers\n")


def test_what_became_of_an_event(drivers: Served) -> None:
    drivers.done("publish", "traffic", *SPEED)
    head, when, _, copy = drivers.done("trail", "traffic", "--number", "1").splitlines()
    assert head == "event 1: 1 waiting"
    assert when.startswith("  accepted 20")
    assert copy.split() == ["·", "consumer", "fast", "waiting"]
    [letter] = objects(drivers.done("trail", "traffic", "--number", "1", "--json"))
    assert [one["state"] for one in letter["copies"]] == ["waiting"]
    assert "--number names an accepted event" in drivers.refused(
        "trail", "traffic", *SPEED, "--number", "1"
    )
    assert "has no event 2" in drivers.refused("trail", "traffic", "--number", "2")


def why(served: Served) -> list[str]:
    """The lines below the consumers."""
    shown = served.done("trail", "traffic", *SPEED).splitlines()
    return [line.strip(" │├└─") for line in shown if line.startswith(("│  ", "   "))]


def test_each_constraint_says_what_it_found_if_it_was_asked(traffic: Served) -> None:
    traffic.done("subscription", "create", "traffic", "j", "$rate > 1", "--type", "Traffic::Jam")
    shown = traffic.done("trail", "traffic", *SPEED)
    assert "fits none of the proxy's 1 event types" in shown
    assert why(traffic) == []  # the constraint would do
    traffic.done("subscription", "create", "traffic", "some", "$rate > 99", "$up", "$rate < 5")
    found = [line.split("   ")[0] for line in why(traffic)]
    assert found == ["✗ $rate > 99", "! $up", "✗ $rate < 5"]
    assert "$up is missing" in why(traffic)[1]


def test_long_lists_are_cut(traffic: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trails, "_CONSUMERS", 1)
    monkeypatch.setattr(trails, "_CONSTRAINTS", 2)
    constraints = [f"$rate > {n}" for n in (60, 70, 80, 90)]
    for name in ("a", "b"):
        traffic.done("subscription", "create", "traffic", name, *constraints)
    found = [line.rstrip().split("   ")[0] for line in why(traffic)]
    assert found == ["✗ $rate > 60", "✗ $rate > 70", "✗ and 2 more"]
