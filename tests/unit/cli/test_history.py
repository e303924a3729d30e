from __future__ import annotations

import pytest

from tests.unit.cli.running import objects
from tests.unit.cli.served import Served


@pytest.fixture
def auction(served: Served) -> Served:
    served.done("channel", "create", "auction")
    for price in (5, 50, 7, 70):
        served.done("publish", "auction", "Auction::offer", f"price={price}")
    return served


def seqs(text: str) -> list[object]:
    return [one["seq"] for one in objects(text)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), [1, 2, 3, 4]),
        (("$price > 20",), [2, 4]),
        (("--after", "2"), [3, 4]),
        (("--since", "2"), [2, 3, 4]),
        (("--since", "1h", "--most", "2"), [1, 2]),
        (("--after", "4"), []),
    ],
)
def test_peek(auction: Served, options: tuple[str, ...], expected: list[int]) -> None:
    assert seqs(auction.done("peek", "auction", *options, "--json")) == expected
    assert len(auction.done("peek", "auction", *options).splitlines()) == len(expected)


def test_peek_says_how_to_go_on(auction: Served) -> None:
    result = auction.tidings("peek", "auction", "--most", "2")
    assert result.stderr == "there may be more: --after 2\n"
    assert auction.tidings("peek", "auction", "--after", "4").stderr == (
        "the journal has no such events\n"
    )


def test_peek_takes_one_number(auction: Served) -> None:
    result = auction.tidings("peek", "auction", "--after", "1", "--since", "2")
    assert (result.exit_code, "leave one out" in result.stderr) == (2, True)


def test_peek_takes_events_from_nobody(auction: Served) -> None:
    auction.done("subscription", "create", "auction", "one")
    auction.done("publish", "auction", "Auction::offer", "price=1")
    auction.done("peek", "auction")
    [found] = objects(auction.done("subscription", "show", "auction", "one", "--json"))
    assert found["waiting"] == 1


def test_replay_writes(auction: Served) -> None:
    assert seqs(auction.done("replay", "auction", "--since", "3", "--json")) == [3, 4]
    assert seqs(auction.done("replay", "auction", "$price < 10", "--json")) == [1, 3]
    assert len(auction.done("replay", "auction").splitlines()) == 4


def test_replay_into_another_channel_goes_once(auction: Served) -> None:
    auction.done("channel", "create", "test")
    command = ("replay", "auction", "--since", "2", "--into", "test")
    assert auction.done(*command) == "into test: 3 accepted\n"
    auction.done("publish", "auction", "Auction::offer", "price=1")
    assert auction.done(*command, "--json") == '{"accepted":4,"stopped":0,"refused":0}\n'
    found = objects(auction.done("peek", "test", "--json"))
    assert [one["event"]["data"]["price"] for one in found] == [50, 7, 70, 1]
    assert [one["number"] for one in found] == [2, 3, 4, 5]


def test_a_channel_is_not_replayed_into_itself(auction: Served) -> None:
    result = auction.tidings("replay", "auction", "--into", "1")
    assert (result.exit_code, "into itself" in result.stderr) == (2, True)


def test_what_is_not_accepted_is_told(auction: Served) -> None:
    auction.done("channel", "create", "small", "--limit", "MaxQueueLength=1")
    auction.done("subscription", "create", "small", "waits")
    result = auction.tidings("replay", "auction", "--into", "small")
    assert result.exit_code == 2
    assert result.stdout == "into small: 1 accepted, 3 refused\n"
    assert "event 2: " in result.stderr


def test_speed_keeps_the_pauses_in_proportion(
    auction: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr("tidings.cli.history.asyncio.sleep", sleep)
    monkeypatch.setattr("tidings.cli.history.time.perf_counter", lambda: 0.0)
    found = objects(auction.done("replay", "auction", "--speed", "2", "--json"))
    arrivals = [int(str(one["arrival"])) for one in found]
    expected = [(at - arrivals[0]) / 2e6 for at in arrivals]
    assert [seconds for seconds in pauses if seconds in expected] == expected
