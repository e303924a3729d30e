"""What is special about channels of CORBA services: styles, forms, types, filters, leftovers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.edges.gateways.test_runner import world
from tests.edges.server.serving import serving, sources
from tests.patience import PATIENCE
from tests.real.federation.fault_story import fault_story
from tests.real.federation.rigs.amqp import free_port
from tests.real.federation.rigs.corba_events import Native, Rig
from tests.real.federation.test_adapters import SPEED, Ear, connected, made, mark
from tidings.cos.CosEventChannelAdmin_auto import EventChannel as BareChannel
from tidings.cos.CosNaming_auto import NameComponent
from tidings.cos.CosNotification_auto import Property
from tidings.cos.CosNotifyChannelAdmin_auto import (
    ClientType,
    EventChannel,
    EventChannelFactory,
    ObtainInfoMode,
    ProxySupplier,
)
from tidings.cos.CosNotifyChannelAdmin_auto import ConsumerAdmin as NotifyConsumers
from tidings.cos.CosNotifyFilter_auto import (
    ConstraintExp,
    Filter,
    FilterFactory,
    FilterFactoryServant,
    InvalidGrammar,
)
from tidings.cos.names import look_up, register
from tidings.errors import ChannelFull, InvalidUsage
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as Box
from tidings.events.build import event
from tidings.events.reference import Reference
from tidings.events.structured import STRUCTURED_EVENT, StructuredEvent
from tidings.federation.capabilities import Filtering, Survival
from tidings.federation.requests import SideConfig
from tidings.filters.constraint import constraint
from tidings.filters.limits import ConstraintLimits
from tidings.gateways import sides
from tidings.gateways.adapters.base import AdapterError, Arrival, Outgoing
from tidings.gateways.corba_outlets import PushingOutlet
from tidings.orb.aio import Orb
from tidings.orb.ior import to_ior
from tidings.servants.objects import ChannelObject

STYLES = ("push", "pull")
ALL = constraint("TRUE")


class Service:
    """A Notification Service in this process, and whoever looks into it."""

    def __init__(self, orb: Orb, http: httpx2.AsyncClient, names: str) -> None:
        self.orb = orb
        self.http = http
        self.names = names
        self.url = names.replace("/NameService", "/NotificationService")

    async def channel(self) -> tuple[Reference, int]:
        """Make a channel."""
        return await self.orb.stub(EventChannelFactory, self.url).create_channel((), ())

    async def stub(self, channel: int) -> EventChannel:
        """Return a channel by its id."""
        factory = self.orb.stub(EventChannelFactory, self.url)
        return self.orb.stub(EventChannel, await factory.get_event_channel(channel))

    async def parameters(self, **others: object) -> dict[str, Any]:
        return {"reference": self.url, "channel": (await self.channel())[1], **others}

    async def get(self, path: str) -> Any:
        answer = await self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def waiting(self, channel: int) -> int:
        """Return how many events of a channel nobody has acknowledged."""
        found = await self.get(f"/v1/channels/{channel}")
        return int(found["waiting"])


@asynccontextmanager
async def service(**settings: object) -> AsyncIterator[Service]:
    flags: dict[str, object] = {
        "store__memory": True,
        "iiop__enabled": True,
        "iiop__port": 0,
        **settings,
    }
    async with (
        serving(sources(None, **flags)) as (running, http),
        Orb(names=look_up) as orb,
    ):
        await orb.listen()
        yield Service(orb, http, running.corba_url)


@pytest.fixture(scope="module")
def omni_events(record_real_part: Callable[[str, str], None]) -> Iterator[Rig]:
    rig = Rig()
    rig.start()
    assert rig.part is not None
    record_real_part(*rig.part)
    yield rig
    rig.stop()


class Behind(Rig):
    """omniEvents that tells its clients to connect where a proxy listens."""

    def start(self) -> None:
        self.front = free_port()
        super().start()
        self.port = self._port


async def test_a_line_that_is_cut_during_a_push_is_told_and_nothing_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sides, "MOST_QUEUED", 20)
    rig = Behind()
    rig.start()
    try:
        async with fault_story(rig, "corba") as story:
            await story.both_ways(5)
            unanswered = await story.lose_answers()
            waiting = await story.publish(5, inward=False)
            await story.mend_line()
            await story.come(waiting)
            slow = await story.be_slow(20)
            await story.both_ways(5)
            twice, again = story.repeated()
            info = story.side.info()
        assert all(story.at_service[number] for number in unanswered)
        assert twice <= {*unanswered, *slow}
        assert not again
        assert len(twice) <= info.repeated <= len(unanswered) + len(slow)
    finally:
        rig.stop()


S = tc.struct("IDL:X/S:1.0", "S", [("a", tc.LONG), ("b", tc.STRING)])


def rich(number: int) -> StructuredEvent:
    """An event with values of many types, and a header that says how to treat it."""
    data = {
        "number": number,
        "small": Box(tc.SHORT, -7),
        "large": Box(tc.ULONGLONG, 2**63),
        "rate": 2.5,
        "yes": True,
        "text": "äß 漢",
        "octets": b"\x00\xff",
        "struct": Box(S, (1, "x")),
        "list": [1, 2, 3],
        "nested": Box(tc.ANY, Box(S, (2, "y"))),
    }
    header = {"Priority": -5, "Timeout": 36_000_000_000, "Proximity": "0, 0, 1.5, 2.5, 100"}
    return event("Traffic", "Car", "Speed", data, header=header, body=Box(S, (3, "z")))


async def exchange(parameters: dict[str, Any]) -> None:
    """Let one adapter publish what another one hears, as it was."""
    sent = [rich(number) for number in range(6)]
    async with (
        connected("corba", parameters, ALL) as (_, ear),
        connected("corba", parameters, adapter="b") as (writer, _),
    ):
        given = [Outgoing(one, mark(number)) for number, one in enumerate(sent)]
        assert await writer.publish(given) == [None] * len(sent)
        heard = await ear.until(lambda heard: len(heard) >= len(sent))
    assert [one.event for one in heard] == sent
    assert [one.mark for one in heard] == [one.mark for one in given]


async def test_events_pass_in_every_style_and_form_as_they_are() -> None:
    async with service() as s, asyncio.TaskGroup() as group:
        for style in STYLES:
            both = {"in": style, "out": style}
            for form in ("any", "structured", "sequence"):
                given = await s.parameters(form=form, **both)
                group.create_task(exchange(given))
            reference, _ = await s.channel()
            group.create_task(exchange({"reference": to_ior(reference), "model": "events", **both}))


@pytest.mark.parametrize("style", STYLES)
async def test_omni_events_hands_over_everything_as_it_is(style: str, omni_events: Rig) -> None:
    parameters = {**omni_events.parameters(), "in": style, "out": style}
    await exchange(parameters)
    async with connected("corba", parameters) as (one, _):
        [placed] = await one.want([SPEED])
        assert not placed.exact
        assert "no filters" in placed.surplus
        assert one.capabilities.filtering is Filtering.NONE
        assert one.capabilities.priority is Survival.PARTLY


async def test_a_bare_value_is_the_body_of_an_event(omni_events: Rig) -> None:
    parameters = omni_events.parameters()
    async with (
        connected("corba", parameters, ALL) as (one, ear),
        omni_events.native(parameters) as native,
    ):
        assert isinstance(native, Native)
        value = Box(S, (7, "bare"))
        await native.source.push(value)
        [found] = await ear.until(bool)
        assert (found.event.type, found.event.body) == ("%ANY", value)
        # On its way back it has a mark, so it travels as a structured event.
        await one.publish([Outgoing(found.event, mark(1))])
        _, again = await ear.until(lambda heard: len(heard) > 1)
        assert (again.event, again.mark) == (found.event, mark(1))


async def test_an_event_that_nobody_can_read_holds_up_nothing(omni_events: Rig) -> None:
    parameters = omni_events.parameters()
    twice = (("rate", 1), ("rate", 2))
    async with (
        connected("corba", parameters, ALL) as (_, ear),
        omni_events.native(parameters) as native,
    ):
        assert isinstance(native, Native)
        await native.source.push(
            Box.trusted(STRUCTURED_EVENT, (((("", ""), "Speed"), ()), twice, None))
        )
        await native.publish(rich(1))
        wrong, right = await ear.until(lambda heard: len(heard) > 1)
    assert (right.event, right.problem) == (rich(1), "")
    assert "two properties have the name 'rate'" in wrong.problem
    assert isinstance(wrong.event.body, bytes)
    assert b"('rate', 2)" in wrong.event.body


@pytest.mark.parametrize("form", ["structured", "sequence"])
async def test_what_the_service_refuses_is_set_aside_alone(form: str) -> None:
    events = [rich(1), StructuredEvent(name="Speed", header={"Priority": "high"}), rich(2)]
    async with service() as s:
        parameters = await s.parameters(form=form)
        async with (
            connected("corba", parameters, ALL) as (_, ear),
            connected("corba", parameters, adapter="b") as (writer, _),
        ):
            answers = await writer.publish([Outgoing(each, mark(1)) for each in events])
            assert [answer is None for answer in answers] == [True, False, True]
            assert answers[1] is not None
            assert "BAD_PARAM" in answers[1].cause
            heard = await ear.until(lambda heard: len(heard) > 1)
            assert [found.event for found in heard] == [rich(1), rich(2)]


async def test_a_full_channel_is_tried_until_there_is_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refused, push = asyncio.Event(), PushingOutlet._push

    async def watched(self: PushingOutlet, events: Any) -> Any:
        fault = await push(self, events)
        if isinstance(fault, ChannelFull):
            refused.set()
        return fault

    monkeypatch.setattr(PushingOutlet, "_push", watched)
    async with service() as s:
        full = (Property("MaxQueueLength", 1), Property("RejectNewEvents", True))
        factory = s.orb.stub(EventChannelFactory, s.url)
        _, channel = await factory.create_channel((), full)
        parameters = {"reference": s.url, "channel": channel, "settle": PATIENCE}
        async with (
            connected("corba", parameters, ALL) as (one, ear),
            connected("corba", parameters, adapter="b") as (writer, _),
        ):
            given = [Outgoing(rich(number), mark(number)) for number in range(4)]
            publishing = asyncio.create_task(writer.publish(given))
            async with asyncio.timeout(PATIENCE):
                await refused.wait()
            for count in range(1, 5):
                heard = await ear.until(at_least(count))
                one.taken(heard[-1:])
            assert await publishing == [None] * 4
        assert [found.event for found in ear.heard] == [rich(number) for number in range(4)]


def at_least(count: int) -> Callable[[list[Arrival]], bool]:
    """Return whether so many events were heard."""
    return lambda heard: len(heard) >= count


class Latin(Rig):
    characters = "ISO-8859-1"


async def test_what_the_peer_cannot_write_is_refused_and_the_rest_arrives() -> None:
    rig = Latin()
    rig.start()
    try:
        async with connected("corba", rig.parameters(), ALL) as (one, ear):
            texts = ["Müller", "漢", "CAR0002"]
            events = [event("", "", "Speed", {"license_no": text}) for text in texts]
            answers = await one.publish([Outgoing(each, mark(1)) for each in events])
            assert [answer is None for answer in answers] == [True, False, True]
            assert "DATA_CONVERSION" in str(answers[1])
            heard = await ear.named("CAR0002")
            assert [found.event.data["license_no"] for found in heard] == ["Müller", "CAR0002"]
    finally:
        rig.stop()


# ---------------------------------------------------------------- filters


async def test_a_refused_constraint_is_widened_to_its_types_or_to_all() -> None:
    long = " " * 70_000  # longer than the service takes
    limits = ConstraintLimits(octets=100_000)
    typed = constraint(f"$rate > 100{long}", ["Traffic::*"], limits)
    wide = constraint(f"$rate > 100{long}", limits=limits)
    cars = event("Traffic", "Car", "Speed", {"license_no": "slow", "rate": 1})
    other = event("Rail", "Train", "Speed", {"license_no": "other", "rate": 1})
    async with service() as s:
        parameters = await s.parameters()
        async with (
            connected("corba", parameters) as (one, ear),
            connected("corba", parameters, adapter="b") as (writer, _),
        ):
            assert await one.want([typed]) == [
                ("Traffic::*", False, "the service does not take this constraint")
            ]
            await writer.publish([Outgoing(other, mark(1)), Outgoing(cars, mark(2))])
            [found] = await ear.named("slow")
            placed = await one.want([wide, SPEED])
            assert [each[:2] for each in placed] == [("everything", False), (SPEED.text, True)]
            await writer.publish([Outgoing(other, mark(3))])
            assert found.event == cars
            assert (await ear.named("other"))[1].event == other


async def test_other_filters_replace_those_before_and_no_event_is_missed() -> None:
    sent = [event("", "", "Speed", {"license_no": f"N{n}", "rate": n}) for n in range(60)]
    async with service() as s:
        parameters = await s.parameters()
        odd, even = constraint("$rate >= 0 and $rate != 7.5"), constraint("$rate >= 0")
        async with (
            connected("corba", parameters, odd) as (one, ear),
            connected("corba", parameters, adapter="b") as (writer, _),
        ):

            async def change() -> None:
                for _ in range(5):
                    await one.want([even, SPEED])
                    await one.want([odd])

            changing = asyncio.create_task(change())
            for each in sent:
                await writer.publish([Outgoing(each, mark(1))])
            await changing
            heard = await ear.named("N59")
            assert [found.event for found in heard] == sent
            assert await one.want([constraint(odd.text)]) == [(odd.text, True, "")]
            assert [len(held) for held in await constraints(s, parameters["channel"])] == [1]


async def constraints(s: Service, channel: int) -> list[Any]:
    """Return the constraints of the filters at a channel's proxies."""
    found = []
    stub = await s.stub(channel)
    for id in await stub.get_all_consumeradmins():
        admin = s.orb.stub(NotifyConsumers, await stub.get_consumeradmin(id))
        for proxy in (*await admin.get_push_suppliers(), *await admin.get_pull_suppliers()):
            held = s.orb.stub(ProxySupplier, await admin.get_proxy_supplier(proxy))
            for filter in await held.get_all_filters():
                one = s.orb.stub(Filter, await held.get_filter(filter))
                found.append(await one.get_all_constraints())
    return found


