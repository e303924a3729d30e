"""What is promised of events on their way in, and of subscriptions: each test has its row's words.

The rows are those of docs/promises.md; `test_promises.py` compares.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import httpx2
import pytest

from tests.edges.servants.worlds import (
    AnyPushConsumer,
    StructuredPullConsumer,
    joined,
    kind_of,
    numbered,
    until,
    world,
)
from tests.edges.web.served import priced
from tests.patience import PATIENCE
from tests.promises.plain import CHANNEL, plain
from tests.promises.services import HttpService, InProcessService, Service, bid, seqs
from tests.real.e2e.served import Served, served
from tidings import event
from tidings.channel.commands import Push
from tidings.channel.vocabulary import Form, Side, Style
from tidings.cos.CosNotification_auto import Property
from tidings.cos.events import event_in, event_out
from tidings.errors import InvalidEvent, NumberTooOld
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as Box
from tidings.events.codecs.json_codec import decode_event
from tidings.events.envelope import ProducerMark
from tidings.events.structured import STRUCTURED_EVENT
from tidings.orb.exceptions import BAD_PARAM, IMP_LIMIT, Completion
from tidings.servants.service import NIL
from tidings.web.options import WebOptions

# How long one without a name stays: long enough for some requests, on any machine.
LIFETIME = 0.8


@pytest.fixture
def web(tmp_path: Path) -> HttpService:
    """A service that is only reached over the web."""
    return HttpService(tmp_path / "data")


@contextmanager
def _noted_syncs() -> Iterator[dict[int, int]]:
    """How long each file was, by its inode, when it was last synced."""
    sizes: dict[int, int] = {}

    def noting(sync: Callable[[int], None]) -> Callable[[int], None]:
        def noted(file: int) -> None:
            found = os.fstat(file)
            sync(file)
            sizes[found.st_ino] = found.st_size

        return noted

    with (
        mock.patch("os.fsync", noting(os.fsync)),
        mock.patch("os.fdatasync", noting(os.fdatasync)),
    ):
        yield sizes


def _cut_power(data: Path, copied: Path, synced: dict[int, int]) -> None:
    """Takes from a copy what was not synced, which is the most that a power cut takes."""
    (copied / "catalog.sqlite").unlink()
    for path in (copied / "journal").iterdir():
        there = synced.get((data / "journal" / path.name).stat().st_ino, 0)
        os.truncate(path, min(there, path.stat().st_size))


async def _kept(service: Service) -> list[int]:
    """The numbers of the events in a journal; the service ends."""
    try:
        return [one.seq for one in await (await service.client()).peek(CHANNEL)]
    finally:
        await service.close()


@pytest.mark.not_over_corba("history")
async def test_a_push_that_was_answered(lasting: Service, tmp_path: Path) -> None:
    """
    a push with an answer
    | a Persistent event is on the disk and synced; it survives `kill -9` and power cuts
    """
    with _noted_syncs() as synced:
        client = await lasting.client()
        channel = await client.create_channel(CHANNEL, persistent=True)
        for price in (1, 2, 3):
            await client.publish(channel, bid(price))
        if isinstance(lasting, HttpService):
            async with plain(lasting) as http:
                assert await http.publish(4, 5) == [4, 5]
        else:
            await (await client.publisher(channel)).publish_many([bid(4), bid(5)])
        await lasting.restart(kill=True)
        killed = tmp_path / "data-1"
        without_power = shutil.copytree(killed, tmp_path / "cut")
        _cut_power(tmp_path / "data", without_power, synced)
    assert await _kept(lasting) == [1, 2, 3, 4, 5]
    other = HttpService if isinstance(lasting, HttpService) else InProcessService
    assert await _kept(other(without_power)) == [1, 2, 3, 4, 5]


@pytest.mark.not_over_corba("producers")
async def test_a_push_without_an_answer(lasting: Service) -> None:
    """
    a push without an answer
    | its fate is unknown; send it again with the same producer and number: the service accepts it
    once and repeats the first answer, across restarts, within [a
    window](#the-window-for-repeated-numbers)
    """
    client = await lasting.client()
    channel = await client.create_channel(CHANNEL, persistent=True)
    publisher = await client.publisher(channel, "house")
    receipts = await publisher.publish_many([bid(1), bid(2), bid(3)])
    for kill in (True, False):
        if isinstance(lasting, HttpService):
            async with plain(lasting) as http:
                await http.push_and_vanish(4, "hall", 9)
                (once,) = await http.publish(4, Tidings_Producer="hall", Tidings_Number="9")
                assert once == 4
        await lasting.restart(kill=kill)
        client = await lasting.client()
        publisher = await client.publisher(CHANNEL, "house")
        assert [await publisher.publish(bid(n), number=n) for n in (1, 2, 3)] == receipts
    numbers = [(one.seq, one.event) for one in await client.peek(CHANNEL)]
    assert numbers[:3] == [(n, bid(n)) for n in (1, 2, 3)]
    assert len(numbers) == (4 if isinstance(lasting, HttpService) else 3)


@pytest.mark.not_over_corba("producers")
async def test_a_number_beyond_the_window(service: Service) -> None:
    """
    a number with 2,048 gaps above it
    | refused (`number_too_old`, HTTP 409): the service cannot tell whether it accepted the number
    before
    """
    client = await service.client()
    channel = await client.create_channel(persistent=False)
    house = await client.publisher(channel, "house")
    marks = [ProducerMark("house", 10 * at) for at in range(1, 2_051)]
    for some in (marks[:1_000], marks[1_000:2_000], marks[2_000:]):
        push = Push(channel.id, house.proxy, [bid(1)] * len(some), some)
        assert await client.transport.ask(push) == [one.number // 10 for one in some]
    with pytest.raises(NumberTooOld, match="number 5 of producer 'house'"):
        await house.publish(bid(5), number=5)
    assert (await house.publish(bid(5), number=10 * 2_048)).seq == 2_048
    assert (await house.publish(bid(6), number=10 * 2_048 + 1)).seq == 2_051


def _verdicts(results: list[Any]) -> list[object]:
    """The number, or the code of the error, of each event."""
    forms: list[dict[str, Any]] = [{"seq": one} if isinstance(one, int) else one for one in results]
    return [one["seq"] if "seq" in one else one["error"]["code"] for one in forms]


@pytest.mark.not_over_corba("numbers")
async def test_a_batch(service: Service) -> None:
    """
    a batch
    | each event is accepted or refused by itself; the answer has a number or an error for each
    """
    client = await service.client()
    channel = await client.create_channel(CHANNEL)
    publisher = await client.publisher(channel)
    answers = await publisher.publish_many([bid(1), None, bid(3)])  # type: ignore[list-item]
    assert isinstance(answers[1], InvalidEvent)
    assert [getattr(one, "seq", None) for one in answers] == [1, None, 2]
    if not isinstance(service, HttpService):
        return
    async with plain(service) as http:
        batch = [priced(1), {"domain": 7}, priced(3)]
        found = await http.ask("POST", "/events", batch)
        assert _verdicts(found["results"]) == [3, "invalid_event", 4]
        proxy = await http.proxy(side="supplier")
        async with http.wire() as wire:
            await wire.connect(1, channel.id, proxy)
            pushed = await wire.ask(op="push", id=2, channel=channel.id, proxy=proxy, events=batch)
            assert _verdicts(pushed["results"]) == [5, "invalid_event", 6]


async def test_a_batch_over_corba() -> None:
    """
    a batch over CORBA
    | the service accepts all of it, or none: after an exception with completion NO you may send
    it again
    """
    async with world() as made:
        channel = await made.channel(Property("OrderPolicy", Box(tc.SHORT, 1)))
        await channel.set_admin([Property("MaxQueueLength", Box(tc.LONG, 300))])
        supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.SEQUENCE)
        await supply.connect_sequence_push_supplier(NIL)
        _, pulls = await joined(made, channel, kind_of(StructuredPullConsumer))
        batch = [numbered(number) for number in range(400)]  # more than the service takes at once
        with pytest.raises(IMP_LIMIT) as full:
            await supply.push_structured_events(batch)
        assert full.value.completed is Completion.NO
        assert await pulls.try_pull_structured_event() == (mock.ANY, False)
        twice = numbered(1)._replace(filterable_data=(Property("n", 1), Property("n", 2)))
        with pytest.raises(BAD_PARAM):
            await supply.push_structured_events([numbered(0), twice])
        await supply.push_structured_events(batch[:300])
        got = [await pulls.try_pull_structured_event() for _ in range(301)]
        assert got == [*((one, True) for one in batch[:300]), (mock.ANY, False)]


async def test_two_properties_with_one_name() -> None:
    """
    two properties with one name
    | the event is refused: BAD_PARAM over CORBA, `invalid_event` in JSON
    """
    twice = (Property("x", 1), Property("x", 2), Property("y", 3))
    plain_event = event_out(event("D", "T"))
    header = plain_event.header._replace(variable_header=twice)
    async with world() as made:
        channel = await made.channel()
        supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
        await supply.connect_structured_push_supplier(NIL)
        anys = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.ANY)
        await anys.connect_any_push_supplier(NIL)
        for bad in (
            plain_event._replace(filterable_data=twice),
            plain_event._replace(header=header),
        ):
            with pytest.raises(BAD_PARAM):
                await supply.push_structured_event(bad)
            with pytest.raises(BAD_PARAM):
                await anys.push(Box(STRUCTURED_EVENT, bad))
    with pytest.raises(InvalidEvent, match="'x' stands twice"):
        decode_event(b'{"domain": "D", "type": "T", "data": {"x": 1, "x": 2}}')


async def test_an_event_of_the_type_any() -> None:
    """
    an event of the type `%ANY`
    | keeps its domain, name, header and data, and its Priority and Timeout apply; consumers of
    anys get its body
    """
    urgent = event("D", "%ANY", "urgent", {"a": 1}, priority=9, body=5)
    late = event("", "%ANY", header={"Timeout": 1}, body=6)
    async with world() as made:
        channel = await made.channel()
        supply = await made.proxy(channel, Side.SUPPLIER, Style.PUSH, Form.STRUCTURED)
        await supply.connect_structured_push_supplier(NIL)
        consumer, _ = await joined(made, channel, kind_of(AnyPushConsumer))
        _, pulls = await joined(made, channel, kind_of(StructuredPullConsumer))
        for one in (numbered(1), event_out(late), event_out(urgent)):
            await supply.push_structured_event(one)
        await asyncio.sleep(0.001)
        got = [await pulls.try_pull_structured_event() for _ in range(3)]
        assert [has for _, has in got] == [True, True, False]
        assert [event_in(one) for one, _ in got[:2]] == [urgent, event_in(numbered(1))]
        await until(lambda: 5 in consumer.got)


async def _upload(service: Served, enough: int) -> list[dict[str, Any]]:
    """Sends lines without end, kills the service when so many are answered; the answers."""
    port = httpx2.URL(service.url).port
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        f"POST /v1/channels/{CHANNEL}/events HTTP/1.1\r\nHost: localhost\r\n"
        "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    )

    async def send() -> None:
        for first in count(1, 50):
            events = [priced(number) for number in range(first, first + 50)]
            lines = b"".join([json.dumps(one).encode() + b"\n" for one in events])
            writer.write(b"%x\r\n%b\r\n" % (len(lines), lines))
            await writer.drain()

    sending = asyncio.ensure_future(send())
    answers: list[dict[str, Any]] = []
    async with asyncio.timeout(PATIENCE):
        try:
            while line := await reader.readline():
                if line.startswith(b'{"line"') and line.endswith(b"\n"):
                    answers.append(json.loads(line))
                if len(answers) == enough:
                    service.process.send_signal(signal.SIGKILL)
        except ConnectionError:
            pass  # it was killed
        assert await asyncio.gather(sending, return_exceptions=True)
    writer.transport.abort()
    return answers


def test_json_lines(tmp_path: Path) -> None:
    """
    JSON lines
    | answers stream back in the order of the lines; every line up to the last answered one is
    durable
    """
    with served(tmp_path) as service, service.client() as client:
        client.post("/v1/channels", json={"name": CHANNEL}).raise_for_status()
        answers = asyncio.run(_upload(service, 120))
        assert service.process.wait(PATIENCE) == -signal.SIGKILL
    assert [one["line"] for one in answers] == [*range(1, len(answers) + 1)]
    with served(tmp_path) as service, service.client() as client:
        kept = []
        page: dict[str, Any] = {"next": 0, "end": False}
        while not page["end"]:
            asked = {"after": page["next"], "most": 1000}
            page = client.get(f"/v1/channels/{CHANNEL}/events", params=asked).json()
            kept += [(one["seq"], one["event"]["data"]["price"]) for one in page["events"]]
    assert kept[: len(answers)] == [(one["seq"], one["line"]) for one in answers]


@pytest.mark.not_over_corba("names")
async def test_a_subscription_with_a_name(lasting: Service) -> None:
    """
    a subscription with a name
    | lives until it is deleted, across restarts, with its backlog
    """
    client = await lasting.client()
    channel = await client.create_channel(CHANNEL, persistent=True)
    await (await client.subscribe(channel, name="bidder")).close()
    await client.close()
    for kill in (False, True):
        await (await lasting.client()).publish(CHANNEL, bid(1))
        await lasting.restart(kill=kill)
    if isinstance(lasting, HttpService):
        lasting.options = WebOptions(unnamed_lifetime=0.02)
        async with plain(lasting) as http:
            named = await http.proxy(name="seller", style="pull")
            await http.publish(3)
            assert named in await http.without(await http.proxy())
            assert await http.pull("seller") == [(3, False)]
    client = await lasting.client()
    subscription = await client.subscribe(CHANNEL, name="bidder")
    assert await seqs(subscription, 2) == [1, 2]
    await subscription.delete()
    await lasting.restart()
    channel = await (await lasting.client()).channel(CHANNEL)
    assert "bidder" not in [one.name for one in await channel.proxies()]


async def test_a_subscription_without(web: HttpService) -> None:
    """
    a subscription without a name
    | ends when its client closes it, 60 s (`http.unnamed_lifetime`) after its last connection,
    pull or push, and with the service
    """
    web.options = WebOptions(unnamed_lifetime=LIFETIME)
    async with plain(web) as http:
        channel = await http.create()
        connected, pulled = await http.proxy(), await http.proxy(style="pull")
        pushed = await http.proxy(side="supplier")
        async with http.wire() as wire:
            await wire.connect(1, channel, connected)
            pulling = asyncio.ensure_future(http.pull(pulled, wait=10))
            await asyncio.sleep(0.05)
            unused = await http.proxy()
            await http.ask("POST", f"/events?publisher={pushed}", priced(1))
            assert await pulling == [(1, False)]
            # They were used after the last one was made: none ends before that one.
            used = {connected, pulled, pushed}
            while unused in (there := await http.proxies()):
                assert used <= there
            assert connected in there
            await wire.cut()
        assert await http.without(connected, pulled, pushed) == set()
    await web.stop()
    web.options = WebOptions()
    assert web.options.unnamed_lifetime == 60
    async with plain(web) as http:
        await http.proxy()
        async with http.wire(f"/v1/channels/{CHANNEL}/subscribe") as wire:
            closed = (await wire.receive("connected"))["proxy"]
        await http.without(closed)
    await web.restart()
    async with plain(web) as http:
        assert await http.proxies() == set()
