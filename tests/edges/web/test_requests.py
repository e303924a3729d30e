"""Requests: bodies, queries, paths, who may ask, what is wrong, and the text of the API."""

from __future__ import annotations

import asyncio
import logging
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from tests.edges.web.doors import check_problem, web_door
from tidings import errors
from tidings.api.problems import error_of, problem_of
from tidings.channel.questions import SeeChannel
from tidings.engine import viewing
from tidings.engine.access import OWNER
from tidings.errors import Forbidden, InvalidUsage, LimitExceeded, TidingsError, Unauthenticated
from tidings.web.bodies import media_type, read_body
from tidings.web.faults import LastResort, deny_socket, problem_response, refuse
from tidings.web.openapi import docs_page
from tidings.web.options import WebOptions
from tidings.web.paths import PathParts, part
from tidings.web.replay import microseconds
from tidings.web.security import authenticate

FOUR = WebOptions(max_body=4)
JSON = {"Content-Type": "application/json"}
BOTH_KINDS = pytest.mark.parametrize("kind", ["http", "websocket"])


def _request(parts: list[bytes], *headers: tuple[str, str]) -> Request:
    left = list(parts)

    async def receive() -> Message:
        part = left.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    raw = [(name.encode(), value.encode()) for name, value in headers]
    return Request({"type": "http", "method": "POST", "path": "/", "headers": raw}, receive)


def test_a_media_type_goes_without_its_parameters() -> None:
    given = ["application/json", "Application/JSON; charset=utf-8", "text/plain", "json", ""]
    found = [media_type(_request([b""], ("content-type", one))) for one in given]
    assert found == ["application/json", "application/json", "text/plain", "json", ""]
    assert media_type(_request([b""])) == ""


async def test_a_body_is_read_whole_up_to_its_limit() -> None:
    assert await read_body(_request([b"ab", b"cd"]), FOUR) == b"abcd"
    assert await read_body(_request([b"ab", b"cd"], ("content-length", "4")), FOUR) == b"abcd"
    with pytest.raises(LimitExceeded, match="longer than the 3"):
        await read_body(_request([b"ab", b"cd"]), WebOptions(max_body=3))
    for declared in ("5", "9" * 5_000):  # it says that it is too long, and is not read
        with pytest.raises(LimitExceeded, match="more than the 4"):
            await read_body(_request([], ("content-length", declared)), FOUR)


X = b'{"name": "x"}'


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b'{"name": "x", "name": "y"}', JSON, 400),
        (b'{"qos": {"Priority": 1, "Priority": 2}}', JSON, 400),
        *((X[:-1], JSON, 400), (b"", JSON, 400), (b'{"name": NaN}', JSON, 400)),
        *((b'{"name": "\xff"}', JSON, 400), (b'{"name": "\\ud800"}', JSON, 400)),
        *((b"[" * 1_990, JSON, 400), (b"[" * 100_000, JSON, 413)),
        *((X, {}, 415), (X, {"Content-Type": "text/plain"}, 415)),
        *((X, {"Content-Type": "application/xml"}, 415), (X, {"Content-Type": "\x80"}, 415)),
        (X, {"Content-Type": "application/cloudevents+json"}, 415),
        (X, {"Content-Type": "application/json, text/plain"}, 415),
        (X, {"Content-Type": "application/json; charset=latin-1"}, 415),
        (X, {**JSON, "Content-Encoding": "gzip"}, 415),
        (b'{"name": "' + b"x" * 3_000 + b'"}', JSON, 413),
    ],
)
async def test_a_bad_body_is_refused_and_nothing_is_made(
    content: bytes, headers: dict[str, str], status: int
) -> None:
    async with web_door(WebOptions(max_body=200_000 if len(content) > 9_999 else 2_000)) as door:
        raw = {name.encode(): value.encode("latin-1") for name, value in headers.items()}
        answer = await door.client.post("/v1/channels", content=content, headers=raw)
        check_problem(answer, status)
        assert await door.ask("GET", "/v1/channels") == {"channels": []}
        good = {"Content-Type": "application/json; charset=utf-8"}
        answer = await door.client.post("/v1/channels", content=b"{}", headers=good)
        assert answer.status_code == 201


