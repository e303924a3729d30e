"""The plain relay of `tidings bench federation`: what a program would write without a gateway.

Twenty lines join two services: `relay`, the source of one and the sink of the other. An event is
acknowledged when its copy is confirmed, where both client libraries make that easy; events go in
batches where a library has more than one ready. The relay judges no filter but that of the source,
carries no marks (so two relays in a circle would never end), drops no duplicates, numbers what it
publishes anew, loses headers, and keeps nothing while the destination is away. aiomqtt acknowledges
by itself, before the copy is safe.

The load of the bench publishes and listens by the same functions.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final, TypeAlias, TypeVar

from tidings.client.connecting import connect
from tidings.errors import TidingsError
from tidings.events.build import event
from tidings.events.structured import StructuredEvent

_T = TypeVar("_T")

Batches: TypeAlias = AsyncIterator[
    tuple[Sequence[StructuredEvent], Callable[[], Awaitable[object]]]
]
"""Events, and a function that lets the service forget them."""
PublishAll: TypeAlias = Callable[[Sequence[StructuredEvent]], Awaitable[object]]
"""Returns when the service has the events."""
Place: TypeAlias = Mapping[str, Any]
"""Where in a service: the parameters of the gateway's adapter."""

NAMES: Final = {"Speed": 12345, "Count": 12346}
"""The names of all events of the bench, with their identifiers on a CAN bus."""
_FILTER: Final = "$event_name == 'Speed' or $event_name == 'Count'"
_WINDOW: Final = 1_024
_BATCH: Final = 256
_PATIENCE: Final = 30.0
_QUIET: Final = logging.getLogger(__name__)


async def relay(batches: Batches, publish: PublishAll) -> None:
    """Publish what comes, and then let its service forget it."""
    async for events, forget in batches:
        await publish(events)
        await forget()


async def waiting(queue: asyncio.Queue[_T]) -> AsyncIterator[list[_T]]:
    """Yield all that waits, up to a batch."""
    while True:
        found = [await queue.get()]
        while len(found) < _BATCH and not queue.empty():
            found.append(queue.get_nowait())
        yield found


async def nothing() -> None:
    """Forget nothing: the service does not wait for an acknowledgement."""


def accepted(answers: Sequence[object]) -> None:
    """Raise the first error among answers."""
    for answer in answers:
        if isinstance(answer, TidingsError):
            raise answer


@asynccontextmanager
async def _tidings_source(place: Place, name: str) -> AsyncIterator[Batches]:
    async with await connect(place["url"]) as client:
        heard = await client.subscribe(
            place["channel"], _FILTER, name=name, manual_ack=True, window=_WINDOW
        )

        async def batches() -> Batches:
            async for messages in heard.batches(_BATCH):

                async def forget(messages: Sequence[Any] = messages) -> None:
                    for message in messages:
                        heard.ack(message)

                yield [message.event for message in messages], forget

        yield batches()


@asynccontextmanager
async def _tidings_sink(place: Place) -> AsyncIterator[PublishAll]:
    async with await connect(place["url"]) as client:
        publisher = await client.publisher(place["channel"])

        async def publish(events: Sequence[StructuredEvent]) -> None:
            accepted(await publisher.publish_many(events))

        yield publish


@asynccontextmanager
async def _corba_source(place: Place, _: str) -> AsyncIterator[Batches]:
    async with await connect(place["reference"]) as client:
        heard = await client.subscribe(place["channel"], _FILTER)

        async def batches() -> Batches:
            async for messages in heard.batches(_BATCH):
                yield [message.event for message in messages], nothing

        yield batches()


@asynccontextmanager
async def _corba_sink(place: Place) -> AsyncIterator[PublishAll]:
    async with await connect(place["reference"]) as client:
        publisher = await client.publisher(place["channel"])

        async def publish(events: Sequence[StructuredEvent]) -> None:
            accepted(await publisher.publish_many(events))

        yield publish


