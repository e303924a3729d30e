from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message

from tests.unit.engine.hosts import run
from tests.unit.web.doors import check_problem, web_door
from tidings.errors import LimitExceeded
from tidings.web.bodies import media_type, read_body
from tidings.web.options import WebOptions

FOUR = WebOptions(max_body=4)

JSON = {"Content-Type": "application/json"}


def _request(parts: list[bytes], *headers: tuple[str, str]) -> Request:
    left = list(parts)

    async def receive() -> Message:
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    raw = [(name.encode(), value.encode()) for name, value in headers]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": raw}, receive)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("application/json", "application/json"),
        ("Application/JSON; charset=utf-8", "application/json"),
        ("text/plain", "text/plain"),
        ("json", "json"),
        ("", ""),
    ],
)
def test_a_media_type_goes_without_its_parameters(given: str, found: str) -> None:
    assert media_type(_request([b""], ("content-type", given))) == found
    assert media_type(_request([b""])) == ""


def test_a_body_is_read_whole_up_to_its_limit() -> None:
    assert run(read_body(_request([b"ab", b"cd"]), FOUR)) == b"abcd"
    assert run(read_body(_request([b"ab", b"cd"], ("content-length", "4")), FOUR)) == b"abcd"
    with pytest.raises(LimitExceeded, match="longer than the 3"):
        run(read_body(_request([b"ab", b"cd"]), WebOptions(max_body=3)))


@pytest.mark.parametrize("declared", ["5", "9" * 5_000])
def test_a_body_that_says_it_is_too_long_is_not_read(declared: str) -> None:
    with pytest.raises(LimitExceeded, match="more than the 4"):
        run(read_body(_request([], ("content-length", declared)), FOUR))


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b'{"name": "x", "name": "y"}', JSON, 400),
        (b'{"qos": {"Priority": 1, "Priority": 2}}', JSON, 400),
        (b'{"name": "x"', JSON, 400),
        (b"", JSON, 400),
        (b'{"name": NaN}', JSON, 400),
        (b'{"name": "\xff"}', JSON, 400),
        (b'{"name": "\\ud800"}', JSON, 400),
        (b"[" * 1_990, JSON, 400),
        (b"[" * 100_000, JSON, 413),
        (b'{"name": "x"}', {}, 415),
        (b'{"name": "x"}', {"Content-Type": "text/plain"}, 415),
        (b'{"name": "x"}', {"Content-Type": "application/xml"}, 415),
        (b'{"name": "x"}', {"Content-Type": "application/cloudevents+json"}, 415),
        (b'{"name": "x"}', {"Content-Type": "application/json, text/plain"}, 415),
        (b'{"name": "x"}', {"Content-Type": "\x80"}, 415),
        (b'{"name": "x"}', {"Content-Type": "application/json; charset=latin-1"}, 415),
        (b'{"name": "x"}', {**JSON, "Content-Encoding": "gzip"}, 415),
        (b'{"name": "' + b"x" * 3_000 + b'"}', JSON, 413),
    ],
)
def test_a_bad_body_is_refused_and_nothing_is_made(
    content: bytes, headers: dict[str, str], status: int
) -> None:
    async def work() -> None:
        async with web_door(
            WebOptions(max_body=200_000 if len(content) > 9_999 else 2_000)
        ) as door:
            raw = {name.encode(): value.encode("latin-1") for name, value in headers.items()}
            answer = await door.client.post("/v1/channels", content=content, headers=raw)
            check_problem(answer, status)
            assert await door.ask("GET", "/v1/channels") == {"channels": []}

    run(work())


def test_a_body_in_many_parts_has_the_same_limit() -> None:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield b" " * 300

    async def work() -> None:
        async with web_door(WebOptions(max_body=2_000)) as door:
            answer = await door.client.post("/v1/channels", content=parts(), headers=JSON)
            check_problem(answer, 413)

    run(work())


def test_a_good_body_may_say_its_charset() -> None:
    async def work() -> None:
        async with web_door() as door:
            headers = {"Content-Type": "application/json; charset=utf-8"}
            answer = await door.client.post("/v1/channels", content=b"{}", headers=headers)
            assert answer.status_code == 201

    run(work())


@pytest.mark.parametrize("query", ["x=1", "most=1&most=2", "=1", "most=1&x"])
def test_a_query_has_only_names_that_are_taken_each_once(query: str) -> None:
    async def work() -> None:
        async with web_door() as door:
            problem = await door.ask("GET", f"/v1/notices?{query}", status=400)
            assert "most" in problem["detail"]
            await door.ask("GET", "/v1/notices?most=1")

    run(work())


def test_a_list_in_a_query_may_stand_there_several_times() -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask("POST", "/v1/channels", {"name": "x"}, 201)
            path = "/v1/channels/x/events"
            await door.ask("GET", f"{path}?types=A::a&types=B::b")
            await door.ask("GET", f"{path}?filter=$a&filter=$b", status=400)

    run(work())


@pytest.mark.parametrize(("options", "why"), [
    (WebOptions(read_patience=0.01), "nothing of the body has come"),
    (WebOptions(read_patience=9.0, body_patience=0.05), "has not come within 0.05 s"),
])  # fmt: skip
def test_a_body_that_does_not_come_on_is_not_waited_for(options: WebOptions, why: str) -> None:
    async def receive() -> Message:
        await asyncio.sleep(0.02)  # an octet now and then
        return {"type": "http.request", "body": b"x", "more_body": True}

    request = Request({**_request([]).scope}, receive)
    with pytest.raises(HTTPException, match=why) as caught:
        run(read_body(request, options))
    assert caught.value.status_code == 408


@pytest.mark.parametrize(
    "name", ["content-type", "Tidings-Number", "Tidings-Producer", "last-event-id", "ce-id"]
)
def test_headers_that_matter_stand_there_once(name: str) -> None:
    async def work() -> None:
        async with web_door() as door:
            twice = [(name, "1"), (name, "1"), ("x-other", "1"), ("x-other", "1")]
            answer = await door.client.get("/v1/channels", headers=twice)
            check_problem(answer, 400)
            assert name.lower() in answer.json()["detail"]
            assert (await door.client.get("/v1/channels", headers=twice[1:])).status_code == 200

    run(work())