async def test_a_query_has_only_names_that_are_taken_each_once_or_lists() -> None:
    async with web_door() as door:
        for query in ("x=1", "most=1&most=2", "=1", "most=1&x"):
            problem = await door.ask("GET", f"/v1/notices?{query}", status=400)
            assert "most" in problem["detail"]
        await door.ask("GET", "/v1/notices?most=1")
        await door.ask("POST", "/v1/channels", {"name": "x"}, 201)
        path = "/v1/channels/x/events"
        await door.ask("GET", f"{path}?types=A::a&types=B::b")
        await door.ask("GET", f"{path}?filter=$a&filter=$b", status=400)


@pytest.mark.parametrize(("options", "why"), [
    (WebOptions(read_patience=0.01), "nothing of the body has come"),
    (WebOptions(read_patience=9.0, body_patience=0.05), "has not come within 0.05 s"),
])  # fmt: skip
async def test_a_body_that_does_not_come_on_is_not_waited_for(
    options: WebOptions, why: str
) -> None:
    async def receive() -> Message:
        await asyncio.sleep(0.02)  # an octet now and then
        return {"type": "http.request", "body": b"x", "more_body": True}

    request = Request({**_request([]).scope}, receive)
    with pytest.raises(HTTPException, match=why) as caught:
        await read_body(request, options)
    assert caught.value.status_code == 408


async def test_headers_that_matter_stand_there_once() -> None:
    once = ["content-type", "Tidings-Number", "Tidings-Producer", "last-event-id", "ce-id"]
    async with web_door() as door:
        for name in once:
            twice = [(name, "1"), (name, "1"), ("x-other", "1"), ("x-other", "1")]
            answer = await door.client.get("/v1/channels", headers=twice)
            check_problem(answer, 400)
            assert name.lower() in answer.json()["detail"]
            assert (await door.client.get("/v1/channels", headers=twice[1:])).status_code == 200


def test_a_time_is_rfc_3339_or_microseconds() -> None:
    for text, expected in (
        *(("0", 0), ("1760000000000000", 1_760_000_000_000_000), ("1969-12-31T23:59:59Z", 0)),
        *(("1970-01-01T00:00:01Z", 1_000_000), ("1970-01-01t01:00:00.5+01:00", 500_000)),
        ("2026-01-31T12:00:00.000001Z", 1_769_860_800_000_001),
    ):
        assert microseconds(text) == expected
    for text in ("", "-1", "soon", "2026-01-31", "2026-02-30T00:00:00Z", "1" * 18):
        with pytest.raises(InvalidUsage, match="is no time"):
            microseconds(text)


# ---------------------------------------------------------------- paths


def _seen(raw: bytes | None, path: str = "") -> str:
    seen = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["path"])

    scope: Scope = {"type": "http", "path": path or (raw or b"").decode()}
    if raw is not None:
        scope["raw_path"] = raw
    asyncio.run(PathParts(app)(scope, None, None))  # type: ignore[arg-type]
    return str(seen[0])


_NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(st.lists(_NAMES, min_size=1, max_size=3))
def test_each_part_is_read_as_it_was_meant(names: list[str]) -> None:
    raw = "/" + "/".join(quote(name, safe="") for name in names)
    found = _seen(raw.encode()).split("/")[1:]
    assert [part(one) for one in found] == [n.replace("\ufffd", "\ufffe") for n in names]


def test_a_server_that_tells_no_raw_path_is_taken_at_its_word() -> None:
    assert part(_seen(None, "/v1/50%25 off")) == "/v1/50%25 off"


