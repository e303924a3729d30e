"""The factory of plain channels: what criteria it takes, and what becomes of bad ones."""

from __future__ import annotations

import pytest

from tests.unit.servants.opened import Whole, play
from tidings.cos.CosLifeCycle_auto import (
    NVP,
    CannotMeetCriteria,
    GenericFactory_INTERFACE,
    InvalidCriteria,
    NoFactory,
)
from tidings.cos.CosNaming_auto import NameComponent
from tidings.cos.CosNotifyChannelAdmin_auto import EventChannel
from tidings.cos.omniEvents_auto import EventChannelFactory
from tidings.events import typecode as tc
from tidings.events.boxes import Any, Value

CHANNEL = (NameComponent("EventChannel", "object interface"),)


def factory(w: Whole) -> EventChannelFactory:
    return w.plain(EventChannelFactory, "omniEvents")


def test_a_channel_is_made_as_the_criteria_ask() -> None:
    async def part(w: Whole) -> None:
        criteria = [
            NVP("InsName", "plain"),
            NVP("MaxQueueLength", Any(tc.ULONG, 5)),
            NVP("MaxNumProxies", Any(tc.ULONG, 7)),
            NVP("CyclePeriod_ns", Any(tc.ULONG, 100)),
            NVP("FilterId", "IDL:it's/a\\\\one:1.0"),
        ]
        made = w.client.stub(EventChannel, await factory(w).create_object(CHANNEL, criteria))
        qos = {one.name: one.value for one in await made.get_qos()}
        admin = {one.name: one.value for one in await made.get_admin()}
        assert qos["MaxEventsPerConsumer"] == 5
        assert admin["MaxConsumers"] == admin["MaxSuppliers"] == 7
        assert await w.plain(EventChannel, "plain").get_all_consumeradmins() == (0,)

    play(part)


def test_a_client_of_old_omnievents_finds_narrows_and_asks() -> None:
    async def part(w: Whole) -> None:
        found = await w.root.resolve_str("EventChannelFactory.EventChannelFactory")
        for id in ("IDL:EventChannelAdmin/EventChannelFactory:1.0", GenericFactory_INTERFACE.id):
            assert await w.client.is_a(found, id)
            assert await w.client.is_a(factory(w)._reference, id)
        criteria = [
            NVP("PullRetryPeriod", Any(tc.ULONG, 1)),
            NVP("MaxEventsPerConsumer", Any(tc.ULONG, 4)),
            NVP("MaxQueueLength", Any(tc.ULONG, 0)),
        ]
        made = await w.client.stub(EventChannelFactory, found).create_object(CHANNEL, criteria)
        qos = {one.name: one.value for one in await w.client.stub(EventChannel, made).get_qos()}
        assert qos["MaxEventsPerConsumer"] == 4

    play(part)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Colour", "red"),
        ("MaxQueueLength", True),
        ("MaxQueueLength", Any(tc.LONG, -1)),
        ("MaxNumProxies", "7"),
        ("InsName", ""),
        ("InsName", "x" * 257),
        ("FilterId", "x" * 70_000),
    ],
)
def test_a_bad_criterion_is_told_and_leaves_no_channel_behind(name: str, value: Value) -> None:
    async def part(w: Whole) -> None:
        criteria = [NVP("MaxNumProxies", Any(tc.LONG, 7)), NVP(name, value)]
        with pytest.raises(InvalidCriteria) as told:
            await factory(w).create_object(CHANNEL, criteria)
        assert [one.name for one in told.value.invalid_criteria] == [name]
        assert list(w.opened.service.host.factory.channels) == [1]

    play(part)


def test_a_name_that_is_taken_and_another_kind_of_object() -> None:
    async def part(w: Whole) -> None:
        with pytest.raises(CannotMeetCriteria) as told:
            await factory(w).create_object(CHANNEL, [NVP("InsName", "default")])
        assert [one.name for one in told.value.unmet_criteria] == ["InsName"]
        assert await factory(w).supports(CHANNEL)
        other = (NameComponent("Printer", "object interface"),)
        assert not await factory(w).supports(other)
        with pytest.raises(NoFactory):
            await factory(w).create_object(other, [])

    play(part)
