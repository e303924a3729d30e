"""omniEvents: its tools work with our channels, and our ORB works with its channels."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.real.interop.notifying import Scene, plain_url, scene
from tests.real.interop.omni import LOCAL
from tidings.cos import CosEventChannelAdmin_auto as event_service
from tidings.cos.CosEventComm_auto import PullConsumerServant, PushConsumerServant
from tidings.cos.CosLifeCycle_auto import NVP, GenericFactory, InvalidCriteria, NoFactory
from tidings.cos.CosNaming_auto import NameComponent, NamingContext
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Value
from tidings.events.reference import Reference
from tidings.orb.aio import Orb
from tidings.orb.exceptions import OBJECT_NOT_EXIST, SystemException

pytestmark = [
    pytest.mark.skipif(
        not shutil.which("eventc") or not shutil.which("omniEvents"),
        reason="needs omniEvents: tools/system_packages.sh tests",
    ),
]

EVENT_CHANNEL = (NameComponent("EventChannel", "object interface"),)


class Tool:
    """A program of omniEvents that runs beside the test."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def end(self) -> bytes:
        """Ends it as Ctrl-C does; what it has written."""
        if self.process.returncode is None:
            self.process.terminate()
        async with asyncio.timeout(PATIENCE):
            out, _ = await self.process.communicate()
        return out