@asynccontextmanager
async def _memory_source(place: Place, _: str) -> AsyncIterator[Batches]:
    from tidings.gateways.adapters.memory import bus

    queue: asyncio.Queue[StructuredEvent] = asyncio.Queue()
    key = bus(place["name"]).listen(queue.put_nowait, lambda _: None)

    async def batches() -> Batches:
        async for found in waiting(queue):
            yield [one for one in found if one.name in NAMES], nothing

    yield batches()
    bus(place["name"]).leave(key)


@asynccontextmanager
async def _memory_sink(place: Place) -> AsyncIterator[PublishAll]:
    from tidings.gateways.adapters.memory import bus

    async def publish(events: Sequence[StructuredEvent]) -> None:
        for one in events:
            bus(place["name"]).publish(one)

    yield publish


@asynccontextmanager
async def _mqtt_source(place: Place, name: str) -> AsyncIterator[Batches]:
    import aiomqtt

    async with aiomqtt.Client(
        "127.0.0.1", place["port"], identifier=name, clean_session=False
    ) as client:
        await client.subscribe([(place["topic"].format(name=one), 1) for one in NAMES])

        async def batches() -> Batches:
            async for message in client.messages:
                found = [message]
                while len(client.messages) and len(found) < _BATCH:
                    found.append(await anext(client.messages))
                yield [_of_topic(one.topic.value, "/", one.payload) for one in found], nothing

        yield batches()


def _of_topic(topic: str, separator: str, payload: Any) -> StructuredEvent:  # noqa: ANN401
    return event("", "", topic.rpartition(separator)[2], json.loads(payload))


@asynccontextmanager
async def _mqtt_sink(place: Place) -> AsyncIterator[PublishAll]:
    import aiomqtt

    async with aiomqtt.Client(
        "127.0.0.1", place["port"], max_inflight_messages=_BATCH, logger=_QUIET
    ) as client:
        client.pending_calls_threshold = _BATCH

        async def publish(events: Sequence[StructuredEvent]) -> None:
            sent = ((place["topic"].format(name=e.name), json.dumps(dict(e.data))) for e in events)
            await asyncio.gather(*(client.publish(*one, qos=1) for one in sent))

        yield publish


@asynccontextmanager
async def _nats_source(place: Place, name: str) -> AsyncIterator[Batches]:
    import nats

    client = await nats.connect(place["servers"])
    queue: asyncio.Queue[Any] = asyncio.Queue()
    for one in NAMES:
        await client.jetstream().subscribe(
            place["subject"].format(name=one),
            durable=f"{name}-{one}",
            cb=queue.put,
            manual_ack=True,
        )

    async def batches() -> Batches:
        async for found in waiting(queue):

            async def forget(found: Sequence[Any] = found) -> None:
                for one in found:
                    await one.ack()

            yield [_of_topic(one.subject, ".", one.data) for one in found], forget

    yield batches()
    await client.close()


@asynccontextmanager
async def _nats_sink(place: Place) -> AsyncIterator[PublishAll]:
    import nats

    client = await nats.connect(place["servers"])
    stream = client.jetstream()

    async def publish(events: Sequence[StructuredEvent]) -> None:
        sent = ((place["subject"].format(name=e.name), json.dumps(dict(e.data))) for e in events)
        await asyncio.gather(*(stream.publish(subject, data.encode()) for subject, data in sent))

    yield publish
    await client.close()


@asynccontextmanager
async def _amqp_source(place: Place, name: str) -> AsyncIterator[Batches]:
    import aio_pika

    async with await aio_pika.connect(host="127.0.0.1", port=place["port"]) as connection:
        channel = await connection.channel()
        await channel.set_qos(prefetch_count=2 * _BATCH)
        exchange = await channel.declare_exchange(place["exchange"], "headers", durable=True)
        queue = await channel.declare_queue(f"{place['exchange']} {name}", durable=True)
        for one in NAMES:
            await queue.bind(exchange, arguments={"x-match": "all", "event_name": one})
        heard: asyncio.Queue[Any] = asyncio.Queue()
        await queue.consume(heard.put)

        async def batches() -> Batches:
            async for found in waiting(heard):

                async def forget(last: Any = found[-1]) -> None:  # noqa: ANN401 -- a message
                    await last.ack(multiple=True)

                yield [_of_headers(one.headers) for one in found], forget

        yield batches()


