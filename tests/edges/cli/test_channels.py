"""Channels, subscriptions, dead letters, and all of them as a tree."""

from __future__ import annotations

import asyncio

import pytest

from tests.edges.cli.running import objects
from tests.edges.cli.served import Served
from tests.patience import PATIENCE
from tests.promises.services import bid, seen
from tidings.client.client import Client


def test_a_channel_is_persistent_unless_told_otherwise(served: Served) -> None:
    assert served.done("channel", "create", "auction") == "channel auction made, id 1\n"
    [made] = objects(served.done("channel", "create", "clicks", "--best-effort", "--json"))
    assert made["qos"]["EventReliability"] == "BestEffort"
    [found] = objects(served.done("channel", "show", "auction", "--json"))
    assert (found["qos"]["EventReliability"], found["offered"]) == ("Persistent", [])
    properties = ("--qos", "OrderPolicy=PriorityOrder", "--limit", "MaxQueueLength=10")
    served.done("channel", "create", "special", *properties)
    shown = served.done("channel", "show", "special")
    assert "OrderPolicy            PriorityOrder\n" in shown
    assert "MaxQueueLength         10\n" in shown
    for key in ("auction", "2"):
        assert served.done("channel", "delete", key) == f"channel {key} deleted\n"
        served.refused("channel", "show", key)


def test_every_bad_property_is_told_and_what_it_nearly_is(served: Served) -> None:
    bad = ("--qos", "Priority=99999", "--qos", "Colour=1")
    told = served.refused("channel", "create", "auction", *bad)
    assert "Priority: " in told
    assert "Colour: no property has this name" in told
    near = ("--qos", "Prioritie=1", "--qos", "timeout=1", "--qos", "EventReliability=Forever")
    assert served.refused("channel", "create", "auction", *near) == (
        "error: Prioritie: did you mean Priority?\n"
        "timeout: did you mean Timeout?\n"
        "EventReliability: write BestEffort or Persistent\n"
    )


@pytest.mark.parametrize(("name", "told"), [("", "is empty"), ("12", "read as an id")])
def test_a_name_that_could_not_be_asked_for(auction: Served, name: str, told: str) -> None:
    assert told in auction.refused("channel", "create", name)
    assert told in auction.refused("subscription", "create", "auction", name)
    if name:
        assert told in auction.refused("subscribe", "auction", "--name", name)


# ---------------------------------------------------------------- subscriptions


def test_events_wait_for_a_subscription_from_then_on(auction: Served) -> None:
    auction.done("publish", "auction", "Auction::offer", "price=1")
    made = auction.done("subscription", "create", "auction", "cheap", "$price < 10")
    assert made.endswith(": events wait for it from now on\n")
    for price in (5, 50, 7):
        auction.done("publish", "auction", "Auction::offer", f"price={price}")
    [found] = objects(auction.done("subscription", "show", "auction", "cheap", "--json"))
    assert (found["waiting"], found["constraints"]) == (2, ["$price < 10"])


@pytest.mark.parametrize("pull", [(), ("--pull",)])
def test_both_kinds(auction: Served, pull: tuple[str, ...]) -> None:
    auction.done("subscription", "create", "auction", "one", "--type", "A::*", *pull)
    auction.done("publish", "auction", "A::b")
    auction.done("publish", "auction", "B::b")
    shown = auction.done("subscription", "show", "auction", "one")
    assert "types                  A::*\n" in shown
    assert f"kind                   {'pull' if pull else 'push'} " in shown
    assert "waiting                1, 0 of them on disk\n" in shown


def test_a_subscription_is_listed_suspended_resumed_and_deleted(auction: Served) -> None:
    told = auction.refused("subscription", "create", "auction", "one", "$a = 1")
    assert "equality is written ==" in told
    assert auction.done("subscription", "list") == ""
    auction.done("channel", "create", "other")
    auction.done("subscription", "create", "other", "a")
    one = ("auction", "one")
    auction.done("subscription", "create", *one)
    assert "already" in auction.refused("subscription", "create", *one, "$a == 1")
    _, *rows = auction.done("subscription", "list").splitlines()
    assert [row.split()[:2] for row in rows] == [["auction", "one"], ["other", "a"]]
    assert len(objects(auction.done("subscription", "list", "auction", "--json"))) == 1
    assert auction.done("subscription", "suspend", *one) == "subscription one suspended\n"
    assert "suspended" in auction.done("subscription", "show", *one)
    auction.refused("subscription", "suspend", *one)
    auction.done("subscription", "resume", *one)
    assert "away" in auction.done("subscription", "show", *one)
    [gone] = objects(auction.done("subscription", "delete", *one, "--json"))
    assert gone["name"] == "one"
    assert "no proxy named 'one'" in auction.refused("subscription", "show", *one)


# ---------------------------------------------------------------- dead letters


@pytest.fixture
def letters(served: Served) -> Served:
    """Three dead letters: bids of 5, 50 and 7."""

    async def scene(client: Client) -> None:
        channel = await client.create_channel("auction", persistent=True)
        subscription = await client.subscribe(channel, name="one", manual_ack=True)
        for price in (5, 50, 7):
            await client.publish(channel, bid(price))
            delivery = await subscription.next(PATIENCE)
            assert delivery is not None
            delivery.reject(f"nobody pays {price}")
        await seen(client.dead_letters, lambda found: len(found) == 3)

    served.run(scene)
    return served


