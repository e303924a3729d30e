"""The attacks of `tidings bench attack`: what somebody sends who may use the service, and harms it.

Each runs in a process of its own, ``python -m tidings.bench.attack_load NAME SECONDS URL CORBA``,
against a channel of its own and on this machine only. It prints a line when it is ready, begins
when it reads one, and ends by itself.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import httpx2

from tidings.bench.web_load import Socket, client_frame
from tidings.cos import CosNotifyChannelAdmin_auto as admin
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotifyFilter_auto import ConstraintExp, Filter, FilterFactory
from tidings.cos.events import event_out
from tidings.events.build import event
from tidings.events.reference import Reference
from tidings.orb.aio import Options, Orb
from tidings.orb.exceptions import CorbaError
from tidings.orb.ior import make_reference

_EVENT: Final = b'{"domain":"Attack","type":"T","data":{"rate":57.5,"area":1}}'
_PATIENCE: Final = 60.0


class Target(NamedTuple):
    """What is attacked: a channel of the attacker's own, over HTTP or `corbaloc::host:port`."""

    port: int
    corba: str
    channel: int
    http: httpx2.AsyncClient

    async def post(self, path: str, content: bytes, media: str = "application/json") -> None:
        """Posts a body; the path may name the channel as {}."""
        headers = {"Content-Type": media}
        await self.http.post(path.format(self.channel), content=content, headers=headers)

    async def proxy(self, **asked: object) -> int:
        """A new proxy of the channel."""
        made = await self.http.post(f"/channels/{self.channel}/proxies", json=asked)
        assert made.status_code == 201, made.text
        proxy: int = made.json()["id"]
        return proxy


Step: TypeAlias = Callable[[], Awaitable[object]]
"""What an attacker does again and again."""


class Attack(NamedTuple):
    """An attack: `prepare` gives what so many do at once, again and again."""

    prepare: Callable[[Target], Awaitable[Step]]
    at_once: int = 1


# Requests.

_EVENTS: Final = "/channels/{}/events"


def _post(
    path: str, body: Callable[[], bytes], media: str = "application/json", at_once: int = 2
) -> Attack:

    async def prepare(target: Target) -> Step:
        return partial(target.post, path, body(), media)

    return Attack(prepare, at_once)


def _list(element: bytes, count: int) -> bytes:
    return b"[" + b",".join([element] * count) + b"]"


def _in_event(octets: bytes) -> bytes:
    return b'{"domain":"Attack","type":"T","body":%b}' % octets


def _constraints(element: bytes, count: int) -> bytes:
    return b'{"constraints":%b}' % _list(element, count)


async def _searched(target: Target) -> Step:
    """Events with a long text, for a filter that searches it as often as one may."""
    terms = [f"'needle {number}' ~ $.remainder_of_body" for number in range(20)]
    await target.proxy(constraints=[" or ".join(terms)])
    return partial(target.post, _EVENTS, _in_event(b'"%b"' % (b"needle " * 430_000)))


async def _pulled(target: Target) -> Step:
    proxy = await target.proxy(style="pull")
    batch = _list(_EVENT, 1_000)

    async def step() -> None:
        await target.post(_EVENTS, batch)
        await target.post(f"/channels/{{}}/proxies/{proxy}/pull?most=100000&wait=0", b"")

    return step


