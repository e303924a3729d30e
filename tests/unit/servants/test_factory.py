from __future__ import annotations

import pytest

from tests.unit.servants.scenes import ANN, UNKNOWN_OBJECT, Scene, long, play, refused, short
from tidings.cos import CosNotification_auto as notification
from tidings.cos.CosNotification_auto import Property, QoSError_code
from tidings.cos.CosNotifyChannelAdmin_auto import (
    ChannelNotFound,
    EventChannel,
    EventChannelFactory,
)
from tidings.engine.access import Grant, Principal
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.orb.exceptions import BAD_PARAM, NO_PERMISSION, OBJECT_NOT_EXIST


def test_a_channel_is_made_with_the_properties_asked_for() -> None:
    async def part(scene: Scene) -> None:
        reference, id = await scene.factory.create_channel(
            [short("Priority", 3), Property("Timeout", Any(tc.ULONGLONG, 70))],
            [long("MaxConsumers", 9)],
        )
        assert reference.type_id == EventChannel.INTERFACE.id
        channel = scene.stub(EventChannel, reference)
        qos, admin = dict(await channel.get_qos()), dict(await channel.get_admin())
        assert (qos["Priority"], qos["Timeout"]) == (Any(tc.SHORT, 3), Any(tc.ULONGLONG, 70))
        assert (admin["MaxConsumers"], admin["RejectNewEvents"]) == (9, True)
        assert list(await scene.factory.get_all_channels()) == [id]
        assert await scene.factory.get_event_channel(id) == reference

    play(part)


def test_each_channel_has_an_id_of_its_own() -> None:
    async def part(scene: Scene) -> None:
        first, second = [(await scene.factory.create_channel((), ()))[1] for _ in range(2)]
        assert list(await scene.factory.get_all_channels()) == [first, second]
        await scene.known(EventChannel, "channel", (first,)).destroy()
        assert list(await scene.factory.get_all_channels()) == [second]
        with pytest.raises(ChannelNotFound):
            await scene.factory.get_event_channel(first)

    play(part)


def test_every_property_a_channel_cannot_have_is_told() -> None:
    async def part(scene: Scene) -> None:
        bad = [
            long("Priority", 3),
            short("ConnectionReliability", 4),
            short("Colour", 1),
            short("StartTime", 1),
            short("MaximumBatchSize", 1),
        ]
        with pytest.raises(notification.UnsupportedQoS) as told:
            await scene.factory.create_channel(bad, ())
        assert [(one.name, one.code) for one in told.value.qos_err] == [
            ("Priority", QoSError_code.BAD_TYPE),
            ("ConnectionReliability", QoSError_code.BAD_VALUE),
            ("Colour", QoSError_code.BAD_PROPERTY),
            ("StartTime", QoSError_code.UNSUPPORTED_PROPERTY),
            ("MaximumBatchSize", QoSError_code.BAD_TYPE),
        ]
        assert told.value.qos_err[1].available_range == (Any(tc.SHORT, 0), Any(tc.SHORT, 1))
        with pytest.raises(notification.UnsupportedAdmin) as refusal:
            await scene.factory.create_channel((), [long("MaxConsumers", -1)])
        assert refusal.value.admin_err[0].code is QoSError_code.BAD_VALUE
        assert not await scene.factory.get_all_channels()

    play(part)


def test_who_calls_an_id_that_never_was_is_told_so() -> None:
    async def part(scene: Scene) -> None:
        with pytest.raises(ChannelNotFound):
            await scene.factory.get_event_channel(12)
        with pytest.raises(ChannelNotFound):
            await scene.factory.get_event_channel(-1)
        gone = await refused(
            scene.known(EventChannel, "channel", (12,)).get_qos(), OBJECT_NOT_EXIST
        )
        assert gone.minor == UNKNOWN_OBJECT
        await refused(scene.known(EventChannel, "channel", (12,)).destroy(), OBJECT_NOT_EXIST)

    play(part)


def test_who_is_confined_to_other_channels_is_refused_whether_there_is_a_channel_or_not() -> None:
    async def part(scene: Scene) -> None:
        _, mine = await scene.factory.create_channel((), ())
        _, other = await scene.factory.create_channel((), ())
        confined = Principal("bob", scope=frozenset({mine}))
        scene.service.grants[ANN] = Grant(ANN, confined)
        factory = scene.known(EventChannelFactory, "factory", (), ANN)
        assert await factory.get_all_channels() == (mine,)
        await factory.get_event_channel(mine)
        for id in (other, 12):
            await refused(factory.get_event_channel(id), NO_PERMISSION)

    play(part)


def test_a_value_that_does_not_fit_is_refused_before_it_is_sent() -> None:
    async def part(scene: Scene) -> None:
        await refused(scene.factory.get_event_channel(2**40), BAD_PARAM)

    play(part)