class NoGrammar(FilterFactoryServant):
    """A factory of filters in another language."""

    async def create_filter(self, constraint_grammar: str) -> Reference:
        raise InvalidGrammar

    async def create_mapping_filter(self, constraint_grammar: str, default_value: Any) -> Reference:
        raise InvalidGrammar


async def test_a_service_with_another_language_hands_over_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with service() as s:
        parameters = await s.parameters()
        reluctant = s.orb.activate(NoGrammar(), b"factory of filters")

        # The service's channel says that its filters come from there.
        async def factory(_: object) -> Reference:
            return reluctant

        monkeypatch.setattr(ChannelObject, "get_default_filter_factory", factory)
        async with (
            connected("corba", parameters) as (one, ear),
            connected("corba", parameters, adapter="b") as (writer, _),
        ):
            [placed] = await one.want([constraint("FALSE")])
            assert (placed.text, placed.exact) == ("everything", False)
            assert "EXTENDED_TCL" in placed.surplus
            await writer.publish([Outgoing(rich(1), mark(1))])
            assert (await ear.until(bool))[0].event == rich(1)


async def test_filters_of_others_hold_nothing_back_unless_so_wanted() -> None:
    slow, fast = (event("", "", "Speed", {"license_no": f"N{n}", "rate": n}) for n in (1, 200))
    async with service() as s:
        for admin, expected in (("own", [slow, fast]), ("default", [fast])):
            parameters = await s.parameters(admin=admin)
            channel = await s.stub(parameters["channel"])
            consumers = s.orb.stub(NotifyConsumers, await channel.get_default_consumer_admin())
            filters = s.orb.stub(FilterFactory, await channel.get_default_filter_factory())
            reference = await filters.create_filter("EXTENDED_TCL")
            await s.orb.stub(Filter, reference).add_constraints([ConstraintExp((), "$rate > 100")])
            await consumers.add_filter(reference)
            async with (
                connected("corba", parameters, SPEED) as (_, ear),
                connected("corba", parameters, adapter="b") as (writer, _),
            ):
                await writer.publish([Outgoing(each, mark(1)) for each in (slow, fast)])
                heard = await ear.named("N200")
                assert [found.event for found in heard] == expected


