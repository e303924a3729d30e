"""JSON lines: answers in order, for whoever reads them, and nobody else is held up."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect

from tests.unit.engine.hosts import new_channel, run, turns, until
from tidings.engine.access import OWNER
from tidings.engine.host import Host
from tidings.web.line_answers import LineAnswers
from tidings.web.options import WebOptions
from tidings.web.publishing import Publisher
from tidings.web.reading import Numbering
from tidings.web.state import WebState

LINE = b'{"domain":"a","type":"b"}\n'


class Call:
    """One request, seen from the server: parts of the body in, messages out."""

    def __init__(self) -> None:
        self.parts: asyncio.Queue[Any] = asyncio.Queue()
        self.sent: list[Any] = []
        self.reads = asyncio.Event()
        self.reads.set()
        self.received = 0

    def give(self, body: bytes, more: bool = True) -> None:
        self.parts.put_nowait({"type": "http.request", "body": body, "more_body": more})

    async def receive(self) -> Any:
        self.received += 1
        return await self.parts.get()

    async def send(self, message: Any) -> None:
        await self.reads.wait()
        self.sent.append(message)

    def answers(self) -> list[Any]:
        body = b"".join(one.get("body", b"") for one in self.sent)
        return [json.loads(line) for line in body.splitlines()]


async def _response(host: Host, **options: Any) -> tuple[LineAnswers, int]:
    state = WebState(host, WebOptions(**options))
    channel = await new_channel(host)
    publisher = Publisher(state, state.door(OWNER), channel, None, trail=False)
    await publisher.begin()
    return LineAnswers(publisher, Numbering(Headers()), state, state.stream()), channel


def test_the_answer_begins_with_the_first_line_and_ends_with_the_body() -> None:
    async def work() -> None:
        host = await Host.open(None)
        response, _ = await _response(host)
        call = Call()
        running = asyncio.ensure_future(response({}, call.receive, call.send))
        call.give(LINE[:5])
        await turns()
        assert call.sent == []
        call.give(LINE[5:] + b"{}\n" + LINE[:-1])
        await until(lambda: len(call.answers()) == 2)
        assert call.sent[0]["status"] == 200
        call.give(b"", more=False)
        await running
        assert [(one["line"], one.get("seq")) for one in call.answers()] == [
            (1, 1), (2, None), (3, 2),
        ]  # fmt: skip
        assert call.sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}
        await host.close()

    run(work())


def test_whoever_does_not_read_the_answers_is_not_read_further() -> None:
    async def work() -> None:
        host = await Host.open(None)
        response, channel = await _response(host)
        call = Call()
        call.reads.clear()
        running = asyncio.ensure_future(response({}, call.receive, call.send))
        for _ in range(100):
            call.give(LINE)
        await turns(300)
        accepted = host.factory.channel(channel).seq
        assert accepted < 30
        call.reads.set()
        call.give(b"", more=False)
        await running
        assert [one["seq"] for one in call.answers()] == list(range(1, 101))
        await host.close()

    run(work())


@pytest.mark.parametrize(("options", "begun", "why"), [
    ({"upload_pause": 0.02}, b"", "nothing has come for 0.02 s"),
    ({"read_patience": 0.02}, LINE[:5], "the end of the line"),
    ({"body_patience": 0.02}, LINE[:5], "the end of the line"),
])  # fmt: skip
def test_a_slow_upload_is_ended_and_what_came_is_answered(
    options: dict[str, float], begun: bytes, why: str
) -> None:
    async def work() -> None:
        host = await Host.open(None)
        response, channel = await _response(host, **options)
        call = Call()
        call.give(LINE + begun)
        await response({}, call.receive, call.send)
        first, last = call.answers()
        assert (first["line"], first["seq"], last["line"]) == (1, 1, 2)
        assert why in last["error"]["detail"]
        assert host.factory.channel(channel).seq == 1
        assert response._counts.streams == 0
        await host.close()

    run(work())


def test_a_client_that_is_gone_ends_it() -> None:
    async def work() -> None:
        host = await Host.open(None)
        response, channel = await _response(host)
        call = Call()
        call.give(LINE)
        call.parts.put_nowait({"type": "http.disconnect"})
        with pytest.raises(ClientDisconnect):
            await response({}, call.receive, call.send)
        assert host.factory.channel(channel).seq == 1
        await host.close()

    run(work())


def test_a_host_that_stops_is_an_error_in_each_line() -> None:
    async def work() -> None:
        host = await Host.open(None)
        response, _ = await _response(host)
        await host.close()
        call = Call()
        call.give(LINE * 2, more=False)
        await response({}, call.receive, call.send)
        codes = [one["error"]["code"] for one in call.answers()]
        assert codes == ["stopping", "stopping"]

    run(work())