async def test_what_no_channel_can_be_called_is_not_found() -> None:
    odd = ["%00", "%FF", "%0A", "%EF%BF%BF", "%ED%A0%80", "-1", "+1", "1.0", "0x1", "%D9%A3", "%20"]
    async with web_door() as door:
        await door.ask("POST", "/v1/channels", {}, 201)
        for name in (*odd, "a" * 257, "a" * 9_000, "9" * 17, "9" * 9_000):
            for method in ("GET", "DELETE"):
                problem = await door.ask(method, f"/v1/channels/{name}", status=404)
                assert len(problem["detail"]) < 400


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        *(("GET", "/nothing", 404), ("GET", "/v1", 404), ("GET", "/v1/", 404)),
        *(("GET", "/v1/channels/", 404), ("GET", "//v1/channels", 404)),
        *(("GET", "/V1/channels", 404), ("PUT", "/v1/channels", 405)),
        *(("POST", "/health/live", 405), ("GET", "/v1/ws", 426)),
        ("GET", "/v1/channels/x/subscribe", 426),
    ],
)
async def test_what_is_not_there_is_a_problem(method: str, path: str, status: int) -> None:
    async with web_door() as door:
        await door.ask(method, f"http://localhost:8080{path}", status=status)


async def test_a_wrong_method_is_told_all_that_would_do() -> None:
    async with web_door() as door:
        answer = await door.client.put("/v1/channels/1")
        check_problem(answer, 405)
        assert answer.headers["allow"] == "DELETE, GET"
        answer = await door.client.get("/v1/dead-letters/redrive")
        assert answer.headers["allow"] == "POST"


# ---------------------------------------------------------------- faults

HTTP: Scope = {"type": "http", "method": "GET", "path": "/", "headers": []}


def test_every_error_is_answered_as_the_problem_it_is_and_who_may_come_again_is_told_when() -> None:
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, TidingsError) and kind is not TidingsError:
            made = error_of({"code": kind.code, "detail": "so it is"}, kind.http_status)
            response = problem_response(problem_of(made))
            assert response.status_code == made.http_status, kind
            assert response.media_type == "application/problem+json"
    for error in (errors.ChannelFull("full"), errors.DiskFull("full"), errors.Stopping("soon")):
        assert problem_response(problem_of(error)).headers["retry-after"] == "1"


async def test_a_fault_of_ours_is_logged_and_tells_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(self: object, *_: object) -> None:
        raise ValueError("an inner secret")

    async with web_door() as door:
        monkeypatch.setitem(viewing._ANSWERS, SeeChannel, broken)
        await door.ask("POST", "/v1/channels", {}, 500)
        problem = await door.refused("GET", "/v1/channels/1", None, 500, "internal")
        assert "secret" not in str(problem)
    assert "an inner secret" in caplog.text


async def _never() -> Message:
    raise AssertionError("nothing is to be read")


async def test_a_fault_of_the_core_tells_nothing_either(caplog: pytest.LogCaptureFixture) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    with caplog.at_level(logging.ERROR):
        await refuse(HTTP, _never, send, TidingsError("KeyError: 'an inner secret'"))
    assert sent[0]["status"] == 500
    assert b"secret" not in sent[1]["body"]
    assert "a request has met a fault" in caplog.text


def _failing(error: Exception, *, begun: bool) -> Any:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if begun:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        raise error

    return LastResort(app)


@pytest.mark.parametrize(("begun", "kind"), [(True, "http"), (False, "websocket")])
async def test_an_answer_that_has_begun_is_cut(begun: bool, kind: str) -> None:
    async def send(message: Message) -> None:
        assert message["status"] == 200

    with pytest.raises(ValueError, match="late"):
        await _failing(ValueError("late"), begun=begun)({**HTTP, "type": kind}, _never, send)


async def test_a_client_that_went_away_is_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    async def send(message: Message) -> None:
        pytest.fail("nobody hears it")

    with caplog.at_level(logging.WARNING):
        await _failing(ClientDisconnect(), begun=False)(HTTP, _never, send)
    assert not caplog.records


async def test_an_accepted_socket_is_closed_instead_of_answered() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    scope = {"type": "websocket", "path": "/", "headers": []}
    socket = WebSocket({**scope, "extensions": {"websocket.http.response": {}}}, receive, send)
    await socket.accept()
    await deny_socket(socket, Response(status_code=404))
    assert [message["type"] for message in sent] == ["websocket.accept", "websocket.close"]
    assert sent[1]["code"] == 1008