async def test_subjects_are_offered_and_no_longer() -> None:
    async with service() as s:
        parameters = await s.parameters()
        async with connected("corba", parameters) as (one, _):
            await one.offer(["Speed", "%wrong", "Brake"])
            assert await offered(s, parameters["channel"]) == {"Speed", "Brake"}
            await one.offer(["Brake"])
            assert await offered(s, parameters["channel"]) == {"Brake"}


async def offered(s: Service, channel: int) -> set[str]:
    """Return the types that a consumer at a channel is told of."""
    stub = await s.stub(channel)
    admin = s.orb.stub(NotifyConsumers, await stub.get_default_consumer_admin())
    reference, _ = await admin.obtain_notification_push_supplier(ClientType.STRUCTURED_EVENT)
    mode = ObtainInfoMode.ALL_NOW_UPDATES_OFF
    found = await s.orb.stub(ProxySupplier, reference).obtain_offered_types(mode)
    return {one.type_name for one in found}


# ---------------------------------------------------------------- when a push is answered


async def test_a_push_is_answered_when_events_are_safe_if_so_wanted() -> None:
    async with service() as s:
        for settle in (0, 0.01, PATIENCE):
            parameters = await s.parameters(settle=settle)
            channel = parameters["channel"]
            async with (
                connected("corba", parameters, ALL) as (one, ear),
                connected("corba", parameters, adapter="b") as (writer, _),
            ):
                await writer.publish([Outgoing(rich(1), mark(1))])
                heard = await ear.until(bool)
                if settle == PATIENCE:
                    assert await s.waiting(channel) == 1
                    one.taken(heard)
                await until_nothing_waits(s, channel)