def _of_headers(headers: Mapping[str, Any]) -> StructuredEvent:
    data = {"license_no": headers["license_no"], "rate": float(headers["rate"])}
    return event("", "", headers["event_name"], data)


@asynccontextmanager
async def _amqp_sink(place: Place) -> AsyncIterator[PublishAll]:
    import aio_pika

    async with await aio_pika.connect(host="127.0.0.1", port=place["port"]) as connection:
        channel = await connection.channel()
        exchange = await channel.declare_exchange(place["exchange"], "headers", durable=True)

        async def publish(events: Sequence[StructuredEvent]) -> None:
            headers: list[Any] = [{"event_name": one.name, **one.data} for one in events]
            sent = (aio_pika.Message(b"", headers=one, delivery_mode=2) for one in headers)
            await asyncio.gather(*(exchange.publish(one, "", mandatory=False) for one in sent))

        yield publish


@asynccontextmanager
async def _jms_source(place: Place, name: str) -> AsyncIterator[Batches]:
    import stompman

    server = _stomp_server(place, {"client-id": name})
    async with stompman.Client([server], on_error_frame=None) as client:
        queue: asyncio.Queue[stompman.subscription.AckableMessageFrame] = asyncio.Queue()
        selector = " OR ".join(f"event_name = '{one}'" for one in NAMES)
        heard = await client.subscribe_with_manual_ack(
            f"/topic/{place['topic']}",
            queue.put,
            headers={"selector": selector, "activemq.subscriptionName": name},
            receipt_timeout=_PATIENCE,
        )

        async def batches() -> Batches:
            async for found in waiting(queue):

                async def forget(found: Sequence[Any] = found) -> None:
                    for one in found:
                        await one.ack()

                yield [_of_headers(one.headers) for one in found], forget

        yield batches()
        await heard.unsubscribe()


def _stomp_server(place: Place, headers: dict[str, str]) -> Any:  # noqa: ANN401
    import stompman

    return stompman.ConnectionParameters(
        "127.0.0.1", place["port"], "bench", "bench", connect_headers=headers
    )


@asynccontextmanager
async def _jms_sink(place: Place) -> AsyncIterator[PublishAll]:
    import stompman

    async with stompman.Client([_stomp_server(place, {})], on_error_frame=None) as client:

        async def publish(events: Sequence[StructuredEvent]) -> None:
            headers = (
                {
                    "event_name": e.name,
                    "persistent": "true",
                    **{n: str(v) for n, v in e.data.items()},
                }
                for e in events
            )
            topic = f"/topic/{place['topic']}"
            sent = (client.send(b"", topic, headers=h, receipt_timeout=_PATIENCE) for h in headers)
            await asyncio.gather(*sent)

        yield publish


@asynccontextmanager
async def _siena_source(place: Place, _: str) -> AsyncIterator[Batches]:
    from tidings.services.siena.client import SienaClient

    queue: asyncio.Queue[Sequence[Any]] = asyncio.Queue(1)
    async with await SienaClient.connect(place["url"], queue.put) as client:
        for one in NAMES:
            client.subscribe((_subject(one),))
        await client.settle()

        async def batches() -> Batches:
            while True:
                found = [dict(one) for one in await queue.get()]
                yield (
                    [event("", "", str(one.pop("FES_Subject")), _plain(one)) for one in found],
                    nothing,
                )

        yield batches()


def _subject(name: str) -> Any:  # noqa: ANN401
    from tidings.filters.dialects.siena import AttributeTest, Operator

    return AttributeTest("FES_Subject", Operator.EQUAL, name)


def _plain(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if not name.startswith("FES_")}


