from __future__ import annotations

import pytest

from tests.unit.cli.running import objects
from tests.unit.cli.served import Served


@pytest.fixture
def auction(served: Served) -> Served:
    served.done("channel", "create", "auction")
    return served


def test_events_wait_from_then_on(auction: Served) -> None:
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
    assert "waiting                1, 0 of them on disk\n" in shown


def test_a_name_is_taken_once(auction: Served) -> None:
    auction.done("subscription", "create", "auction", "one")
    result = auction.tidings("subscription", "create", "auction", "one", "$a == 1")
    assert (result.exit_code, "already" in result.stderr) == (2, True)


def test_a_wrong_constraint_makes_nothing(auction: Served) -> None:
    result = auction.tidings("subscription", "create", "auction", "one", "$a = 1")
    assert "equality is written ==" in result.stderr
    assert auction.done("subscription", "list") == ""


def test_list(auction: Served) -> None:
    auction.done("channel", "create", "other")
    auction.done("subscription", "create", "auction", "b")
    auction.done("subscription", "create", "other", "a")
    _, *rows = auction.done("subscription", "list").splitlines()
    assert [row.split()[:2] for row in rows] == [["auction", "b"], ["other", "a"]]
    assert len(objects(auction.done("subscription", "list", "auction", "--json"))) == 1


def test_suspend_and_resume(auction: Served) -> None:
    auction.done("subscription", "create", "auction", "one")
    told = auction.done("subscription", "suspend", "auction", "one")
    assert told == "subscription one suspended\n"
    assert "suspended" in auction.done("subscription", "show", "auction", "one")
    assert auction.tidings("subscription", "suspend", "auction", "one").exit_code == 2
    auction.done("subscription", "resume", "auction", "one")
    assert "away" in auction.done("subscription", "show", "auction", "one")


def test_delete(auction: Served) -> None:
    auction.done("subscription", "create", "auction", "one")
    [told] = objects(auction.done("subscription", "delete", "auction", "one", "--json"))
    assert told["name"] == "one"
    result = auction.tidings("subscription", "show", "auction", "one")
    assert "no proxy named 'one'" in result.stderr