async def until_nothing_waits(s: Service, channel: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while await s.waiting(channel):  # noqa: ASYNC110 -- what another task does
            await asyncio.sleep(0.01)


# ---------------------------------------------------------------- life


async def test_nothing_is_left_at_the_service() -> None:
    async with service() as s:
        for style in STYLES:
            parameters = await s.parameters(**{"in": style, "out": style})
            before = await left(s, parameters["channel"])
            async with connected("corba", parameters, SPEED) as (one, _):
                assert await left(s, parameters["channel"]) != before
                await one.want([])
                await one.want([ALL])
            assert await left(s, parameters["channel"]) == before


async def left(s: Service, channel: int) -> list[Any]:
    """Return what there is at a channel: admins, proxies; and all filters."""
    parts = (f"channels/{channel}/admins", f"channels/{channel}/proxies", "filters")
    return [await s.get(f"/v1/{part}") for part in parts]


async def test_nothing_is_left_at_a_service_that_was_away(omni_events: Rig) -> None:
    for style in STYLES:
        parameters = {**omni_events.parameters(), "in": style, "out": style}
        name = parameters["reference"].rpartition("/")[2]
        async with connected("corba", parameters, ALL) as (one, ear):
            assert proxies(omni_events, name) == 2
            await asyncio.to_thread(omni_events.kill)
            await one.lost()
            await one.disconnect()
            await asyncio.to_thread(omni_events.restart)
            await one.connect(ear)
            assert proxies(omni_events, name) == 1
        assert proxies(omni_events, name) == 0


def proxies(rig: Rig, channel: str) -> int:
    """Count the proxies that omniEvents has for a channel: of its log, lines with - take back."""
    lines = [line.split()[0] for line in rig.kept().splitlines() if f"ecf/{channel}/" in line]
    gone = {line[1:] for line in lines if line.startswith("-")}
    return len(set(lines) - gone - {f"-{line}" for line in gone})


@pytest.mark.parametrize("called_back", [True, False])
async def test_a_channel_that_goes_is_noticed(called_back: bool) -> None:
    async with service(iiop__bidirectional="never") as s:
        reference, channel = await s.channel()
        parameters = {"reference": s.url, "channel": channel}
        if not called_back:
            parameters |= {"bidirectional": True}  # the service calls nobody
        async with connected("corba", parameters, ALL) as (one, _):
            await s.orb.stub(BareChannel, reference).destroy()
            async with asyncio.timeout(PATIENCE):
                cause = await one.lost()
            expected = "has disconnected us" if called_back else "has ended our proxy pu"
            assert expected in cause
            with pytest.raises(AdapterError, match="not connected"):
                await one.publish([Outgoing(rich(1), mark(1))])


async def test_behind_a_wall_the_service_calls_over_our_connection() -> None:
    async with service(iiop__bidirectional="always") as s:
        await exchange(await s.parameters(bidirectional=True))


def corbaname(s: Service) -> str:
    """Return the URL of the naming service that names are added to."""
    return s.names.replace("corbaloc:", "corbaname:")


async def test_a_channel_is_found_by_name_and_in_a_file(tmp_path: Path) -> None:
    async with service() as s:
        reference, _ = await s.channel()
        root = await s.orb.resolve(s.names)
        await register(s.orb, root, [NameComponent("roads", "channel")], reference)
        (tmp_path / "channel.ior").write_text(to_ior(reference) + "\n")
        for given in (f"{corbaname(s)}#roads.channel", f"file:{tmp_path / 'channel.ior'}"):
            async with connected("corba", {"reference": given}, ALL) as (one, ear):
                await one.publish([Outgoing(rich(1), mark(1))])
                await ear.until(bool)


async def test_a_wrong_reference_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "wrong").write_text("nonsense")
    async with service() as s:
        reference, _ = await s.channel()
        ior = to_ior(reference)
        for given, told in (
            ({"reference": "corbaloc::127.0.0.1:1/x"}, "127.0.0.1:1/x: .*refused"),
            ({"reference": f"{s.url}-not"}, "there is no object with this reference"),
            ({"reference": s.names}, "the object is no CosNotifyChannelAdmin::EventChannel"),
            ({"reference": s.url, "channel": 99}, "the factory has no channel 99"),
            ({"reference": ior, "listen": "127.0.0.1:http"}, "no address to listen on"),
            (
                {"reference": s.names.replace("loc:", "name:") + "#no"},
                "the naming service has no object of this name",
            ),
            ({"reference": f"file:{tmp_path}/none"}, "holds no reference: .*No such file"),
            ({"reference": f"file:{tmp_path}/wrong"}, "'nonsense' is no reference"),
        ):
            one = made("corba", given)
            with pytest.raises(AdapterError, match=told):
                await one.connect(Ear())
    for wrong, told in (
        ({"reference": "roads"}, "'roads' is no reference of an object"),
        ({"reference": ior, "model": "events", "form": "structured"}, "leave form out"),
        ({"reference": ior, "model": "events", "channel": 1}, "leave channel out"),
        ({"reference": ior, "in": "pushed"}, r"in: 'pushed' is none of pull, push"),
    ):
        with pytest.raises(InvalidUsage, match=told):
            made("corba", wrong)


