from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket
from websockets.exceptions import InvalidStatus

from tests.unit.engine.hosts import run
from tests.unit.web.doors import check_problem, web_door
from tests.unit.web.served import served
from tidings import errors
from tidings.api.problems import error_of, problem_of
from tidings.errors import ChannelFull, DiskFull, Stopping, TidingsError
from tidings.web.faults import LastResort, deny_socket, http_problem, problem_response, refuse

HTTP: Scope = {"type": "http", "method": "GET", "path": "/", "headers": []}


KINDS = [
    kind
    for kind in (getattr(errors, name) for name in errors.__all__)
    if issubclass(kind, TidingsError) and kind is not TidingsError
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_answered_as_the_problem_it_is(kind: type[TidingsError]) -> None:
    made = error_of({"code": kind.code, "detail": "so it is"}, kind.http_status)
    response = problem_response(problem_of(made))
    assert response.status_code == made.http_status
    assert response.media_type == "application/problem+json"


@pytest.mark.parametrize("error", [ChannelFull("full"), DiskFull("full"), Stopping("soon")])
def test_who_may_come_again_is_told_when(error: TidingsError) -> None:
    assert problem_response(problem_of(error)).headers["retry-after"] == "1"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", "/v1", 404),
        ("GET", "/v1/", 404),
        ("GET", "/v1/channels/", 404),
        ("GET", "//v1/channels", 404),
        ("GET", "/V1/channels", 404),
        ("PUT", "/v1/channels", 405),
        ("POST", "/health/live", 405),
        ("GET", "/v1/ws", 426),
        ("GET", "/v1/channels/x/subscribe", 426),
    ],
)
def test_what_is_not_there_is_a_problem(method: str, path: str, status: int) -> None:
    async def work() -> None:
        async with web_door() as door:
            await door.ask(method, f"http://localhost:8080{path}", status=status)

    run(work())


def test_a_wrong_method_is_told_all_that_would_do() -> None:
    async def work() -> None:
        async with web_door() as door:
            answer = await door.client.put("/v1/channels/1")
            check_problem(answer, 405)
            assert answer.headers["allow"] == "DELETE, GET"
            answer = await door.client.get("/v1/dead-letters/redrive")
            assert answer.headers["allow"] == "POST"

    run(work())


def test_what_does_not_fit_is_told_with_its_places() -> None:
    async def work() -> None:
        async with web_door() as door:
            body = {"name": 3, "colour": "red"}
            problem = await door.refused("POST", "/v1/channels", body, 422, "bad_input")
            assert [one["where"] for one in problem["faults"]] == ["body.name", "body.colour"]

    run(work())


def test_a_fault_of_ours_is_logged_and_tells_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        async with web_door() as door:

            def broken(self: object) -> None:
                raise ValueError("an inner secret")

            monkeypatch.setattr("tidings.engine.viewing.Viewing.channel", broken)
            await door.ask("POST", "/v1/channels", {}, 500)
            problem = await door.refused("GET", "/v1/channels/1", None, 500, "internal")
            assert "secret" not in str(problem)

    with caplog.at_level(logging.ERROR):
        run(work())
    assert "an inner secret" in caplog.text or "broken" in caplog.text


def test_a_fault_of_the_core_tells_nothing_either(caplog: pytest.LogCaptureFixture) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def work() -> None:
        await refuse(HTTP, _never, send, TidingsError("KeyError: 'an inner secret'"))

    with caplog.at_level(logging.ERROR):
        run(work())
    assert sent[0]["status"] == 500
    assert b"secret" not in sent[1]["body"]
    assert "a request has met a fault" in caplog.text


async def _never() -> Message:
    raise AssertionError("nothing is to be read")


def _failing(error: Exception, *, begun: bool) -> Any:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if begun:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        raise error

    return app


@pytest.mark.parametrize(("begun", "kind"), [(True, "http"), (False, "websocket")])
def test_an_answer_that_has_begun_is_cut(begun: bool, kind: str) -> None:
    async def send(message: Message) -> None:
        assert message["status"] == 200

    async def work() -> None:
        app = LastResort(_failing(ValueError("late"), begun=begun))
        with pytest.raises(ValueError, match="late"):
            await app({**HTTP, "type": kind}, _never, send)

    run(work())


def test_a_client_that_went_away_is_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    async def send(message: Message) -> None:
        pytest.fail("nobody hears it")

    async def work() -> None:
        await LastResort(_failing(ClientDisconnect(), begun=False))(HTTP, _never, send)

    with caplog.at_level(logging.WARNING):
        run(work())
    assert not caplog.records


def test_an_accepted_socket_is_closed_instead_of_answered() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def work() -> None:
        extensions: dict[str, object] = {"websocket.http.response": {}}
        socket = WebSocket(
            {"type": "websocket", "path": "/", "headers": [], "extensions": extensions},
            receive,
            send,
        )
        await socket.accept()
        await deny_socket(socket, Response(status_code=404))

    run(work())
    assert [message["type"] for message in sent] == ["websocket.accept", "websocket.close"]
    assert sent[1]["code"] == 1008


def test_a_socket_to_nowhere_is_told_so() -> None:
    async def work() -> None:
        async with served() as door:
            with pytest.raises(InvalidStatus) as caught:
                async with door.wire("/v1/nothing"):
                    pass
            response = caught.value.response
            assert response.status_code == 404
            assert json.loads(response.body)["code"] == "not_found"

    run(work())


def test_what_fails_as_http_is_a_problem_without_a_class() -> None:
    problem = http_problem(408, "too slow")
    assert problem == {"type": "urn:tidings:error:request_timeout", "title": "RequestTimeout",
                       "status": 408, "detail": "too slow", "code": "request_timeout"}  # fmt: skip
    assert type(error_of(problem, 408)) is TidingsError