@asynccontextmanager
async def _siena_sink(place: Place) -> AsyncIterator[PublishAll]:
    from tidings.services.siena.client import SienaClient

    async with await SienaClient.connect(place["url"]) as client:
        for one in NAMES:
            client.advertise((_subject(one),))
        await client.settle()

        async def publish(events: Sequence[StructuredEvent]) -> None:
            sent: list[Any] = [{"FES_Subject": one.name, **one.data} for one in events]
            await client.publish_all(sent)

        yield publish


@asynccontextmanager
async def _steam_source(place: Place, _: str) -> AsyncIterator[Batches]:
    from tidings.services.steam.machine import SteamConfig
    from tidings.services.steam.node import SteamNode, plain

    async with SteamNode(SteamConfig(place["network"]), position=place["position"]) as node:
        queue: asyncio.Queue[Any] = asyncio.Queue()
        node.listen(queue, tuple(NAMES), lambda _: True, queue.put_nowait)

        async def batches() -> Batches:
            async for found in waiting(queue):
                yield [plain(one) for one in found], nothing

        yield batches()


@asynccontextmanager
async def _steam_sink(place: Place) -> AsyncIterator[PublishAll]:
    from tidings.federation.proximity import Circle, Position
    from tidings.services.steam.datagrams import EventType, Kind
    from tidings.services.steam.machine import SteamConfig
    from tidings.services.steam.node import SteamNode

    async with SteamNode(SteamConfig(place["network"]), position=place["position"]) as node:
        for name in NAMES:
            what = EventType(name, {"license_no": Kind.TEXT, "rate": Kind.DOUBLE})
            node.announce(what, Circle(Position(0, 0), 250, relative=True))

        async def publish(events: Sequence[StructuredEvent]) -> None:
            for one in events:
                data: Any = one.data
                node.publish(one.name, data)

        yield publish


@asynccontextmanager
async def _cosmic_source(place: Place, _: str) -> AsyncIterator[Batches]:
    import can

    names = {id: name for name, id in NAMES.items()}
    queue: asyncio.Queue[can.Message] = asyncio.Queue()
    with can.Bus(interface="virtual", channel=place["channel"], ignore_config=True) as bus:
        notifier = can.Notifier(bus, [queue.put_nowait], loop=asyncio.get_running_loop())

        def event_of(one: can.Message) -> StructuredEvent:
            data = {"license_no": one.data[:7].rstrip(b"\0").decode(), "rate": float(one.data[7])}
            return event("", "", names[one.arbitration_id], data)

        async def batches() -> Batches:
            async for found in waiting(queue):
                yield [event_of(one) for one in found if one.arbitration_id in names], nothing

        yield batches()
        notifier.stop()


@asynccontextmanager
async def _cosmic_sink(place: Place) -> AsyncIterator[PublishAll]:
    import can

    with can.Bus(interface="virtual", channel=place["channel"], ignore_config=True) as bus:

        async def publish(events: Sequence[StructuredEvent]) -> None:
            for one in events:
                data: Any = one.data
                octets = data["license_no"].encode().ljust(7, b"\0") + bytes((int(data["rate"]),))
                bus.send(can.Message(arbitration_id=NAMES[one.name], data=octets))

        yield publish


def source(kind: str, place: Place, name: str) -> AbstractAsyncContextManager[Batches]:
    """Open the source of a kind, under a name that its service may keep events for."""
    made: AbstractAsyncContextManager[Batches] = globals()[f"_{kind}_source"](place, name)
    return made


def sink(kind: str, place: Place) -> AbstractAsyncContextManager[PublishAll]:
    """Open the sink of a kind."""
    made: AbstractAsyncContextManager[PublishAll] = globals()[f"_{kind}_sink"](place)
    return made


def relay_text(source_kind: str, sink_kind: str) -> str:
    """Return the code of a relay between two kinds, as it runs."""
    parts = [relay, globals()[f"_{source_kind}_source"], globals()[f"_{sink_kind}_sink"]]
    texts = [inspect.getsource(part) for part in parts]
    if f"{waiting.__name__}(" in texts[1]:
        texts.insert(1, inspect.getsource(waiting))
    return "\n\n".join(texts)
