"""The log: levels by depth, requests, two forms, no secrets, no forged lines."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from tests.edges.server.serving import TOKEN
from tidings.channel.effects import Notice, NoticeKind
from tidings.server.logs import Logs, loop_fault
from tidings.server.requests import RequestLog, operation_depth, request_depth

Err = pytest.CaptureFixture[str]


@pytest.fixture
def logs() -> Iterator[Logs]:
    made = Logs(1, "text")
    made.install()
    yield made
    made.uninstall()


def notice(channel: int, proxy: int) -> None:
    told = Notice(NoticeKind.SLOW_CONSUMER, channel, proxy, f"of {channel} and {proxy}")
    words = (told.kind, *told.place, told.detail)
    logging.getLogger("tidings.engine.host").info("%s%s%s: %s", *words)


def test_levels_say_how_deep_messages_come_from(logs: Logs, capsys: Err) -> None:
    shown = {}
    for level in range(5):
        logs.change(level, "text")
        assert logs.level == level
        logging.getLogger("tidings.server.lifecycle").info("start")
        notice(0, 0)
        notice(3, 0)
        notice(3, 9)
        logging.getLogger("tidings.web.lifetimes").info("else")
        logging.getLogger("tidings.web.lifetimes").debug("detail")
        logging.getLogger("tidings.server.requests").info("request", extra={"depth": 4})
        logging.getLogger("tidings.stores.journal").warning("damage")
        logging.getLogger("asyncio").error("fault")
        shown[level] = re.findall(r"(\S+)$", capsys.readouterr().err, re.MULTILINE)
    assert shown == {
        0: [],
        1: ["start", "0", "damage", "fault"],
        2: ["start", "0", "0", "damage", "fault"],
        3: ["start", "0", "0", "9", "damage", "fault"],
        4: ["start", "0", "0", "9", "else", "detail", "request", "damage", "fault"],
    }


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_secret_never_appears(logs: Logs, capsys: Err, form: str) -> None:
    logs.hide((TOKEN, ""))
    logs.change(4, form)
    try:
        raise ValueError(TOKEN)
    except ValueError:
        logging.getLogger("tidings.server").exception("seen: %s", {"Authorization": TOKEN})
    logs.hide(("another-token-is-used",))
    logging.getLogger("tidings.server").info("%s another-token-is-used", TOKEN)
    told = capsys.readouterr().err
    assert TOKEN not in told
    assert "another-token" not in told
    assert told.count("***") == 4


async def test_faults_nobody_waits_for_and_warnings_are_told(logs: Logs, capsys: Err) -> None:
    def fail() -> None:
        raise ValueError("in a thread")

    thread = threading.Thread(target=fail, name="worker")
    thread.start()
    thread.join()
    told = capsys.readouterr().err
    assert "the thread worker has ended by a fault" in told
    assert "ValueError: in a thread" in told
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(loop_fault)
    loop.call_soon(lambda: dict[str, int]()["missing"])
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert "KeyError: 'missing'" in capsys.readouterr().err
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("old ways", UserWarning, stacklevel=1)
        logging.captureWarnings(False)
    assert "UserWarning: old ways" in capsys.readouterr().err


def test_a_message_that_cannot_be_made_ends_nothing(logs: Logs, capsys: Err) -> None:
    record = logging.LogRecord("tidings.server", logging.INFO, "x.py", 3, "%d", (TOKEN,), None)
    ours = "tidings.server.logs"
    (handler,) = (h for h in logging.getLogger().handlers if type(h).__module__ == ours)
    handler.handle(record)
    assert capsys.readouterr().err == "a message in x.py, line 3, could not be made\n"


def test_afterwards_everything_is_as_before() -> None:
    def state() -> tuple[object, ...]:
        root = logging.getLogger()
        return root.level, list(root.handlers), threading.excepthook

    before = state()
    made = Logs(4, "json")
    made.install()
    assert logging.getLogger("tidings").level == logging.DEBUG
    made.uninstall()
    assert state() == before
    assert logging.getLogger("tidings").level == logging.NOTSET


def test_faults_of_clients_are_told_only_where_everything_is(logs: Logs, capsys: Err) -> None:
    uvicorn = logging.getLogger("uvicorn.error")
    for level, shown in ((3, False), (4, True)):
        logs.change(level, "text")
        try:
            raise UnicodeError("of a client")
        except UnicodeError:
            uvicorn.exception("Invalid UTF-8 sequence received from client.")
        told = capsys.readouterr().err
        assert ("Invalid UTF-8" in told) is shown
        assert "Traceback" not in told
    uvicorn.error("anything else")
    assert "anything else" in capsys.readouterr().err


# Requests.


@pytest.mark.parametrize(
    ("depth", "lines"),
    [
        (1, ["POST /v1/channels", "DELETE /v1/channels/7"]),
        (2, ["PATCH /v1/channels/7/qos", "PATCH /v1/channels/7/admin-properties"]),
        (3, ["POST /v1/channels/7/admins", "PATCH /v1/channels/7/admins/consumer/0/qos"]),
        (3, ["POST /v1/channels/7/proxies", "DELETE /v1/channels/7/proxies/9"]),
        (4, ["POST /v1/channels/7/proxies/9/pull", "POST /v1/channels/7/proxies/9/ack"]),
        (4, ["GET /v1/channels", "POST /v1/channels/7/events", "POST /v1/filters", "GET /"]),
    ],
)
def test_depths_of_requests(depth: int, lines: list[str]) -> None:
    assert {line: request_depth(*line.split()) for line in lines} == dict.fromkeys(lines, depth)


@pytest.mark.parametrize(
    ("interface", "depths"),
    [
        ("NotifyChannelAdmin::EventChannelFactory", {"create_channel": 1, "get_all_channels": 4}),
        ("NotifyChannelAdmin::EventChannel", {"destroy": 1, "set_qos": 2, "set_admin": 2}),
        ("NotifyChannelAdmin::EventChannel", {"new_for_consumers": 3, "_get_MyFactory": 4}),
        ("NotifyChannelAdmin::ConsumerAdmin", {"obtain_notification_push_supplier": 3}),
        ("NotifyChannelAdmin::ConsumerAdmin", {"_set_priority_filter": 3}),
        ("NotifyChannelAdmin::ProxyPushSupplier", {"connect_any_push_consumer": 3}),
        ("NotifyChannelAdmin::ProxyPushSupplier", {"obtain_offered_types": 4}),
        ("EventChannelAdmin::ProxyPushConsumer", {"push": 4}),
        ("NotifyChannelAdmin::ProxyPullSupplier", {"try_pull": 4}),
        ("NotifyFilter::Filter", {"add_constraints": 4}),
        ("Naming::NamingContextExt", {"resolve": 4}),
    ],
)
def test_depths_of_operations(interface: str, depths: dict[str, int]) -> None:
    assert {name: operation_depth(f"Cos{interface}", name) for name in depths} == depths
    assert operation_depth("omniEvents::EventChannelFactory", "create_object") == 1


async def told(caplog: pytest.LogCaptureFixture, scope: dict[str, Any], level: int,
         *messages: dict[str, Any]) -> list[str]:  # fmt: skip
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in messages:
            await send(message)

    async def receive() -> dict[str, Any]:
        return {}

    async def send(message: Any) -> None:
        sent.append(message)

    whole = {"headers": [(b"authorization", TOKEN.encode())], "query_string": TOKEN.encode()}
    caplog.clear()
    with caplog.at_level(logging.INFO, "tidings.server.requests"):
        await RequestLog(app, lambda: level)({**whole, **scope}, receive, send)
    assert sent == list(messages)
    assert TOKEN not in caplog.text
    return [record.getMessage().partition(", ")[0] for record in caplog.records]


async def test_what_is_told(caplog: pytest.LogCaptureFixture) -> None:
    request = {"type": "http", "method": "POST", "path": "/v1/channels"}
    answer = {"type": "http.response.start", "status": 201}
    assert await told(caplog, request, 1, answer) == ["POST /v1/channels: 201"]
    assert caplog.records[0].__dict__["depth"] == 1
    assert await told(caplog, request, 0, answer) == []
    assert await told(caplog, {**request, "method": "GET"}, 3, answer) == []
    assert await told(caplog, {**request, "method": "GET"}, 4, answer) == ["GET /v1/channels: 201"]
    assert await told(caplog, request, 4) == ["POST /v1/channels: cut"]
    scope = {"type": "websocket", "path": "/v1/ws"}
    accepted = {"type": "websocket.accept"}
    assert await told(caplog, scope, 3, accepted) == []
    closed = {"type": "websocket.close", "code": 1013}
    assert await told(caplog, scope, 4, accepted, closed) == ["WEBSOCKET /v1/ws: 1013"]
    denied = {"type": "websocket.http.response.start", "status": 401}
    assert await told(caplog, scope, 4, denied) == ["WEBSOCKET /v1/ws: 401"]
