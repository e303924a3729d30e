"""The rule book of docs/security.md, cell by cell, for a client in C++ on omniORB."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.edges.servants.towns import opened
from tests.real.interop.notifying import Client, client
from tests.rule_book import PROXY, ROADS, cells, end, world
from tidings.engine.door import LocalDoor
from tidings.grants import requests as g

# What the client is to do with the reference `it`; the first exception is the answer.
COMMANDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "see the channel": (("get_qos", "it"),),
    "manage": (("new_admin", "made", "it", "consumers", "AND"),),
    "publish": (
        ("get", "admin", "it", "for_suppliers"),
        ("obtain", "made", "admin", "push", "structured"),
    ),
    "subscribe": (
        ("get", "admin", "it", "for_consumers"),
        ("obtain", "made", "admin", "pull", "structured"),
    ),
    "use the proxy": (("set_qos", "it", ""),),
    "inspect the proxy": (("get_qos", "it"),),
    "administer": (("issue", "made", "it", "it", "ann"),),
}
ANSWERS = {
    "forbidden": "! NO_PERMISSION minor 0 completed 1",
    "missing": "! OBJECT_NOT_EXIST minor 4f4d0001 completed 1",
}


async def answered(made: Client, asked: str) -> str:
    """What the client is answered with: an exception, or nothing."""
    for command in COMMANDS[asked]:
        for line in await made.do(*command):
            if line.startswith("! "):
                return line
    return ""


def reference(asked: str) -> g.CreateReference:
    """What Ann needs for a row."""
    if asked == "administer":
        return g.CreateReference("ann", agent=True)
    return g.CreateReference("ann", ROADS, proxy=PROXY if asked.endswith("the proxy") else None)


@cells()
async def test_a_cell_in_cpp(notify: Path, asked: str, relation: str, answer: str) -> None:
    async with world(asked, relation) as host, opened(host), client(notify) as made:
        issued = await LocalDoor(host).request(reference(asked))
        await made.done("url", "it", issued.reference)
        found = await answered(made, asked)
        assert found == ANSWERS.get(answer, "")
        if answer == "missing":
            await end(host, asked)
            assert await answered(made, asked) == found


@pytest.mark.parametrize("key", ["roads", "nothing", "NotificationService", "NameService"])
async def test_who_says_not_who_it_is_learns_nothing(notify: Path, key: str) -> None:
    async with world("subscribe", "no grant") as host, opened(host) as town, client(notify) as made:
        await made.done("url", "it", f"corbaloc::127.0.0.1:{town.port}/{key}")
        if key in ("roads", "nothing"):  # as if there was no such channel
            assert await made.do("get", "admin", "it", "for_consumers") == [ANSWERS["missing"]]
        elif key == "NotificationService":
            assert await made.do("create_channel", "c", "it", "", "") == [ANSWERS["forbidden"]]
