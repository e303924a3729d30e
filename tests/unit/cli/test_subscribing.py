from __future__ import annotations

import pytest

from tests.unit.cli.running import CAR, lines, objects
from tests.unit.cli.served import Served


@pytest.fixture
def auction(served: Served) -> Served:
    served.done("channel", "create", "auction")
    served.done("subscription", "create", "auction", "one", "$price < 10")
    for price in (5, 50, 7):
        served.done("publish", "auction", "Auction::offer", f"item-{price}", f"price={price}")
    return served


def test_events_are_acknowledged_when_they_are_written(auction: Served) -> None:
    first = auction.done("subscribe", "auction", "--name", "one", "--count", "1")
    assert first.split()[0] == "1"
    assert first.rstrip().endswith("Auction::offer item-5  price=5")
    [second] = objects(
        auction.done("subscribe", "auction", "--name", "one", "--count", "1", "--json")
    )
    assert (second["seq"], second["event"]["data"]) == (3, {"price": 7})
    assert {"arrival", "priority", "redelivered", "producer", "number"} <= second.keys()
    late = auction.tidings(
        "subscribe", "auction", "--name", "one", "--count", "1", "--seconds", "0"
    )
    assert (late.stdout, late.exit_code) == ("", 1)


def test_so_many_seconds(auction: Served) -> None:
    shown = auction.done("subscribe", "auction", "--name", "one", "--seconds", "0.05")
    assert [line.split()[0] for line in shown.splitlines()] == ["1", "3"]


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
    auction: Served, options: tuple[str, ...], expected: list[int]
) -> None:
    shown = auction.done("subscribe", "auction", *options, "--seconds", "0.05", "--json")
    assert [one["seq"] for one in objects(shown)] == expected


def test_what_an_event_carries_does_not_move_the_cursor(auction: Served) -> None:
    evil = {**CAR, "name": "\x1b[2J", "data": {"x": "\x1b[2J"}}
    auction.done("publish", "auction", "--json-lines", "-", given=lines(evil))
    shown = auction.done("subscribe", "auction", "--since", "4", "--count", "1")
    assert "\x1b" not in shown


def test_a_wrong_constraint(auction: Served) -> None:
    result = auction.tidings("subscribe", "auction", "$price <")
    assert (result.exit_code, "line 1, column" in result.stderr) == (2, True)


def test_a_wrong_beginning(auction: Served) -> None:
    result = auction.tidings("subscribe", "auction", "--since", "soon")
    assert (result.exit_code, "'soon' is no time" in result.stderr) == (2, True)