def _lines(line: bytes) -> Attack:
    """JSON lines in one request that does not end."""

    async def prepare(target: Target) -> Step:
        part = line * (262_144 // len(line))

        async def content() -> AsyncIterator[bytes]:
            while True:
                yield part

        async def step() -> None:
            headers = {"Content-Type": "application/x-ndjson"}
            path = _EVENTS.format(target.channel)
            asked = target.http.stream("POST", path, content=content(), headers=headers)
            async with asked as answer:
                async for _ in answer.aiter_raw():
                    pass

        return step

    return Attack(prepare)


# Frames.


def _frames(events: Callable[[], bytes], under_way: int) -> Attack:
    """Frames with the same events, so many without an answer; who is cut off comes again."""

    async def prepare(target: Target) -> Step:
        content = events()

        async def step() -> None:
            answered = asyncio.Semaphore(under_way)
            place = target.channel, await target.proxy(side="supplier")
            opened = await Socket.open(target.port, "/v1/ws", lambda frame: None)
            connect = b'{"op":"connect","id":0,"line":0,"channel":%d,"proxy":%d,"notices":false}'
            opened.write(client_frame(connect % place))
            await asyncio.sleep(0.2)
            opened.on_text = lambda frame: answered.release()
            push = b'{"op":"push","id":1,"channel":%d,"proxy":%d,"events":%b}'
            frame = client_frame(push % (*place, content))
            try:
                while not opened.closed:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(answered.acquire(), 1)
                        opened.write(frame)
            finally:
                opened.close()

        return step

    return Attack(prepare)


async def _answers(target: Target) -> Step:
    path = f"/v1/channels/{target.channel}/subscribe?filter=$area==1&window=100000"
    opened = await Socket.open(target.port, path, lambda frame: None)
    seqs = ",".join(map(str, range(1, 100_001)))
    frame = client_frame(b'{"op":"ack","line":0,"seqs":[%b]}' % seqs.encode())

    async def step() -> None:
        opened.write(frame)
        await asyncio.sleep(0.02)

    return step


# CORBA.


def _by_corba(prepare: Callable[[Target, Orb, admin.EventChannel], Awaitable[Step]]) -> Attack:
    async def prepared(target: Target) -> Step:
        orb = Orb(Options(call_seconds=_PATIENCE))
        factory = orb.stub(admin.EventChannelFactory, f"{target.corba}/NotificationService")
        reference = await factory.get_event_channel(target.channel)
        return await prepare(target, orb, orb.stub(admin.EventChannel, reference))

    return Attack(prepared)


async def _batch(target: Target, orb: Orb, channel: admin.EventChannel) -> Step:
    suppliers = orb.stub(admin.SupplierAdmin, await channel.for_suppliers())
    made, _ = await suppliers.obtain_notification_push_consumer(admin.ClientType.SEQUENCE_EVENT)
    proxy = orb.stub(admin.SequenceProxyPushConsumer, made)
    await proxy.connect_sequence_push_supplier(Reference("", ()))
    batch = (event_out(event("A", "B")),) * 100_000
    return lambda: proxy.push_structured_events(batch)


async def _corba_constraints(target: Target, orb: Orb, channel: admin.EventChannel) -> Step:
    factory = orb.stub(FilterFactory, await channel.get_default_filter_factory())
    made = orb.stub(Filter, await factory.create_filter("EXTENDED_TCL"))
    many = (ConstraintExp((EventType("*", "*"),), "$a == 1"),) * 100_000
    return lambda: made.add_constraints(many)


async def _nobody(target: Target, orb: Orb, channel: admin.EventChannel) -> Step:
    """Consumers that are nowhere: nobody answers at their address."""
    silent = socket.create_server(("127.0.0.2", 0), backlog=1)
    port: int = silent.getsockname()[1]
    consumers = orb.stub(admin.ConsumerAdmin, await channel.for_consumers())
    interface = "IDL:omg.org/CosNotifyComm/StructuredPushConsumer:1.0"

    async def step() -> None:
        for at in range(100):
            made, _ = await consumers.obtain_notification_push_supplier(
                admin.ClientType.STRUCTURED_EVENT
            )
            proxy = orb.stub(admin.StructuredProxyPushSupplier, made)
            nowhere = make_reference(interface, "127.0.0.2", port, f"nobody {at}".encode())
            with suppress(CorbaError):
                await proxy.connect_structured_push_consumer(nowhere)
        for _ in range(100):
            await target.post(_EVENTS, _EVENT)
            await asyncio.sleep(0.02)

    return step


async def _loop(target: Target, orb: Orb, channel: admin.EventChannel) -> Step:
    suppliers = orb.stub(admin.SupplierAdmin, await channel.for_suppliers())
    consumers = orb.stub(admin.ConsumerAdmin, await channel.for_consumers())
    kind = admin.ClientType.STRUCTURED_EVENT
    into, _ = await suppliers.obtain_notification_push_consumer(kind)
    out, _ = await consumers.obtain_notification_push_supplier(kind)
    consumer = orb.stub(admin.StructuredProxyPushConsumer, into)
    supplier = orb.stub(admin.StructuredProxyPushSupplier, out)
    with suppress(CorbaError):
        await consumer.connect_structured_push_supplier(Reference("", ()))
        await supplier.connect_structured_push_consumer(into)

    async def step() -> None:
        await target.post(_EVENTS, _EVENT)
        await asyncio.sleep(0.1)

    return step


async def _fragments(target: Target) -> Step:
    """A message in fragments of one octet, again and again."""
    address = target.corba.removeprefix("corbaloc::").split(":")
    request = struct.pack("<I", 2) + bytes(8)
    first = b"GIOP\x01\x02\x03\x00" + struct.pack("<I", len(request)) + request
    piece = b"GIOP\x01\x02\x03\x07" + struct.pack("<I", 5) + struct.pack("<I", 2) + b"x"

    async def step() -> None:
        _, writer = await asyncio.open_connection(address[0], int(address[1]))
        writer.write(first)
        with suppress(OSError):
            for _ in range(200):
                writer.write(piece * 10_000)
                await writer.drain()
        writer.close()

    return step


ATTACKS: Final[Mapping[str, Attack]] = {
    "10 MB of numbers as events": _post(_EVENTS, partial(_list, b"1", 5_000_000)),
    "10 MB of numbers as CloudEvents": _post(
        _EVENTS, partial(_list, b"1", 5_000_000), "application/cloudevents-batch+json"
    ),
    "10 MB of numbers in one event": _post(_EVENTS, lambda: _in_event(_list(b"1", 4_900_000))),
    "10 MB of brackets": _post(_EVENTS, lambda: b"[" * 10_000_000),
    "the largest event": _post(_EVENTS, lambda: _in_event(_list(b'{"a":1}', 8_000))),
    "1,000 events of 16 KB in one request": _post(
        _EVENTS, lambda: _list(_in_event(_list(b"1", 8_000)), 1_000)
    ),
    "10 MB of numbers in a frame": _frames(partial(_list, b"1", 5_000_000), 2),
    "600 KB of bad events": _post(_EVENTS, partial(_list, b'{"domain":7}', 46_000)),
    "1,000 bad events": _post(_EVENTS, partial(_list, b'{"domain":7}', 1_000)),
    "600 KB of bad constraints": _post("/filters", partial(_constraints, b'{"t":7}', 75_000)),
    "600 KB of bad event types": _post(
        "/filters", lambda: _constraints(b'{"types":%b}' % _list(b"7", 300_000), 1)
    ),
    "100,000 constraints": _post("/filters", partial(_constraints, b'"$a == 1"', 100_000)),
    "1,000 constraints": _post("/filters", partial(_constraints, b'"$a == 1 and $b > 2"', 1_000)),
    "a constraint of 60 KB": _post(
        "/filters", lambda: _constraints(b'"%b"' % b" or ".join([b"$a == 1"] * 3_300), 1)
    ),
    "500 times ~ in a filter": _post(
        "/filters", lambda: _constraints(b'"%b"' % b" or ".join([b"'x' ~ $a"] * 500), 1)
    ),
    "20 times ~ over 3 MB": Attack(_searched, at_once=2),
    "100,000 answers in a frame": Attack(_answers),
    "pulls of 100,000 events": Attack(_pulled),
    "64 frames of 1,000 events under way": _frames(partial(_list, _EVENT, 1_000), 64),
    "16 requests of 1,000 events at once": _post(
        _EVENTS, partial(_list, _EVENT, 1_000), at_once=16
    ),
    "JSON lines without end": _lines(_EVENT + b"\n"),
    "bad JSON lines without end": _lines(b"{}\n"),
    "2,000,000 fragments of one octet": Attack(_fragments),
    "100,000 events in a CORBA batch": _by_corba(_batch),
    "100,000 constraints by CORBA": _by_corba(_corba_constraints),
    "100 references to nobody": _by_corba(_nobody),
    "a channel that is its own consumer": _by_corba(_loop),
}
"""By what a report calls them."""


async def _repeat(step: Step) -> None:
    while True:
        with suppress(httpx2.HTTPError, CorbaError, OSError, AssertionError):
            await step()
        await asyncio.sleep(0)


async def _attack(name: str, seconds: float, url: str, corba: str) -> None:
    attack = ATTACKS[name]
    limits = httpx2.Limits(max_connections=100)
    async with httpx2.AsyncClient(base_url=f"{url}/v1", timeout=_PATIENCE, limits=limits) as http:
        made = await http.post("/channels", json={"name": name[:60], "persistent": False})
        channel: int = made.json()["id"]
        target = Target(urlsplit(url).port or 0, corba, channel, http)
        try:
            step = await attack.prepare(target)
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            await asyncio.to_thread(sys.stdin.readline)
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                    for _ in range(attack.at_once):
                        group.create_task(_repeat(step))
        finally:
            await http.delete(f"/channels/{channel}")


def main(arguments: list[str]) -> None:
    """Runs one attack."""
    name, seconds, url, corba = arguments
    asyncio.run(_attack(name, float(seconds), url, corba))


if __name__ == "__main__":
    main(sys.argv[1:])
