from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.engine.hosts import collect, consumer, happened, run, seqs, supplier, until
from tests.unit.web.doors import WebDoor, web_door
from tidings.channel.commands import Push
from tidings.engine.endpoints import BufferEndpoint

PATH = "/v1/dead-letters"


async def _letters(door: WebDoor, count: int) -> BufferEndpoint:
    """A consumer that will never take any of its events."""
    await door.ask("POST", "/v1/channels", {"name": "auctions"}, 201)
    proxy, endpoint = await consumer(door.host, 1)
    sends = await supplier(door.host, 1)
    await door.host.ask(Push(1, sends, [happened(str(n), price=n) for n in range(count)]))
    got = await collect(endpoint, count, ack=False)
    door.host.reject(1, proxy, seqs(got), "the order is unknown")

    async def listed() -> int:
        return len((await door.ask("GET", PATH))["dead_letters"])

    for _ in range(100):
        if await listed() == count:
            break
    return endpoint


def test_dead_letters_are_listed_in_pages(tmp_path: Path) -> None:
    async def work() -> None:
        async with web_door(folder=tmp_path) as door:
            await _letters(door, 3)
            found = (await door.ask("GET", f"{PATH}?channel=auctions&most=2"))["dead_letters"]
            assert [one["event"]["name"] for one in found] == ["0", "1"]
            assert found[0]["causes"][0]["reason"] == "the order is unknown"
            rest = (await door.ask("GET", f"{PATH}?after={found[-1]['id']}"))["dead_letters"]
            assert [one["event"]["name"] for one in rest] == ["2"]
            of = f"{PATH}?channel=1&proxy={found[0]['proxy']}"
            assert len((await door.ask("GET", of))["dead_letters"]) == 3
            assert (await door.ask("GET", f"{PATH}?proxy=77"))["dead_letters"] == []
            assert (await door.ask("GET", f"{PATH}?channel=77"))["dead_letters"] == []

    run(work())


def test_a_dead_letter_is_delivered_again_or_forgotten(tmp_path: Path) -> None:
    async def work() -> None:
        async with web_door(folder=tmp_path) as door:
            endpoint = await _letters(door, 2)
            first, second = (await door.ask("GET", PATH))["dead_letters"]
            await door.ask("POST", f"{PATH}/{first['id']}/redrive", status=204)
            assert seqs(await collect(endpoint, 1)) == [first["seq"]]
            await door.ask("DELETE", f"{PATH}/{second['id']}", status=204)
            assert await door.ask("GET", PATH) == {"dead_letters": []}
            for method, path in (("POST", f"{PATH}/1/redrive"), ("DELETE", f"{PATH}/1")):
                await door.refused(method, path, None, 404, "not_found")

    run(work())


def test_many_are_delivered_again_by_a_constraint(tmp_path: Path) -> None:
    async def work() -> None:
        async with web_door(folder=tmp_path) as door:
            endpoint = await _letters(door, 5)
            asked = {"channel": "auctions", "filter": "$price >= 1", "most": 3}
            assert await door.ask("POST", f"{PATH}/redrive", asked) == {"redriven": 3}
            names = [message.event.name for message in await collect(endpoint, 3)]
            assert names == ["1", "2", "3"]
            assert await door.ask("POST", f"{PATH}/redrive", {"channel": 1}) == {"redriven": 2}
            assert await door.ask("POST", f"{PATH}/redrive", {}) == {"redriven": 0}

    run(work())


def test_what_cannot_be_delivered_again_stays(tmp_path: Path) -> None:
    async def work() -> None:
        async with web_door(folder=tmp_path) as door:
            await _letters(door, 1)
            (letter,) = (await door.ask("GET", PATH))["dead_letters"]
            await door.ask("DELETE", f"/v1/channels/1/proxies/{letter['proxy']}", status=204)
            await until(lambda: not door.host.disk.waiting)
            assert await door.ask("POST", f"{PATH}/redrive", {}) == {"redriven": 0}

    run(work())


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("most=0", 422),
        ("most=1001", 422),
        ("most=x", 422),
        ("most=1&most=2", 400),
        ("mots=1", 400),
        ("after=-1", 422),
        ("proxy=1.0", 422),
        ("channel=nobody", 404),
        ("channel=", 422),
    ],
)
def test_a_bad_query_is_refused(query: str, status: int) -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("GET", f"{PATH}?{query}", status=status)

    run(work())


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"filter": "$a >"}, 422),
        ({"most": 0}, 422),
        ({"channel": "nobody"}, 404),
        ({"channel": 7}, 404),
        ({"chanel": 7}, 422),
    ],
)
def test_a_bad_redrive_is_refused(body: object, status: int) -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", f"{PATH}/redrive", body, status)

    run(work())


def test_a_letter_goes_by_its_number() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", f"{PATH}/x/redrive", status=404)
            await door.ask("DELETE", f"{PATH}/{'9' * 16}", status=422)
            await door.ask("DELETE", f"{PATH}/{'9' * 5000}", status=404)

    run(work())
