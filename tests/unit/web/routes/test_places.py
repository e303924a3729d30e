"""What can be changed at admins and proxies alike; each test runs with both."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.unit.engine.hosts import run
from tests.unit.web.doors import WebDoor, web_door
from tidings.web.options import WebOptions

ADMIN = "/v1/channels/1/admins/consumer/0"
PROXY = "/v1/channels/1/proxies/billing"
PLACES = pytest.mark.parametrize("place", [ADMIN, PROXY])


@asynccontextmanager
async def _places() -> AsyncIterator[WebDoor]:
    async with web_door(WebOptions(unnamed_lifetime=0.02)) as door:
        await door.ask("POST", "/v1/channels", {}, 201)
        await door.ask("POST", "/v1/channels/1/proxies", {"name": "billing"}, 201)
        yield door


@PLACES
def test_quality_of_service_is_changed_and_validated(place: str) -> None:
    async def work() -> None:
        async with _places() as door:
            now = await door.ask("PATCH", f"{place}/qos", {"Priority": 3})
            assert (await door.ask("GET", place))["qos"] == now
            assert now["Priority"] == 3
            found = await door.ask("POST", f"{place}/qos/validate", {"Priority": 4})
            assert "OrderPolicy" in {one["name"] for one in found["ranges"]}
            for method, path in (("PATCH", "qos"), ("POST", "qos/validate")):
                await door.refused(
                    method, f"{place}/{path}", {"Priority": 99_999}, 422, "unsupported_qos"
                )
            assert (await door.ask("GET", place))["qos"] == now

    run(work())


@PLACES
def test_event_types_are_changed(place: str) -> None:
    async def work() -> None:
        async with _places() as door:
            asked = {"added": ["A::B", "A::C"]}
            await door.ask("PATCH", f"{place}/types", asked, 204)
            assert (await door.ask("GET", place))["types"] == ["A::B", "A::C"]
            await door.ask("PATCH", f"{place}/types", {"removed": ["A::C"]}, 204)
            assert (await door.ask("GET", place))["types"] == ["A::B"]
            for body, status in (({"added": "A::B"}, 422), ({"added": ["A::B", 3]}, 422)):
                await door.ask("PATCH", f"{place}/types", body, status)
            assert (await door.ask("GET", place))["types"] == ["A::B"]

    run(work())


@PLACES
def test_filters_are_attached_and_taken_off(place: str) -> None:
    async def work() -> None:
        async with _places() as door:
            made = await door.ask("POST", "/v1/filters", {"constraints": ["$a > 1"]}, 201)
            answers = []
            for _ in range(3):
                answer = await door.client.post(f"{place}/filters", json={"filter": made["id"]})
                assert answer.status_code == 201
                answers.append(answer.json()["attachment"])
            assert answer.headers["location"].endswith(f"/filters/{answers[-1]}")
            assert len((await door.ask("GET", place))["filters"]) == 3
            await door.ask("DELETE", answer.headers["location"], status=204)
            assert list((await door.ask("GET", place))["filters"]) == [str(n) for n in answers[:2]]
            await door.refused("DELETE", answer.headers["location"], None, 404, "filter_not_found")
            await door.ask("DELETE", f"{place}/filters", status=204)
            assert (await door.ask("GET", place))["filters"] == {}

    run(work())


@PLACES
@pytest.mark.parametrize("filter", [99, -1, "1", None, 1.5])
def test_what_is_no_filter_is_not_attached(place: str, filter: object) -> None:
    async def work() -> None:
        async with _places() as door:
            status = 404 if filter == 99 else 422
            await door.ask("POST", f"{place}/filters", {"filter": filter}, status)
            await door.ask("DELETE", f"{place}/filters/x", status=422)
            assert (await door.ask("GET", place))["filters"] == {}

    run(work())


@PLACES
@pytest.mark.parametrize("purpose", ["priority", "lifetime"])
def test_mapping_filters_are_set_and_taken_off(place: str, purpose: str) -> None:
    async def work() -> None:
        async with _places() as door:
            kind = "short" if purpose == "priority" else "unsigned long long"
            asked = {"default": {"$type": kind, "value": 1}}
            made = (await door.ask("POST", "/v1/mapping-filters", asked, 201))["id"]
            path = f"{place}/mappings/{purpose}"
            await door.ask("PUT", path, {"filter": made}, 204)
            assert (await door.ask("GET", place))[f"{purpose}_filter"] == made
            await door.refused("PUT", path, {"filter": 99}, 404, "filter_not_found")
            await door.refused("PUT", path, {}, 422, "bad_input")
            assert (await door.ask("GET", place))[f"{purpose}_filter"] == made
            await door.ask("PUT", path, {"filter": None}, 204)
            assert (await door.ask("GET", place))[f"{purpose}_filter"] is None

    run(work())


@PLACES
def test_there_are_two_purposes_of_mapping_filters(place: str) -> None:
    async def work() -> None:
        async with _places() as door:
            await door.refused(
                "PUT", f"{place}/mappings/colour", {"filter": None}, 422, "bad_input"
            )

    run(work())


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PATCH", "qos"),
        ("POST", "qos/validate"),
        ("PATCH", "types"),
        ("DELETE", "filters"),
        ("DELETE", "filters/1"),
    ],
)
@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("/v1/channels/1/admins/consumer/9", "admin_not_found"),
        ("/v1/channels/1/proxies/9", "proxy_not_found"),
        ("/v1/channels/1/proxies/nobody", "proxy_not_found"),
    ],
)
def test_what_is_not_there_is_not_found(method: str, path: str, place: str, code: str) -> None:
    async def work() -> None:
        async with _places() as door:
            body: object = None if method == "DELETE" else {}
            await door.refused(method, f"{place}/{path}", body, 404, code)

    run(work())


def test_a_proxy_that_is_made_to_last_does_not_end_by_itself() -> None:
    async def work() -> None:
        async with _places() as door:
            made = await door.ask("POST", "/v1/channels/1/proxies", {}, 201)
            assert len(door.state.lifetimes) == 1
            path = f"/v1/channels/1/proxies/{made['id']}/qos"
            await door.ask("PATCH", path, {"Priority": 2})
            assert len(door.state.lifetimes) == 1
            await door.ask("PATCH", path, {"ConnectionReliability": "Persistent"})
            assert len(door.state.lifetimes) == 0

    run(work())
