"""Who looks at live objects sees the newest values, whatever the way there, and after a restart."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.promises.services import Service
from tidings import errors as e
from tidings.client.client import Client
from tidings.client.live import LiveView
from tidings.engine.access import Caller
from tidings.live import requests as r
from tidings.live.area import Area

pytestmark = pytest.mark.not_over_corba("live")

GRAZ = {"latitude": 47.0, "longitude": 15.4, "height": 3_200}
ROME = {"latitude": 41.9, "longitude": 12.5, "height": 900}


async def until(view: LiveView, wanted: dict[str, object]) -> None:
    """Wait until a view shows these objects, and nothing else."""
    if view.objects != wanted:
        async for _ in view:
            if view.objects == wanted:
                return


@asynccontextmanager
async def both(service: Service) -> AsyncIterator[tuple[Client, Client]]:
    """Two clients; two objects are there already."""
    feeding, looking = await service.client(), await service.client()
    await feeding.set_objects({"flight/1": GRAZ, "flight/2": ROME})
    yield feeding, looking


async def test_a_view_follows_what_moves(service: Service) -> None:
    async with both(service) as (feeding, looking), looking.look("flight/", rate=60) as view:
        await until(view, {"flight/1": GRAZ, "flight/2": ROME})
        for height in range(50):
            await feeding.set_objects({"flight/1": {"height": height}, "car/1": {}})
        await until(view, {"flight/1": GRAZ | {"height": 49}, "flight/2": ROME})
        await feeding.transport.ask(r.DeleteObject("flight/1"))
        await until(view, {"flight/2": ROME})
        await feeding.set_objects({"flight/1": {"height": 1, "zones": (1, 2)}})
        await until(view, {"flight/1": {"height": 1, "zones": (1, 2)}, "flight/2": ROME})


async def test_a_view_shows_what_it_asks_for(service: Service) -> None:
    area, high = (46.0, 14.0, 48.0, 17.0), "$height > 1000 and '/' ~ $tag"
    async with (
        both(service) as (feeding, looking),
        looking.look(area=area, attributes=["height"], rate=60) as near,
        looking.look(filter=high, rate=60) as above,
    ):
        await until(near, {"flight/1": {"height": 3_200}})
        await until(above, {"flight/1": GRAZ})
        await feeding.set_objects({"flight/2": GRAZ, "flight/1": {"longitude": 17.5, "height": 1}})
        await until(near, {"flight/2": {"height": 3_200}})
        await until(above, {"flight/2": GRAZ})
        see = looking.transport.request
        asked = r.SeeLiveObjects("flight/", Area(*area), high, ["longitude"])
        assert [(one.tag, one.attributes) for one in await see(asked)] == [
            ("flight/2", {"longitude": 15.4})
        ]
        pages = [
            [one.number for one in await see(r.SeeLiveObjects(after=after, most=1))]
            for after in range(3)
        ]
        assert pages == [[1], [2], []]


@pytest.mark.parametrize("kill", [False, True])
async def test_objects_outlast_a_restart(lasting: Service, kill: bool) -> None:
    client = await lasting.client()
    await client.set_objects({"flight/1": GRAZ, "flight/2": ROME, "flight/3": {}})
    await client.set_objects({"flight/2": {"height": 5}})
    await client.transport.ask(r.DeleteObject("flight/3"))
    await lasting.restart(kill=kill)
    client = await lasting.client()
    found = await client.transport.request(r.SeeLiveObjects())
    assert [(one.number, one.tag, one.attributes) for one in found] == [
        (1, "flight/1", GRAZ),
        (2, "flight/2", ROME | {"height": 5}),
    ]
    await client.set_objects({"flight/3": {}})  # another one: views must not take it for the first
    assert (await client.transport.request(r.SeeLiveObject("flight/3"))).number == 4


@pytest.mark.parametrize(
    ("tag", "attributes", "error", "said"),
    [
        ("ab", {}, e.BadTag, "'ab' is not a tag"),
        ("a tag", {}, e.BadTag, "without blanks"),
        ("flight/1", {"a b": 1}, e.BadAttributeName, "object flight/1: 'a b' is not the name"),
        ("flight/1", {"tag": 1}, e.BadAttributeName, "object flight/1: no attribute is called"),
        ("flight/1", {"latitude": 90.5}, e.InvalidUsage, "flight/1: latitude is '90.5': it is"),
        ("flight/1", {"longitude": "x"}, e.InvalidUsage, "from -180 to 180, in degrees"),
        ("flight/1", {"x": "x" * 17_000}, e.LimitExceeded, "more than 16384"),
        ("flight/1", {f"x{at}": 1 for at in range(101)}, e.LimitExceeded, "100 attributes"),
    ],
)
async def test_what_is_wrong_is_named_and_nothing_is_set(
    service: Service, tag: str, attributes: dict[str, object], error: type[Exception], said: str
) -> None:
    client = await service.client()
    with pytest.raises(error, match=said):
        await client.set_objects({"good/1": {}, tag: attributes})  # type: ignore[dict-item]
    with pytest.raises(e.NotFound, match="'good/1'"):
        await client.transport.request(r.SeeLiveObject("good/1"))


async def test_a_principal_changes_its_own_objects_only(service: Service) -> None:
    async with both(service) as (owner, _):
        ann, bob = await service.client(Caller("ann")), await service.client(Caller("bob"))
        await ann.set_objects({"flight/9": {"height": 1}})
        for refused in ("flight/9", "flight/1"):
            with pytest.raises(e.Forbidden, match=f"{refused} is .*: bob may not change it"):
                await bob.set_objects({refused: {"height": 2}})
            with pytest.raises(e.Forbidden):
                await bob.transport.ask(r.DeleteObject(refused))
        with pytest.raises(e.Forbidden):
            await ann.transport.request(r.DeleteObjects("flight/"))
        await owner.set_objects({"flight/9": {"height": 3}})
        await ann.transport.ask(r.DeleteObject("flight/9"))
        assert await owner.transport.request(r.DeleteObjects("flight/")) == 2
        with pytest.raises(e.NotFound):
            await owner.transport.request(r.DeleteObjects("flight/"))


async def test_a_view_that_cannot_be_is_refused(service: Service) -> None:
    client = await service.client()
    for given, error in (
        ({"filter": "$height >"}, e.InvalidConstraint),
        ({"pattern": "ab"}, e.BadTag),
        ({"rate": 1_000}, e.InvalidUsage),
        ({"area": (10.0, 0.0, 0.0, 0.0)}, e.InvalidUsage),
        ({"attributes": ["a b"]}, e.BadAttributeName),
    ):
        with pytest.raises(error):
            client.look(**given)


async def test_areas_across_the_180th_meridian(service: Service) -> None:
    client = await service.client()
    await client.set_objects(
        {
            f"island/{longitude}": {"latitude": -17.0, "longitude": longitude}
            for longitude in (-179.0, 179.0, 0.0)
        }
    )
    found = await client.transport.request(r.SeeLiveObjects(area=Area(-18, 178, -16, -178)))
    assert [one.tag for one in found] == ["island/-179.0", "island/179.0"]
