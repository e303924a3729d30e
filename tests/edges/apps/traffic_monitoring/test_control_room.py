"""The control room: who is reported, and who is fined, whatever comes from SIENA."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidings.apps.traffic_monitoring.city import CITY
from tidings.apps.traffic_monitoring.control_room import OFFENDERS, ControlRoom
from tidings.apps.traffic_monitoring.offences import Fine, Offence
from tidings.apps.traffic_monitoring.replay import Line
from tidings.client.client import Client
from tidings.events.build import event
from tidings.federation.marks import Mark
from tidings.gateways.adapters.siena import EventMapping
from tidings.services.siena.relations import Notification


class Room:
    """A control room with limits, that nothing is connected with."""

    def __init__(self, folder: Path) -> None:
        self.lines: list[Line] = []
        self.folder = folder
        client = Client.__new__(Client)
        self.room = ControlRoom("senp://127.0.0.1:1", client, folder, self.lines.append)
        self.room._standing = {"road-1": 50, "road-2": 30}
        self.room.second = 7

    async def hear(self, *notifications: Notification) -> None:
        await self.room._take(notifications)


def speed(rate: object, road: str | None = "road-1", licence: object = "05D1001") -> Notification:
    sent = event("", "", "Speed", {"license_no": licence, "rate": rate})
    mark = Mark(CITY, road, "s", 1, (road, "siena-m")) if road else None
    return EventMapping().notification(sent, mark)


async def test_an_offender_is_logged_with_licence_and_speed_and_fined_once(tmp_path: Path) -> None:
    made = Room(tmp_path)
    await made.hear(speed(57.0), speed(58.0), speed(57.0, "road-2"))
    room = made.room
    first = Offence(7, "05D1001", "road-1", 57, 50)
    other = Offence(7, "05D1001", "road-2", 57, 30)
    assert room.offences == [first, first._replace(rate=58), other]
    assert room.fines == [Fine(first, 30), Fine(other, 120)]
    assert (tmp_path / OFFENDERS).read_text().splitlines() == [
        "05D1001 57 km/h at road-1, limit 50",
        "05D1001 58 km/h at road-1, limit 50",
        "05D1001 57 km/h at road-2, limit 30",
    ]
    assert [line.word for line in made.lines] == [
        "reported", "fined", "reported", "reported", "fined",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        speed(57.0, None),  # no gateway has brought it
        speed(57.0, "road-9"),
        speed("fast"),
        speed(57.0, licence=5),
        {**speed(57.0), "FES_Subject": 3},
        {"FES_Subject": "Speed"},
    ],
)
async def test_what_no_monitor_has_seen_is_no_offence(tmp_path: Path, wrong: Notification) -> None:
    made = Room(tmp_path)
    await made.hear(wrong, speed(57.0))
    assert [one.rate for one in made.room.offences] == [57]
    assert len(made.room.fines) == 1
