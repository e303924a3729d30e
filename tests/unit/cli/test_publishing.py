from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.running import ALARM, CAR, SLOW_CAR, lines, objects, written
from tests.unit.cli.served import Served
from tidings.client.publishing import Publisher
from tidings.errors import Unreachable


@pytest.fixture
def auction(served: Served) -> Served:
    served.done("channel", "create", "auction")
    return served


def published(served: Served) -> list[Any]:
    return [one["event"] for one in objects(served.done("peek", "auction", "--json"))]


def test_one_event_from_words(auction: Served) -> None:
    words = ("Traffic::Speed", "car-7", "rate=57.5", "zones:=[3, 17]", "--header", "Priority=4")
    assert auction.done("publish", "auction", *words) == "1\n"
    assert published(auction) == [CAR]
    [told] = objects(auction.done("publish", "auction", *words, "--json"))
    assert told["seq"] == 2


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
    result = auction.tidings("publish", "auction", *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert published(auction) == []


def test_priority_delay_ttl_and_time_of_delivery(auction: Served) -> None:
    options = ("--priority", "-4", "--ttl", "2h")
    auction.done("publish", "auction", "D::T", "now", *options)
    auction.done("publish", "auction", "D::T", "later", "--delay", "1h")
    auction.done("publish", "auction", "D::T", "later", "--at", "2999-01-01T00:00:00Z")
    first, second, third = published(auction)
    assert first["header"] == {"Priority": -4, "Timeout": 72_000_000_000}
    for one in (second, third):
        assert one["header"]["StartTime"]["$type"]["name"] == "UtcT"
    told = auction.done("publish", "auction", "D::T", *options, "--dry-run")
    assert "applied: Priority, Timeout, priority -4, until " in told


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


def test_files(auction: Served, tmp_path: Path) -> None:
    one = written(tmp_path, CAR, SLOW_CAR, name="one")
    two = written(tmp_path, ALARM, name="two")
    told = auction.done("publish", "auction", "--json-lines", one, two)
    assert told == "3 events accepted, numbers 1 to 3\n"
    assert published(auction) == [CAR, SLOW_CAR, ALARM]


def test_standard_input_with_answers_as_json(auction: Served) -> None:
    result = auction.tidings(
        "publish", "auction", "--json-lines", "-", "--json", given=lines(CAR) + "\n" + lines(ALARM)
    )
    assert objects(result.stdout) == [
        {"file": "standard input", "line": 1, "seq": 1},
        {"file": "standard input", "line": 3, "seq": 2},
    ]
    assert objects(result.stderr) == [{"accepted": 2, "stopped": 0, "refused": 0, "bad_lines": 0}]


def test_a_bad_line_does_not_keep_the_others_out(auction: Served) -> None:
    given = lines(CAR) + "oops\n" + lines(ALARM)
    result = auction.tidings("publish", "auction", "--json-lines", "-", given=given)
    assert result.exit_code == 2
    assert result.stdout == "2 events accepted, numbers 1 to 2; 1 line is no event\n"
    assert result.stderr.startswith("error: standard input:2:")
    assert published(auction) == [CAR, ALARM]


def test_cloudevents(auction: Served) -> None:
    cloud = {"specversion": "1.0", "id": "1", "source": "/x", "type": "T", "data": {"a": 1}}
    options = ("--json-lines", "-", "--format", "cloudevents")
    auction.done("publish", "auction", *options, given=json.dumps(cloud))
    assert len(published(auction)) == 1


def test_run_again_as_the_same_producer_nothing_comes_twice(auction: Served) -> None:
    command = ("publish", "auction", "--json-lines", "-", "--producer", "import-7")
    cut = auction.tidings(*command, given=lines(CAR) + "oops\n" + lines(SLOW_CAR))
    assert cut.exit_code == 2
    mended = lines(CAR, ALARM, SLOW_CAR, CAR)
    assert auction.done(*command, given=mended) == "4 events accepted, numbers 1 to 4\n"
    assert published(auction) == [CAR, SLOW_CAR, ALARM, CAR]


def test_nothing_is_published_if_a_later_file_is_not_there(auction: Served, tmp_path: Path) -> None:
    first = tmp_path / "first.jsonl"
    first.write_text(lines(CAR))
    result = auction.tidings("publish", "auction", "--json-lines", str(first), "Auction::offer")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: Auction::offer: no such file or directory\n"
    assert published(auction) == []


@pytest.mark.parametrize(
    ("producer", "told"),
    [("import-7", "run the same again"), ("", "all up to standard input:{} was answered")],
)
def test_a_service_that_goes_away_for_good(
    auction: Served, monkeypatch: pytest.MonkeyPatch, producer: str, told: str
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
    words = ("--producer", producer) if producer else ()
    result = auction.tidings("publish", "auction", "--json-lines", "-", *words, given=given)
    assert result.exit_code == 2
    # How many go at once depends on how fast they come.
    assert result.stdout.startswith(f"{calls[0]} events accepted")
    assert told.format(calls[0]) in result.stderr


def test_more_lines_than_go_at_once(auction: Served) -> None:
    given = "".join(
        json.dumps({"domain": "D", "type": "T", "data": {"n": n}}) + "\n" for n in range(1_234)
    )
    told = auction.done("publish", "auction", "--json-lines", "-", given=given)
    assert told == "1234 events accepted, numbers 1 to 1234\n"
    found = auction.done("peek", "auction", "--most", "2000", "--json")
    assert [one["event"]["data"]["n"] for one in objects(found)] == list(range(1_234))


def test_a_full_channel_refuses_each_event_by_itself(served: Served) -> None:
    served.done("channel", "create", "small", "--limit", "MaxQueueLength=1")
    served.done("subscription", "create", "small", "waits")
    result = served.tidings("publish", "small", "--json-lines", "-", given=lines(CAR, ALARM))
    assert result.exit_code == 2
    assert result.stdout == "1 event accepted, numbers 1 to 1; 1 were refused\n"
    assert "standard input:2: " in result.stderr


def test_a_dry_run_publishes_nothing(auction: Served) -> None:
    auction.done("subscription", "create", "auction", "fast", "$rate > 50")
    shown = auction.done("publish", "auction", "Traffic::Speed", "rate=57", "--dry-run")
    assert shown.startswith("accepted, for 1 of 1 consumers\n")
    assert published(auction) == []


def test_a_channel_that_is_not_there(served: Served) -> None:
    result = served.tidings("publish", "nowhere", "D::T")
    assert (result.exit_code, "no channel named 'nowhere'" in result.stderr) == (2, True)
