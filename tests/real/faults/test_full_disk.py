"""The disk is full: what cannot be kept is refused, what was accepted stays, later all goes on."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.real.faults.crash.ledger import Book, Ledger
from tests.real.faults.crash.publisher import Publisher, options_of, set_up
from tests.real.faults.crash.run import SOURCES
from tests.real.faults.crash.scene import (
    FIFO,
    SEGMENT_OCTETS,
    SOURCE,
    URGENT,
    Numbered,
    channel_of,
    drained,
    event_of,
    numbered,
    push,
)
from tests.real.faults.crash.small_disk import SmallDisk
from tests.real.faults.fault import PROJECT
from tests.real.faults.sizes import size
from tidings import event
from tidings.channel.channel import Channel
from tidings.channel.commands import Ack, Push
from tidings.channel.management import NewAdmin, SetQoS
from tidings.channel.vocabulary import Place, Side
from tidings.engine.host import Host
from tidings.errors import DiskFull

BEST_EFFORT = event("Crash", "Quick", "0/0", {"part": 0}, header={"EventReliability": 0})


class World:
    """A host on a small disk."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.disk = SmallDisk(folder, monkeypatch)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[tuple[Host, Channel]]:
        host = await Host.open(self.folder / "data", segment_octets=SEGMENT_OCTETS)
        try:
            if channel_of(host) is None:
                book = Book(self.folder.with_suffix(".ledger"))
                await set_up(Publisher(host, book, Ledger(b""), options_of(["-"])))
            channel = channel_of(host)
            assert channel is not None
            yield host, channel
        finally:
            await host.close(0)


Played = Callable[[World], Coroutine[Any, Any, None]]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path / "disk", monkeypatch)


def played(scene: Played) -> Callable[[World], None]:
    """A test from a coroutine."""

    def test(world: World) -> None:
        asyncio.run(scene(world))

    return test


def numbers(first: int, last: int) -> list[Numbered]:
    return [(1, number) for number in range(first, last + 1)]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 -- it is the host's timer that is waited for
            await asyncio.sleep(0.01)


async def waiting(host: Host, channel: Channel, consumer: str = URGENT) -> dict[int, Numbered]:
    return {m.seq: numbered(m) for m in await drained(host, channel, consumer)}


async def _each_event_is_answered(world: World) -> None:
    async with world.opened() as (host, channel):
        assert await push(host, numbers(1, 3)) == [1, 2, 3]
        world.disk.room = 0
        answers = await push(host, numbers(4, 8))
        assert [type(answer) for answer in answers] == [DiskFull] * 5
        assert "nothing was written" in str(answers[0])
        assert await waiting(host, channel) == dict(zip((1, 2, 3), numbers(1, 3), strict=True))


test_each_persistent_event_is_refused = played(_each_event_is_answered)


async def _best_effort_goes_on(world: World) -> None:
    async with world.opened() as (host, channel):
        world.disk.room = 0
        items = [BEST_EFFORT, event_of(1, 1), BEST_EFFORT, event_of(1, 2)]
        mixed = Push(channel.id, channel.names[SOURCE], items)
        first, refused, second, also_refused = await host.ask(mixed)
        assert isinstance(refused, DiskFull)
        assert isinstance(also_refused, DiskFull)
        for _ in range(20):
            more = await host.ask(mixed)
            assert [type(answer) for answer in more] == [int, DiskFull, int, DiskFull]
        found = await drained(host, channel, FIFO)
        assert [message.seq for message in found[:2]] == [first, second]
        assert len(found) == 42
        assert all(message.event == BEST_EFFORT for message in found)


test_best_effort_events_go_on = played(_best_effort_goes_on)


async def _management_is_refused(world: World) -> None:
    async with world.opened() as (host, channel):
        await push(host, numbers(1, 3))
        world.disk.room = 0
        await push(host, numbers(4, 4))
        place = Place(channel.id, proxy=channel.names[FIFO])
        for command in (NewAdmin(channel.id, Side.CONSUMER), SetQoS(place, {"PacingInterval": 5})):
            with pytest.raises(DiskFull, match=r"nothing can be changed: .*[Nn]o space left"):
                await host.ask(command)
        assert len(channel.admins[Side.CONSUMER]) == 1
        world.disk.room = 10**9
        await until(lambda: host.disk_error is None)  # nobody has to push for that
        admin = await host.ask(NewAdmin(channel.id, Side.CONSUMER))
    async with world.opened() as (host, channel):
        assert list(channel.admins[Side.CONSUMER]) == [0, admin]


test_management_is_refused_until_there_is_room = played(_management_is_refused)


async def _change_that_meets_the_full_disk(world: World) -> None:
    async with world.opened() as (host, channel):
        world.disk.room = 0
        with pytest.raises(DiskFull, match="the change is made, but not on the disk yet"):
            await host.ask(NewAdmin(channel.id, Side.CONSUMER))
        world.disk.room = 10**9
        await until(lambda: host.disk_error is None)
    async with world.opened() as (host, channel):
        assert list(channel.admins[Side.CONSUMER]) == [0, 1]