async def start(name: str, url: str, *arguments: str) -> Tool:
    naming = ("-ORBInitRef", f"NameService={url}")
    return Tool(
        await asyncio.create_subprocess_exec(
            *(name, *naming, *arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
    )


async def tool(name: str, url: str, *arguments: str, given: bytes = b"") -> bytes:
    """Runs a tool to its good end; what it has written."""
    made = await start(name, url, *arguments)
    async with asyncio.timeout(PATIENCE):
        out, _ = await made.process.communicate(given)
    assert made.process.returncode == 0, out
    return out


async def named(s: Scene, name: str, object_name: str) -> None:
    """Gives the object with a name in the naming service a name in the client."""
    await s.done("url", name, f"corbaname:{s.url.removeprefix('corbaloc:')}#{object_name}")


async def test_eventc_makes_a_channel_and_rmeventc_ends_it(notify: Path) -> None:
    async with scene(notify) as s:
        written = await tool("eventc", s.url, "-v", "-i", "plain", "-q", "7", "-p", "2")
        assert b"IOR:" in written
        await named(s, "made", "EventChannel")
        assert "MaxEventsPerConsumer=long:7" in await s.one("get_qos", "made")
        admin = await s.one("get_admin", "made")
        assert "MaxConsumers=long:2&MaxSuppliers=long:2" in admin
        await s.done("url", "by key", plain_url(s.url, "plain"))
        assert await s.one("get_admin", "by key") == admin
        await tool("rmeventc", s.url)
        assert await s.one("non_existent", "made") == "true"


async def test_eventc_can_ask_for_a_channel_of_one_type(notify: Path) -> None:
    async with scene(notify) as s:
        await tool("eventc", s.url, "-t", "IDL:T/S:1.0", plain_url(s.url, "omniEvents"))
        await named(s, "made", "EventChannel")
        await s.do("get", "in", "made", "for_suppliers")
        await s.do("get", "out", "made", "for_consumers")
        await s.proxy("c", "out", "push", "event")
        await s.proxy("s", "in", "push", "event")
        await s.done("push", "s", "long:1", "S:1;2.5;red=7", "string:x")
        await s.hears("c-client push S:1;2.5;red=7")


VALUES = ("long:1", "string:two words", "S:1;2.5;green=x", "Node:(1(2)(3))", "longs:1,2")


# Of its own recordings the player reads only plain types whose octets come in fours, whosever
# channel it is.
PLAYED = ("long:1", "string:abc", "long:-2", "string:a b c d")


async def test_events_records_what_comes_and_plays_it_again(notify: Path) -> None:
    async with scene(notify) as s:
        await tool("eventc", s.url)
        await named(s, "made", "EventChannel")
        await s.do("get", "in", "made", "for_suppliers")
        await s.do("get", "out", "made", "for_consumers")
        # Found by name it would say so, on standard output, before the events.
        recorder = await start("events", s.url, *LOCAL, "corbaname:rir:#EventChannel")
        await connected(s, "out")
        await s.proxy("s", "in", "push", "event")
        await s.done("push", "s", *PLAYED)
        recording = await read_until_quiet(recorder)
        await recorder.end()
        await s.proxy("c", "out", "push", "event")
        player = await start("events", s.url, "-s", *LOCAL, "corbaname:rir:#EventChannel")
        assert player.process.stdin is not None
        player.process.stdin.write(recording)
        player.process.stdin.close()
        await s.hears(*(f"c-client push {value}" for value in PLAYED))
        await player.end()


async def read_until_quiet(recorder: Tool) -> bytes:
    """What the recorder writes, until it has written nothing for a while."""
    assert recorder.process.stdout is not None
    found = b""
    while True:
        try:
            async with asyncio.timeout(3.0 if not found else 0.5):
                piece = await recorder.process.stdout.read(100_000)
        except TimeoutError:
            return found
        if not piece:
            return found
        found += piece


async def connected(s: Scene, admin: str) -> None:
    """Waits until a plain push consumer is connected to a channel: it gets what is sent."""
    await s.proxy("probe", admin, "push", "event")
    await asyncio.sleep(1.0)
    await s.done("disconnect", "probe")
    await s.hears("probe-client disconnect_push_consumer")


async def test_eventf_carries_events_from_channel_to_channel(notify: Path) -> None:
    async with scene(notify) as s:
        for name in ("first", "second"):
            await tool("eventc", s.url, "-n", name)
            await named(s, name, name)
        await s.do("get", "in", "first", "for_suppliers")
        await s.do("get", "out", "second", "for_consumers")
        await s.proxy("c", "out", "push", "event")
        await s.proxy("s", "in", "push", "event")
        await tool("eventf", s.url, "corbaname:rir:#first", "corbaname:rir:#second")
        await s.done("push", "s", *VALUES)
        await s.hears(*(f"c-client push {value}" for value in VALUES))


# ---------------------------------------------------------------- its channels, our ORB


@asynccontextmanager
async def omnievents(folder: Path, url: str) -> AsyncIterator[int]:
    """omniEvents on a free port, registered in a naming service, while the block lasts."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    process = await asyncio.create_subprocess_exec(
        *("omniEvents", "-f", "-p", str(port), "-l", str(folder), "-N", "theirs"),
        *("-t", str(folder / "trace"), "-ORBInitRef", f"NameService={url}"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield port
    finally:
        process.terminate()
        await process.wait()


class Consumer(PushConsumerServant):
    """A push consumer on our ORB."""

    def __init__(self) -> None:
        self.got: list[Value] = []
        self.ended = False

    async def push(self, data: Value) -> None:
        self.got.append(data)

    async def disconnect_push_consumer(self) -> None:
        self.ended = True


class Puller(PullConsumerServant):
    """A pull consumer on our ORB."""

    async def disconnect_pull_consumer(self) -> None:
        """Nothing waits here."""


async def until(fits: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not fits():  # noqa: ASYNC110 -- what another process does
            await asyncio.sleep(0.02)


async def answering(work: Callable[[], Awaitable[Reference]]) -> Reference:
    """Asks until the other side is up."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await work()
            except SystemException:
                await asyncio.sleep(0.1)


ANYS: tuple[Value, ...] = (
    *(1, "text", True, 2.5, None, Any(tc.SHORT, 5), (1, 2)),
    Any(tc.struct("IDL:X/Y:1.0", "Y", [("a", tc.LONG), ("b", tc.STRING)]), (1, "x")),
)


async def test_our_orb_sends_and_takes_events_of_omnievents(tmp_path: Path, notify: Path) -> None:
    async with (
        asyncio.timeout(90),
        scene(notify) as s,
        omnievents(tmp_path, s.url) as port,
        Orb() as orb,
    ):
        await orb.listen()
        url = f"corbaloc::127.0.0.1:{port}/omniEvents"
        factory = orb.stub(GenericFactory, url)
        made = await answering(lambda: factory.create_object(EVENT_CHANNEL, ()))
        root = orb.stub(NamingContext, s.url)
        found = await answering(lambda: root.resolve([NameComponent("theirs", "")]))
        assert await orb.stub(GenericFactory, found).supports(EVENT_CHANNEL)
        await exchange(orb, orb.stub(event_service.EventChannel, made))
        with pytest.raises(NoFactory):
            await factory.create_object((NameComponent("Other", "object interface"),), ())
        # omniEvents removes a proxy after it has told the consumer; a channel destroyed meanwhile
        # may answer with the exception of the proxy that it no longer finds.
        with suppress(OBJECT_NOT_EXIST):
            await orb.stub(event_service.EventChannel, made).destroy()


async def exchange(orb: Orb, channel: event_service.EventChannel) -> None:
    """Events go into a channel and come out of it, pushed and pulled."""
    consumers = orb.stub(event_service.ConsumerAdmin, await channel.for_consumers())
    suppliers = orb.stub(event_service.SupplierAdmin, await channel.for_suppliers())
    consumer = Consumer()
    pushes = orb.stub(event_service.ProxyPushSupplier, await consumers.obtain_push_supplier())
    await pushes.connect_push_consumer(orb.activate(consumer, b"consumer"))
    pulls = orb.stub(event_service.ProxyPullSupplier, await consumers.obtain_pull_supplier())
    await pulls.connect_pull_consumer(orb.activate(Puller(), b"puller"))
    source = orb.stub(event_service.ProxyPushConsumer, await suppliers.obtain_push_consumer())
    await source.connect_push_supplier(Reference())
    for value in ANYS:
        await source.push(value)
    await until(lambda: len(consumer.got) == len(ANYS))
    assert tuple(consumer.got) == ANYS
    assert tuple([await pulls.pull() for _ in ANYS]) == ANYS
    assert (await pulls.try_pull())[1] is False
    await pushes.disconnect_push_supplier()
    await until(lambda: consumer.ended)


async def test_our_own_channel_does_the_same(notify: Path) -> None:
    async with asyncio.timeout(60), scene(notify) as s, Orb() as orb:
        await orb.listen()
        factory = orb.stub(GenericFactory, plain_url(s.url, "omniEvents"))
        made = await factory.create_object(EVENT_CHANNEL, ())
        await exchange(orb, orb.stub(event_service.EventChannel, made))
        with pytest.raises(NoFactory):
            await factory.create_object((NameComponent("Other", "object interface"),), ())
        with pytest.raises(InvalidCriteria) as wrong:
            await factory.create_object(EVENT_CHANNEL, [NVP("Nonsense", 1), NVP("InsName", 5)])
        told = wrong.value.invalid_criteria
        assert [one.name for one in told] == ["Nonsense", "InsName"]


async def test_a_channel_of_omnievents_is_fed_from_ours(tmp_path: Path, notify: Path) -> None:
    async with (
        asyncio.timeout(90),
        scene(notify) as s,
        omnievents(tmp_path, s.url) as port,
    ):
        theirs = f"corbaloc::127.0.0.1:{port}/omniEvents"
        await until_made(s, theirs)
        await s.do("get", "ours in", "channel", "for_suppliers")
        await tool("eventf", s.url, *(await uris(s)))
        await s.proxy("s", "ours in", "push", "event")
        await s.done("url", "their channel", "corbaname:" + s.url[9:] + "#their-channel")
        await s.done("kind", "their proxy", "consumer push event")
        await s.do("plain", "their proxy", "their channel", "push consumer")
        await s.done("connect", "their proxy", "listener")
        await s.done("push", "s", *VALUES)
        await s.hears(*(f"listener push {value}" for value in VALUES))


async def until_made(s: Scene, factory: str) -> None:
    """Has eventc make a channel of omniEvents, as soon as that is up."""
    async with asyncio.timeout(PATIENCE):
        while True:
            made = await start("eventc", s.url, "-n", "their-channel", factory)
            await made.process.communicate()
            if made.process.returncode == 0:
                return
            await asyncio.sleep(0.2)


async def uris(s: Scene) -> tuple[str, str]:
    """From our channel to theirs."""
    return await s.one("ior", "channel"), "corbaname:rir:#their-channel"
