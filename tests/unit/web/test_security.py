from __future__ import annotations

import logging

import pytest
from starlette.requests import HTTPConnection
from starlette.types import Message, Scope

from tests.unit.engine.hosts import run
from tests.unit.web.doors import check_problem, web_door
from tidings.engine.access import OWNER
from tidings.errors import Forbidden, Unauthenticated
from tidings.web.options import WebOptions
from tidings.web.security import Guard, authenticate, principal_of

TOKEN = "s3cret-token-of-the-owner"
LOOPBACK = WebOptions(
    allowed_hosts=("Desk.example", "proxy.example:8443"), allowed_origins=("https://app.example/",)
)
GUARDED = WebOptions(token=TOKEN)


def _connection(kind: str, headers: list[tuple[str, str]], **more: object) -> HTTPConnection:
    raw = [(name.encode(), value.encode()) for name, value in headers]
    return HTTPConnection({"type": kind, "path": "/v1/channels", "headers": raw, **more})


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "127.1.2.3", "[::1]:8080", "[::1]",
     "desk.example", "desk.example:99", "proxy.example:8443"],
)  # fmt: skip
def test_on_the_loopback_its_names_and_the_allowed_ones_will_do(kind: str, host: str) -> None:
    connection = _connection(kind, [("host", host)])
    assert authenticate(connection, LOOPBACK) is OWNER
    assert principal_of(connection) is OWNER


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("host", "")],
        [("host", "evil.example")],
        [("host", "localhost.evil.example")],
        [("host", "evil.example:8080")],
        [("host", "proxy.example")],
        [("host", "10.0.0.1")],
        [("host", "[::2]")],
        [("host", "localhost:port")],
        [("host", "localhost@evil.example")],
        [("host", "localhost/x")],
        [("host", "localhost"), ("host", "evil.example")],
    ],
)
def test_a_host_of_another_name_is_refused(kind: str, headers: list[tuple[str, str]]) -> None:
    with pytest.raises(Forbidden, match="Host header"):
        authenticate(_connection(kind, headers), LOOPBACK)


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "origin", ["http://localhost:8080", "https://LOCALHOST:8080", "https://app.example"]
)
def test_a_page_of_the_same_host_or_an_allowed_origin_may(kind: str, origin: str) -> None:
    headers = [("host", "localhost:8080"), ("origin", origin)]
    assert authenticate(_connection(kind, headers), LOOPBACK) is OWNER


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "origins",
    [
        ["https://evil.example"],
        ["http://localhost:3000"],
        ["http://localhost"],
        ["null"],
        [""],
        ["http://app.example"],
        ["https://app.example.evil.example"],
        ["http://localhost:8080", "https://evil.example"],
    ],
)
def test_a_page_of_another_origin_may_not(kind: str, origins: list[str]) -> None:
    headers = [("host", "localhost:8080"), *(("origin", one) for one in origins)]
    with pytest.raises(Forbidden, match="origin"):
        authenticate(_connection(kind, headers), LOOPBACK)


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_with_the_token_any_host_will_do(kind: str, scheme: str) -> None:
    headers = [("host", "tidings.example"), ("authorization", f"{scheme} {TOKEN}")]
    assert authenticate(_connection(kind, headers), GUARDED) is OWNER


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("authorization", "")],
        [("authorization", "Bearer")],
        [("authorization", TOKEN)],
        [("authorization", f"Basic {TOKEN}")],
        [("authorization", f"Bearer {TOKEN}x")],
        [("authorization", f"Bearer {TOKEN[:-1]}")],
        [("authorization", "Bearer \xff\xfe")],
        [("authorization", f"Bearer {TOKEN}"), ("authorization", f"Bearer {TOKEN}")],
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_without_the_token_nobody_is_known(kind: str, headers: list[tuple[str, str]]) -> None:
    given = [("host", "localhost"), *headers]
    with pytest.raises(Unauthenticated) as caught:
        authenticate(_connection(kind, given), GUARDED)
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
    ["/", "/metrics", "/docs/api", "/v1/openapi.json", "/v1/channels", "/v1/tree", "/nothing",
     "/health", "/healthy", "/health%2Flive"],
)  # fmt: skip
def test_every_path_but_the_health_is_guarded(path: str) -> None:
    async def work() -> None:
        async with web_door(GUARDED) as door:
            refused = await door.client.get(path)
            check_problem(refused, 401)
            assert refused.headers["www-authenticate"] == "Bearer"
            known = {"Authorization": f"Bearer {TOKEN}"}
            assert (await door.client.get(path, headers=known)).status_code != 401
            for open_path in ("/health/live", "/health/ready"):
                assert (await door.client.get(open_path)).status_code == 200

    run(work())


def test_on_the_loopback_a_foreign_host_is_answered_with_a_problem() -> None:
    async def work() -> None:
        async with web_door() as door:
            for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
                check_problem(await door.client.get("/v1/channels", headers=headers), 403)

    run(work())


@pytest.mark.parametrize("extensions", [{}, {"websocket.http.response": {}}])
def test_a_websocket_is_refused_before_it_is_accepted(extensions: dict[str, object]) -> None:
    async def work() -> list[Message]:
        sent: list[Message] = []

        async def app(scope: Scope, *_: object) -> None:
            pytest.fail("a route was reached")

        async def receive() -> Message:
            return {"type": "websocket.connect"}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {"type": "websocket", "path": "/v1/ws", "headers": [], "extensions": extensions,
                 "subprotocols": ["tidings.token.wrong"]}  # fmt: skip
        await Guard(app, GUARDED)(scope, receive, send)
        return sent

    sent = run(work())
    if extensions:
        assert sent[0]["type"] == "websocket.http.response.start"
        assert sent[0]["status"] == 401
    else:
        assert [message["type"] for message in sent] == ["websocket.close"]


def test_no_token_gets_into_a_log_or_an_answer(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def work() -> str:
        async with web_door(GUARDED) as door:
            answers = [
                await door.client.get(
                    "/v1/channels", headers={"Authorization": f"{scheme} {given}"}
                )
                for scheme in ("Bearer", "Basic")
                for given in (TOKEN, "another-secret")
            ]
            return "".join(one.text + str(one.headers) for one in answers)

    told = run(work()) + caplog.text + repr(GUARDED)
    assert TOKEN not in told
    assert "another-secret" not in told