test_a_change_that_meets_the_full_disk_first_is_made_durable_later = played(
    _change_that_meets_the_full_disk
)


async def _deliveries_go_on(world: World) -> None:
    async with world.opened() as (host, channel):
        await push(host, numbers(1, 30))
        world.disk.room = 0
        assert {type(answer) for answer in await push(host, numbers(31, 35))} == {DiskFull}
        found = await waiting(host, channel)
        assert sorted(found) == list(range(1, 31))
        await host.ask(Ack(channel.id, channel.names[URGENT], list(range(1, 11))))
        world.disk.room = 10**9
        await until(lambda: host.disk_error is None)
    async with world.opened() as (host, channel):  # also the acknowledgements are kept
        assert sorted(await waiting(host, channel)) == list(range(11, 31))


test_what_was_accepted_is_delivered_from_a_full_disk = played(_deliveries_go_on)


@pytest.mark.parametrize("seed", range(size(4, 12)))
def test_no_number_and_no_mark_is_burnt(seed: int, world: World) -> None:
    asyncio.run(_nothing_is_burnt(world, Random(seed)))


async def _nothing_is_burnt(world: World, random: Random) -> None:
    """Several push at once; the disk is full at any place, full again, and then it is not."""
    answered: dict[Numbered, int] = {}
    left = [(pusher, number) for number in range(1, 21) for pusher in range(4)]
    for restart in (False, True, False):
        async with world.opened() as (host, _):
            assert await push(host, list(answered)) == list(answered.values())
            for room in (random.randrange(30_000), random.randrange(5_000), 10**9):
                world.disk.room = room
                size = random.randrange(1, 9)
                groups = [left[at : at + size] for at in range(0, len(left), size)]
                answers = await asyncio.gather(*(push(host, group) for group in groups))
                for which, answer in zip(left, chain(*answers), strict=True):
                    assert isinstance(answer, int | DiskFull)
                    if isinstance(answer, int):
                        answered[which] = answer
                left = [which for which in left if which not in answered]
                if restart:
                    break
        left += [(pusher, 50 + len(answered) + n) for n in range(4) for pusher in range(4)]
        world.disk.room = 10**9
    assert sorted(answered.values()) == list(range(1, len(answered) + 1))
    async with world.opened() as (host, channel):
        assert await waiting(host, channel) == {seq: which for which, seq in answered.items()}


async def _restart_on_a_full_disk(world: World) -> None:
    async with world.opened() as (host, channel):
        assert await push(host, numbers(1, 5)) == [1, 2, 3, 4, 5]
        world.disk.room = 0
        assert {type(answer) for answer in await push(host, numbers(6, 8))} == {DiskFull}
    async with world.opened() as (host, channel):
        assert sorted(await waiting(host, channel)) == [1, 2, 3, 4, 5]
        assert await push(host, numbers(1, 5)) == [1, 2, 3, 4, 5]
        assert {type(answer) for answer in await push(host, numbers(6, 8))} == {DiskFull}
        world.disk.room = 10**9
        assert await push(host, numbers(4, 8)) == [4, 5, 6, 7, 8]
    async with world.opened() as (host, channel):
        assert await push(host, numbers(6, 9)) == [6, 7, 8, 9]
        assert sorted(await waiting(host, channel)) == list(range(1, 10))


test_a_restart_in_between_changes_nothing = played(_restart_on_a_full_disk)

# Under a limit of the system itself: what it says is another error, and nobody plays the disk.
LIMITED = """
import asyncio, resource, sys
from pathlib import Path
from tests.real.faults.crash.ledger import Book, Ledger
from tests.real.faults.crash.publisher import Publisher, options_of, set_up
from tests.real.faults.crash.scene import channel_of, drained, push
from tidings.engine.host import Host
from tidings.errors import DiskFull

async def main(folder):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    host = await Host.open(folder / "data")
    await set_up(Publisher(host, Book(folder / "ledger"), Ledger(b""), options_of(["-"])))
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, hard))
    answers = [(await push(host, [(1, number)]))[0] for number in range(1, 201)]
    taken = sum(isinstance(answer, int) for answer in answers)
    full = sum(isinstance(answer, DiskFull) for answer in answers)
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    again = await push(host, [(1, number) for number in range(1, 201)])
    await host.close(0)
    host = await Host.open(folder / "data")
    found = await drained(host, channel_of(host), "urgent")
    await host.close(0)
    kept = all(a == b for a, b in zip(answers, again) if isinstance(a, int))
    print(taken > 20, taken + full, kept, sorted(again) == list(range(1, 201)), len(found))

asyncio.run(main(Path(sys.argv[1])))
"""


def test_a_limit_of_the_system_is_a_full_disk(tmp_path: Path) -> None:
    path = os.pathsep.join([str(SOURCES), str(PROJECT)])
    done = subprocess.run(
        [sys.executable, "-B", "-c", LIMITED, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path},
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout == "True 200 True True 200\n", done.stderr