# ---------------------------------------------------------------- who may ask

TOKEN = "s3cret-token-of-the-owner"
APP = "https://app.example"
LOOPBACK = WebOptions(
    allowed_hosts=("Desk.example", "proxy.example:8443"), allowed_origins=(f"{APP}/",)
)
GUARDED = WebOptions(token=TOKEN)


def _connection(kind: str, headers: list[tuple[str, str]], **more: object) -> HTTPConnection:
    raw = [(name.encode(), value.encode()) for name, value in headers]
    return HTTPConnection({"type": kind, "path": "/v1/channels", "headers": raw, **more})


@BOTH_KINDS
@pytest.mark.parametrize(
    "hosts",
    [
        *([], [""], ["evil.example"], ["localhost.evil.example"], ["evil.example:8080"]),
        *(["proxy.example"], ["10.0.0.1"], ["[::2]"], ["localhost:port"], ["localhost/x"]),
        *(["localhost@evil.example"], ["localhost", "evil.example"]),
    ],
)
def test_a_host_of_another_name_is_refused(kind: str, hosts: list[str]) -> None:
    with pytest.raises(Forbidden, match="Host header"):
        authenticate(_connection(kind, [("host", host) for host in hosts]), LOOPBACK)


@BOTH_KINDS
@pytest.mark.parametrize("origin", ["http://localhost:8080", "https://LOCALHOST:8080", APP])
def test_a_page_of_the_same_host_or_an_allowed_origin_may(kind: str, origin: str) -> None:
    headers = [("host", "localhost:8080"), ("origin", origin)]
    assert authenticate(_connection(kind, headers), LOOPBACK) is OWNER


@BOTH_KINDS
@pytest.mark.parametrize(
    "origins",
    [
        *(["https://evil.example"], ["http://localhost:3000"], ["http://localhost"], ["null"]),
        *([""], ["http://app.example"], ["https://app.example.evil.example"]),
        ["http://localhost:8080", "https://evil.example"],
    ],
)
def test_a_page_of_another_origin_may_not(kind: str, origins: list[str]) -> None:
    headers = [("host", "localhost:8080"), *(("origin", one) for one in origins)]
    with pytest.raises(Forbidden, match="origin"):
        authenticate(_connection(kind, headers), LOOPBACK)


@BOTH_KINDS
@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_with_the_token_any_host_will_do(kind: str, scheme: str) -> None:
    headers = [("host", "tidings.example"), ("authorization", f"{scheme} {TOKEN}")]
    assert authenticate(_connection(kind, headers), GUARDED) is OWNER


@BOTH_KINDS
@pytest.mark.parametrize(
    "given",
    [
        *([], [""], ["Bearer"], [TOKEN], [f"Basic {TOKEN}"], [f"Bearer {TOKEN}x"]),
        *([f"Bearer {TOKEN[:-1]}"], ["Bearer \xff\xfe"], [f"Bearer {TOKEN}"] * 2),
    ],
)
def test_without_the_token_nobody_is_known(kind: str, given: list[str]) -> None:
    headers = [("host", "localhost"), *(("authorization", one) for one in given)]
    with pytest.raises(Unauthenticated) as caught:
        authenticate(_connection(kind, headers), GUARDED)
    assert TOKEN[:-1] not in str(caught.value)


def test_a_browser_sends_the_token_as_a_subprotocol() -> None:
    offered = ["tidings.v1", f"tidings.token.{TOKEN}"]
    assert authenticate(_connection("websocket", [], subprotocols=offered), GUARDED) is OWNER
    for wrong in (["tidings.v1"], ["tidings.token.wrong"], [TOKEN]):
        with pytest.raises(Unauthenticated):
            authenticate(_connection("websocket", [], subprotocols=wrong), GUARDED)
    with pytest.raises(Unauthenticated):  # no way to send it with plain HTTP
        authenticate(_connection("http", [], subprotocols=offered), GUARDED)