def ids(served: Served) -> list[object]:
    return [one["id"] for one in objects(served.done("dead-letter", "list", "--json"))]


def test_dead_letters_are_listed_and_shown(letters: Served) -> None:
    shown = letters.done("dead-letter", "list")
    assert [line.split()[0] for line in shown.splitlines()] == ["id", "1", "2", "3"]
    assert "nobody pays 50" in shown
    assert [line.split()[1] for line in shown.splitlines()[1:]] == ["auction/one"] * 3
    assert letters.tidings("dead-letter", "list").stderr == ""
    assert "there are more" in letters.tidings("dead-letter", "list", "--most", "2").stderr
    assert len(letters.done("dead-letter", "list", "--filter", "$price < 10").splitlines()) == 3
    assert len(objects(letters.done("dead-letter", "list", "--most", "2", "--json"))) == 2
    letters.refused("dead-letter", "list", "--channel", "nowhere")
    shown = letters.done("dead-letter", "show", "2")
    for words in ("Auction::bid", "price=50", "auction/one"):
        assert words in shown
    [told] = objects(letters.done("dead-letter", "show", "2", "--json"))
    assert told["causes"][0]["reason"] == "nobody pays 50"
    assert letters.refused("dead-letter", "show", "9") == "error: there is no dead letter 9\n"


def test_dead_letters_are_redriven_by_filter_or_all(letters: Served) -> None:
    told = letters.done("dead-letter", "redrive", "--filter", "$price < 10", "--json")
    assert objects(told) == [{"redriven": 2, "failed": 0}]
    assert ids(letters) == [2]
    shown = letters.done("subscribe", "auction", "--name", "one", "--count", "2", "--json")
    assert [one["event"]["data"]["price"] for one in objects(shown)] == [5, 7]
    assert letters.done("dead-letter", "redrive", "--all") == "1 redriven\n"


def test_nothing_is_done_to_all_by_accident_and_one_that_is_not_there_does_not_keep_others(
    letters: Served,
) -> None:
    for words in ((), ("1", "--all"), ("1", "--filter", "$a == 1")):
        letters.refused("dead-letter", "drop", *words)
        assert ids(letters) == [1, 2, 3]
    result = letters.tidings("dead-letter", "drop", "9", "1")
    assert (result.exit_code, result.stdout) == (2, "1 dropped\n")
    assert "error: 9: " in result.stderr


# ---------------------------------------------------------------- tree and top


@pytest.fixture
def grown(served: Served) -> Served:
    async def scene(client: Client) -> None:
        channel = await client.create_channel("auction", persistent=True)
        admin = await channel.new_consumer_admin()
        await admin.add_filter(await client.create_filter("$price > 0"))
        await (await client.subscribe(channel, name="waits", admin=admin)).close()

    served.run(scene)
    served.done("channel", "create", "empty")
    served.done("subscription", "create", "auction", "cheap", "$price < 10")
    for price in (5, 50, 7):
        served.done("publish", "auction", "Auction::offer", f"price={price}")
    served.done("subscribe", "auction", "--name", "cheap", "--count", "1")
    return served


def test_tree(grown: Served) -> None:
    shown = grown.done("tree")
    assert shown.startswith("auction   id 1, 3 accepted, 3 waiting\n")
    assert "├─ supplier admin 0\n" in shown
    assert "cheap  push structured   away, 1 waiting, 0 in flight, 1 delivered\n" in shown
    assert "└─ consumer admin 1   AND, 1 filter\n" in shown
    assert "waits  push structured   away, 3 waiting, 0 in flight\n" in shown
    assert "\nempty   id 2, 0 accepted, 0 waiting\n" in shown
    [told] = objects(grown.done("tree", "--json"))
    first, second = told["channels"]
    assert (first["name"], second["name"]) == ("auction", "empty")
    assert [len(one["proxies"]) for one in first["admins"]] == [0, 1, 1]


def test_top(grown: Served) -> None:
    shown = grown.done("top")
    assert [line.split()[1] for line in shown.splitlines()] == ["consumer", "waits", "cheap"]
    [first] = objects(grown.done("top", "--most", "1", "--json"))
    assert (first["name"], first["waiting"], first["channel_name"]) == ("waits", 3, "auction")
    grown.done("top", "--by", "failures")


class _Interrupted:
    """In place of asyncio: Ctrl-C is pressed after so many looks."""

    def __init__(self, looks: int) -> None:
        self._looks = looks

    async def sleep(self, seconds: float) -> None:
        self._looks -= 1
        if not self._looks:
            raise KeyboardInterrupt

    def __getattr__(self, name: str) -> object:
        return getattr(asyncio, name)


def test_watching_looks_again_until_ctrl_c(grown: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in (("tree",), ("top",), ("tree", "--json")):
        once = grown.done(*command)
        with monkeypatch.context() as patch:
            patch.setattr("tidings.cli.tree.asyncio", _Interrupted(3))
            result = grown.tidings(*command, "--watch")
        assert (result.stdout, result.exit_code) == (once * 3, 130)