# ---------------------------------------------------------------- in a gateway


async def test_a_gateway_joins_an_event_service_with_a_notification_service(
    omni_events: Rig,
) -> None:
    """Each event crosses once, in both directions, whatever happens to a service meanwhile."""
    theirs = omni_events.parameters()
    async with service() as s, world() as joined:
        ours = await s.parameters()
        await joined.gateway(
            SideConfig("a", "A", "corba", theirs), SideConfig("b", "B", "corba", ours)
        )
        await joined.want("Speed", "A")
        await joined.want("Speed", "B")
        async with connected("corba", ours, SPEED, adapter="c") as (here, ear):
            async with omni_events.native(theirs) as native:
                await native.publish(rich(1))
                await ear.until(at_least(1))
                await here.publish([Outgoing(rich(2), mark(2))])
                received = native.received()
                assert [await anext(received) for _ in range(2)] == [rich(1), rich(2)]
            await asyncio.to_thread(omni_events.kill)
            try:
                await joined.until(lambda info: info.sides[0].state == "down")
                await here.publish([Outgoing(rich(3), mark(3))])
                await joined.until(lambda info: info.sides[0].waiting > 0)
            finally:
                await asyncio.to_thread(omni_events.restart)
            await joined.until(
                lambda info: info.sides[0].state == "up" and not info.sides[0].waiting
            )
            async with omni_events.native(theirs) as native:
                await native.publish(rich(4))
                heard = await ear.until(lambda heard: heard[-1].event == rich(4))
            assert [found.event for found in heard] == [rich(number) for number in range(1, 5)]