@pytest.mark.parametrize(
    "path",
    [
        *("/metrics", "/docs/api", "/v1/openapi.json", "/v1/channels", "/v1/tree", "/nothing"),
        *("/health", "/healthy", "/health%2Flive"),
    ],
)
async def test_every_path_but_the_health_and_the_consoles_files_is_guarded(path: str) -> None:
    async with web_door(GUARDED) as door:
        refused = await door.client.get(path)
        check_problem(refused, 401)
        assert refused.headers["www-authenticate"] == "Bearer"
        known = {"Authorization": f"Bearer {TOKEN}"}
        assert (await door.client.get(path, headers=known)).status_code != 401
        for open_path in ("/health/live", "/health/ready", "/", "/console/app.js"):
            assert (await door.client.get(open_path)).status_code == 200


async def test_pages_of_allowed_origins_may_use_the_api() -> None:
    async with web_door(WebOptions(allowed_origins=(APP,))) as door:
        asked = {"Origin": APP, "Access-Control-Request-Method": "PATCH",
                 "Access-Control-Request-Headers": "authorization"}  # fmt: skip
        answer = await door.client.options("/v1/channels", headers=asked)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == APP
        answer = await door.client.get("/v1/channels", headers={"Origin": APP})
        assert answer.headers["access-control-allow-origin"] == APP
        other = {**asked, "Origin": "https://evil.example"}
        answer = await door.client.options("/v1/channels", headers=other)
        assert "access-control-allow-origin" not in answer.headers


# ---------------------------------------------------------------- the text of the API


async def test_every_error_an_operation_may_answer_with_is_a_problem() -> None:
    async with web_door() as door:
        document: dict[str, Any] = await door.ask("GET", "/v1/openapi.json")
        assert await door.ask("GET", "/v1/openapi.json") == document
    assert "ValidationError" not in str(document)  # nothing of the framework's own
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            answers = operation["responses"]
            due = {"500"} if path.startswith("/health/") else {"401", "403", "500"}
            if operation.get("requestBody"):
                due |= {"400", "413", "415", "422"}
            if method != "get":
                due |= {"409", "429", "503", "507"}
            if "{" in path:
                due |= {"404", "422"}
            assert due <= set(answers), path
            for status in (one for one in answers if one >= "400" and len(due) > 1):
                assert answers[status] == {"$ref": f"#/components/responses/Problem{status}"}
                found = document["components"]["responses"][f"Problem{status}"]
                assert list(found["content"]) == ["application/problem+json"]


def _page(operation: dict[str, Any], description: str = "") -> str:
    document = {
        "info": {"title": "T", "version": "1", "description": description},
        "paths": {"/x": {"post": {"operationId": "op", "responses": {}, **operation}}},
        "components": {"schemas": {"S": {"examples": [{"a": "<1>"}]}}},
    }
    return docs_page(document)


def test_lists_and_code_are_marked_on_the_page() -> None:
    page = _page({}, "Words with `code <x>`.\n\n* one\n* two")
    assert "<code>code &lt;x&gt;</code>" in page
    assert "<ul><li>one</li><li>two</li></ul>" in page


def test_members_are_listed_on_the_page_with_those_of_their_objects() -> None:
    inner = {"type": "object", "properties": {"b": {"enum": ["x", "y"]}}}
    members = {
        "a": {"type": "array", "items": inner, "description": "All `of` <them>."},
        "n": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "c": {"const": 1},
    }
    outer = {"type": "object", "required": ["a"], "properties": members}
    page = _page({"requestBody": {"content": {"application/json": {"schema": outer}}}})
    described = "<td>All <code>of</code> &lt;them&gt;.</td>"
    assert f"<td><code>a</code></td><td>list of object, required</td>{described}" in page
    assert "<td><code>a[].b</code></td><td>&quot;x&quot; or &quot;y&quot;</td>" in page
    assert "<td><code>n</code></td><td>integer or null</td>" in page
    assert "<td><code>c</code></td><td>1</td>" in page
