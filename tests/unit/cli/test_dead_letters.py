from __future__ import annotations

import pytest

from tests.doors.services import bid, seen
from tests.unit.cli.running import objects
from tests.unit.cli.served import Served
from tidings.client.client import Client


@pytest.fixture
def letters(served: Served) -> Served:
    """Three dead letters: bids of 5, 50 and 7."""

    async def scene(client: Client) -> None:
        channel = await client.create_channel("auction", persistent=True)
        subscription = await client.subscribe(channel, name="one", manual_ack=True)
        for price in (5, 50, 7):
            await client.publish(channel, bid(price))
            delivery = await subscription.next(5)
            assert delivery is not None
            delivery.reject(f"nobody pays {price}")
        await seen(client.dead_letters, lambda found: len(found) == 3)

    served.run(scene)
    return served


def ids(served: Served) -> list[object]:
    return [one["id"] for one in objects(served.done("dead-letter", "list", "--json"))]


def test_list(letters: Served) -> None:
    shown = letters.done("dead-letter", "list")
    assert [line.split()[0] for line in shown.splitlines()] == ["id", "1", "2", "3"]
    assert "nobody pays 50" in shown
    assert [line.split()[1] for line in shown.splitlines()[1:]] == ["auction/one"] * 3
    assert letters.tidings("dead-letter", "list").stderr == ""
    assert "there are more" in letters.tidings("dead-letter", "list", "--most", "2").stderr
    assert len(letters.done("dead-letter", "list", "--filter", "$price < 10").splitlines()) == 3
    assert len(objects(letters.done("dead-letter", "list", "--most", "2", "--json"))) == 2
    assert letters.tidings("dead-letter", "list", "--channel", "nowhere").exit_code == 2


def test_show(letters: Served) -> None:
    shown = letters.done("dead-letter", "show", "2")
    assert "Auction::bid" in shown
    assert "price=50" in shown
    assert "auction/one" in shown
    [told] = objects(letters.done("dead-letter", "show", "2", "--json"))
    assert told["causes"][0]["reason"] == "nobody pays 50"
    result = letters.tidings("dead-letter", "show", "9")
    assert (result.exit_code, result.stderr) == (2, "error: there is no dead letter 9\n")


def test_a_consumer_that_has_ended_goes_by_its_id(letters: Served) -> None:
    letters.done("subscription", "delete", "auction", "one")
    shown = letters.done("dead-letter", "list")
    assert [line.split()[1] for line in shown.splitlines()[1:]] == ["auction/1"] * 3


def test_drop(letters: Served) -> None:
    assert letters.done("dead-letter", "drop", "2") == "1 dropped\n"
    assert ids(letters) == [1, 3]
    assert letters.done("dead-letter", "drop", "--channel", "auction") == "2 dropped\n"
    assert ids(letters) == []


def test_redrive_by_filter(letters: Served) -> None:
    told = letters.done("dead-letter", "redrive", "--filter", "$price < 10", "--json")
    assert objects(told) == [{"redriven": 2, "failed": 0}]
    assert ids(letters) == [2]
    shown = letters.done("subscribe", "auction", "--name", "one", "--count", "2", "--json")
    assert [one["event"]["data"]["price"] for one in objects(shown)] == [5, 7]


def test_all(letters: Served) -> None:
    assert letters.done("dead-letter", "redrive", "--all") == "3 redriven\n"


def test_one_that_is_not_there_does_not_keep_the_others(letters: Served) -> None:
    result = letters.tidings("dead-letter", "drop", "9", "1")
    assert (result.exit_code, result.stdout) == (2, "1 dropped\n")
    assert "error: 9: " in result.stderr


@pytest.mark.parametrize("words", [(), ("1", "--all"), ("1", "--filter", "$a == 1")])
def test_nothing_is_done_to_all_by_accident(letters: Served, words: tuple[str, ...]) -> None:
    result = letters.tidings("dead-letter", "drop", *words)
    assert result.exit_code == 2
    assert ids(letters) == [1, 2, 3]
