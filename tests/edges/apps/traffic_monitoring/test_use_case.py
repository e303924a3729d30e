"""The use case of the source, row by row, as far as it shows without the whole scene (FES 9).

The rest of its table is in `tests/real/federation/test_traffic.py`.
"""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import can
import msgspec
import pytest

from tests.patience import PATIENCE
from tidings.apps.traffic_monitoring.car import bus, in_car_gateway
from tidings.apps.traffic_monitoring.city import CARS, REACH
from tidings.apps.traffic_monitoring.control_room import SPEEDS, ControlRoom
from tidings.apps.traffic_monitoring.entity import Job
from tidings.apps.traffic_monitoring.live import LiveTraffic
from tidings.apps.traffic_monitoring.offences import limit_filter
from tidings.apps.traffic_monitoring.roadside import roadside_gateway
from tidings.client.client import Client
from tidings.errors import InvalidUsage
from tidings.events.build import event
from tidings.events.fields import StructuredFields
from tidings.federation import requests as r
from tidings.federation.proximity import Circle, area_of
from tidings.federation.wishes import filter_of
from tidings.gateways.mapping import Mapped
from tidings.services.cosmic.node import Node
from tidings.services.cosmic.settings import CosmicSettings

CAR = CARS[0]
JOB = Job("road", "road-2", "some-network", "senp://127.0.0.1:6000")


async def test_identifier_12345_is_speed_with_seven_octets_of_licence_and_one_of_rate() -> None:
    settings = msgspec.convert({**bus(CAR), "channel": "seen", "node": 2}, CosmicSettings)
    with can.Bus(interface="virtual", channel="seen") as other:
        async with Node(settings) as node:
            data = {"license_no": "05D1001", "rate": 57.0}
            assert await node.publish(event("", "", "Speed", data)) is None
            message = await asyncio.to_thread(other.recv, PATIENCE)
    assert message is not None
    assert (message.arbitration_id, message.is_extended_id) == (12345, True)
    assert bytes(message.data) == b"05D1001" + bytes((57,))


def test_a_car_starts_with_a_standing_subscription_of_its_radio_at_its_bus() -> None:
    gateway = in_car_gateway(CAR, JOB, "53.34, -6.25")
    assert [(side.service, side.kind) for side in gateway.sides] == [
        ("cosmic-1", "cosmic"),
        ("steam-1", "steam"),
    ]
    assert gateway.requests == (
        r.StandingRequest(r.RequestKind.SUBSCRIBE, "subject = Speed", "steam-1", "cosmic-1"),
    )


def test_the_proximity_is_the_reach_of_the_radio_around_the_car() -> None:
    [_, radio] = in_car_gateway(CAR, JOB, "53.34, -6.25").sides
    mapped = Mapped(radio.mapping, "radio")
    speed = mapped.outward(event("", "", "Speed", {"license_no": "x", "rate": 1.0}))
    assert speed is not None
    area = area_of(speed)
    assert isinstance(area, Circle)
    assert (area.radius, area.relative, area.middle) == (REACH, True, (0.0, 0.0))


def test_a_monitor_joins_its_radio_and_the_office() -> None:
    gateway = roadside_gateway(JOB, "53.34, -6.25")
    assert [(side.service, side.kind) for side in gateway.sides] == [
        ("road-2", "steam"),
        ("siena-m", "siena"),
    ]
    assert gateway.requests == ()  # the control room asks, by control events


def test_the_control_room_hears_all_speeds_that_come() -> None:
    assert [(one.name, str(one.operator), one.value) for one in SPEEDS] == [
        ("FES_Subject", "=", "Speed")
    ]


@pytest.mark.parametrize(("rate", "is_wanted"), [(49.0, False), (50.0, False), (51.0, True)])
def test_the_filter_of_a_limit_wants_what_is_faster(rate: float, is_wanted: bool) -> None:
    speed = event("", "", "Speed", {"license_no": "x", "rate": rate})
    assert filter_of(limit_filter(50)).matches(StructuredFields(speed)) is is_wanted


def test_cars_publish_every_second() -> None:
    assert inspect.signature(LiveTraffic).parameters["pace"].default == 1.0


@pytest.mark.parametrize(("targets", "limit"), [("street-1", 50), ("", 50), ("road-1", 255)])
async def test_a_limit_for_nobody_is_refused_before_anybody_is_asked(
    tmp_path: Path, targets: str, limit: int
) -> None:
    room = ControlRoom("senp://127.0.0.1:1", Client.__new__(Client), tmp_path, lambda _: None)
    with pytest.raises(InvalidUsage, match=r"names no monitor|a limit is 0 to 254"):
        await room.set_limit(targets, limit)
    assert room.limits == []
