"""Requests in the log, each at its depth, without what could be secret."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from tidings.server.requests import RequestLog, operation_depth, request_depth

SECRET = "a-token-of-the-owner"


@pytest.mark.parametrize(
    ("method", "path", "depth"),
    [
        ("POST", "/v1/channels", 1),
        ("DELETE", "/v1/channels/7", 1),
        ("GET", "/v1/channels", 4),
        ("PATCH", "/v1/channels/7/qos", 2),
        ("PATCH", "/v1/channels/7/admin-properties", 2),
        ("POST", "/v1/channels/7/admins", 3),
        ("PATCH", "/v1/channels/7/admins/consumer/0/qos", 3),
        ("POST", "/v1/channels/7/proxies", 3),
        ("DELETE", "/v1/channels/7/proxies/9", 3),
        ("POST", "/v1/channels/7/proxies/9/pull", 4),
        ("POST", "/v1/channels/7/proxies/9/ack", 4),
        ("POST", "/v1/channels/7/events", 4),
        ("POST", "/v1/filters", 4),
        ("GET", "/", 4),
    ],
)
def test_depths(method: str, path: str, depth: int) -> None:
    assert request_depth(method, path) == depth


@pytest.mark.parametrize(
    ("interface", "operation", "depth"),
    [
        ("CosNotifyChannelAdmin::EventChannelFactory", "create_channel", 1),
        ("omniEvents::EventChannelFactory", "create_object", 1),
        ("CosNotifyChannelAdmin::EventChannelFactory", "get_all_channels", 4),
        ("CosNotifyChannelAdmin::EventChannel", "destroy", 1),
        ("CosNotifyChannelAdmin::EventChannel", "set_qos", 2),
        ("CosNotifyChannelAdmin::EventChannel", "set_admin", 2),
        ("CosNotifyChannelAdmin::EventChannel", "new_for_consumers", 3),
        ("CosNotifyChannelAdmin::EventChannel", "_get_MyFactory", 4),
        ("CosNotifyChannelAdmin::ConsumerAdmin", "obtain_notification_push_supplier", 3),
        ("CosNotifyChannelAdmin::ConsumerAdmin", "_set_priority_filter", 3),
        ("CosNotifyChannelAdmin::ProxyPushSupplier", "connect_any_push_consumer", 3),
        ("CosNotifyChannelAdmin::ProxyPushSupplier", "obtain_offered_types", 4),
        ("CosEventChannelAdmin::ProxyPushConsumer", "push", 4),
        ("CosNotifyChannelAdmin::ProxyPullSupplier", "try_pull", 4),
        ("CosNotifyFilter::Filter", "add_constraints", 4),
        ("CosNaming::NamingContextExt", "resolve", 4),
    ],
)
def test_depths_of_operations(interface: str, operation: str, depth: int) -> None:
    assert operation_depth(interface, operation) == depth


def told(caplog: pytest.LogCaptureFixture, scope: dict[str, Any], level: int,
         *messages: dict[str, Any]) -> list[str]:  # fmt: skip
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in messages:
            await send(message)

    async def receive() -> dict[str, Any]:
        return {}

    async def send(message: Any) -> None:
        sent.append(message)

    whole = {"headers": [(b"authorization", SECRET.encode())], "query_string": SECRET.encode()}
    caplog.clear()
    with caplog.at_level(logging.INFO, "tidings.server.requests"):
        asyncio.run(RequestLog(app, lambda: level)({**whole, **scope}, receive, send))
    assert sent == list(messages)
    assert SECRET not in caplog.text
    return [record.getMessage().partition(", ")[0] for record in caplog.records]


def test_what_is_told(caplog: pytest.LogCaptureFixture) -> None:
    request = {"type": "http", "method": "POST", "path": "/v1/channels"}
    answer = {"type": "http.response.start", "status": 201}
    assert told(caplog, request, 1, answer) == ["POST /v1/channels: 201"]
    assert caplog.records[0].__dict__["depth"] == 1
    assert told(caplog, request, 0, answer) == []
    assert told(caplog, {**request, "method": "GET"}, 3, answer) == []
    assert told(caplog, {**request, "method": "GET"}, 4, answer) == ["GET /v1/channels: 201"]
    assert told(caplog, request, 4) == ["POST /v1/channels: cut"]


def test_websockets(caplog: pytest.LogCaptureFixture) -> None:
    scope = {"type": "websocket", "path": "/v1/ws"}
    accepted = {"type": "websocket.accept"}
    assert told(caplog, scope, 3, accepted) == []
    closed = {"type": "websocket.close", "code": 1013}
    assert told(caplog, scope, 4, accepted, closed) == ["WEBSOCKET /v1/ws: 1013"]
    denied = {"type": "websocket.http.response.start", "status": 401}
    assert told(caplog, scope, 4, denied) == ["WEBSOCKET /v1/ws: 401"]


def test_other_scopes_pass(caplog: pytest.LogCaptureFixture) -> None:
    assert told(caplog, {"type": "lifespan"}, 4) == []
