from __future__ import annotations

import asyncio

import pytest

from tests.unit.cli.running import objects
from tests.unit.cli.served import Served
from tidings.client.client import Client


@pytest.fixture
def auction(served: Served) -> Served:
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


def test_tree(auction: Served) -> None:
    shown = auction.done("tree")
    head, *_ = shown.splitlines()
    assert head == "auction   id 1, 3 accepted, 3 waiting"
    assert "├─ supplier admin 0\n" in shown
    assert "cheap  push structured   away, 1 waiting, 0 in flight, 1 delivered\n" in shown
    assert "└─ consumer admin 1   AND, 1 filter\n" in shown
    assert "waits  push structured   away, 3 waiting, 0 in flight\n" in shown
    assert "\nempty   id 2, 0 accepted, 0 waiting\n" in shown


def test_tree_as_json(auction: Served) -> None:
    [told] = objects(auction.done("tree", "--json"))
    first, second = told["channels"]
    assert (first["name"], second["name"]) == ("auction", "empty")
    assert [len(one["proxies"]) for one in first["admins"]] == [0, 1, 1]


def test_nothing_there(served: Served) -> None:
    assert served.done("tree") == "there are no channels\n"


def _ended_after(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    """Has Ctrl-C pressed after so many looks."""
    left = [looks]

    async def sleep(seconds: float) -> None:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    monkeypatch.setattr("tidings.cli.tree.asyncio", _Sleepless(sleep))


class _Sleepless:
    def __init__(self, sleep: object) -> None:
        self.sleep = sleep

    def __getattr__(self, name: str) -> object:
        return getattr(asyncio, name)


@pytest.mark.parametrize("command", [("tree",), ("top",), ("tree", "--json")])
def test_watching_looks_again_until_ctrl_c(
    auction: Served, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    once = auction.done(*command)
    _ended_after(monkeypatch, 3)
    result = auction.tidings(*command, "--watch")
    assert (result.stdout, result.exit_code) == (once * 3, 130)


def test_top(auction: Served) -> None:
    shown = auction.done("top")
    assert [line.split()[1] for line in shown.splitlines()] == ["consumer", "waits", "cheap"]
    [first] = objects(auction.done("top", "--most", "1", "--json"))
    assert (first["name"], first["waiting"], first["channel_name"]) == ("waits", 3, "auction")
    auction.done("top", "--by", "failures")
