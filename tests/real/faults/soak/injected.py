"""The faults of a soak: each is done to a world at work, and says what it found."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import httpx2

from tests.real.e2e.processes import TIDINGS, environment
from tests.real.e2e.served import Served
from tests.real.faults.soak.judge import Damaged, Pair
from tests.real.faults.soak.world import CONSUMERS, DESCRIPTORS, World
from tidings.stores.chain import read_head
from tidings.stores.journal import Journal
from tidings.stores.payloads import stored_outcome
from tidings.stores.records import Kind
from tidings.stores.segments import DATA_START, Cursor, Entry, segment_path

__all__ = ["FAULTS", "Injector"]

_HOUR: Final = 3_600
_CLOCKS: Final = (0, _HOUR, -_HOUR, 72 * _HOUR, -48 * _HOUR)
# How a notice names part of a segment, or all of it.
_NOTICE: Final = re.compile(
    r"damage in the journal: segment (\d+)(?:: (\d+) octets at (\d+) are| \([^)]*\) is missing)"
)


class Spot(NamedTuple):
    """Where a journal was damaged: a segment, and the place in it; None if all of it is gone."""

    segment: int
    offset: int | None

    def is_in(self, segment: int, offset: int, length: int) -> bool:
        """Whether a part that is reported has it; a part without octets is a whole segment."""
        if self.offset is None or not length:
            return self.segment == segment and not length
        return self.segment == segment and offset <= self.offset < offset + length


class Injector:
    """Does faults to a world.

    Args:
        world: At work.
        random: Decides all.

    Attributes:
        done: How often each was done, in detail.
        damaged: What was damaged, and reported.
        findings: What was wrong at once; the ledgers are judged later.
    """

    def __init__(self, world: World, random: Random) -> None:
        self.world = world
        self.done: Counter[str] = Counter()
        self.damaged = Damaged()
        self.findings: list[str] = []
        self._random = random

    def inject(self, fault: str) -> None:
        """Does one fault of a kind, and has the world recover from it."""
        FAULTS[fault](self)
        self.world.await_progress()

    def kill(self) -> None:
        """SIGKILL for the service, a publisher or a consumer, or several of them."""
        programs = self.world.programs
        victims = self._random.sample(sorted(programs), self._random.randrange(3))
        doomed = [name for name in victims if name in CONSUMERS and self._random.random() < 0.5]
        for name in victims:
            programs[name].kill()
        with_service = not victims or self._random.random() < 0.7
        if with_service:
            self.world.stop_service()
        for name in victims:
            doom = self._random.choice(("--die-noted", "--die-taken"))
            programs[name].start(*((doom, "30") if name in doomed else ()))
            self.done["kill of a publisher or consumer"] += 1
        if with_service:
            self.world.start_service()
            self.done["kill of the service"] += 1

    def full(self) -> None:
        """The disk is full for a while."""
        self.world.control.fill_disk(True)
        time.sleep(self._random.uniform(0.2, 1.5))
        self.world.control.fill_disk(False)
        self.done["full disk"] += 1

    def descriptors(self) -> None:
        """Somebody without a token opens more connections than the service has descriptors.

        Consumers stay connected and take nothing until then: much waits, and is on the disk only.
        """
        address = ("127.0.0.1", int(self.world.url.rpartition(":")[2]))
        consumers = [self.world.programs[name] for name in CONSUMERS]
        for consumer in consumers:
            consumer.signal(signal.SIGSTOP)
        time.sleep(self._random.uniform(0.5, 2.0))
        with contextlib.ExitStack() as held:
            for _ in range(DESCRIPTORS + 50):
                with contextlib.suppress(OSError):
                    held.enter_context(socket.create_connection(address, timeout=0.2))
            for consumer in consumers:
                consumer.signal(signal.SIGCONT)
            time.sleep(self._random.uniform(0.5, 3.0))
        self.done["descriptors used up"] += 1

    def clock(self) -> None:
        """The service's clock is set."""
        self.world.control.step_clock(self._random.choice(_CLOCKS))
        time.sleep(self._random.uniform(0.2, 1.0))
        self.done["clock step"] += 1

    def flip(self) -> None:
        """A bit of a record in the journal of the stopped service is flipped."""
        world = self.world
        names = self._names()
        world.stop_service(self._random.choice((signal.SIGKILL, signal.SIGTERM)))
        entries = _entries(world.data / "journal", world.folder / "copy")
        # The last ones may wait for somebody, and not be in the archive.
        entry = self._random.choice(self._random.choice((entries, entries[-60:])))
        at = self._random.randrange(entry.at.offset, entry.after.offset)
        path = segment_path(world.data / "journal", entry.at.segment)
        octets = bytearray(path.read_bytes())
        octets[at] ^= 1 << self._random.randrange(8)
        path.write_bytes(octets)
        spot = Spot(entry.at.segment, at)
        wrong = _unnamed_by_check(world.data.parent, spot)
        world.start_service()
        self._note_damage(entry, names)
        wrong += _unnamed_by_service(world.url, spot)
        world.stop_service(signal.SIGTERM)
        # By the service's own clock: a pause of days between two runs makes segments old.
        wrong += _unaccepted(world.data.parent, world.env)
        world.start_service()
        self.findings += [f"silent: flipped bit in {entry.at}, octet {at}: {one}" for one in wrong]
        self.done[f"flipped bit in a record of kind {Kind(entry.record.kind).name}"] += 1

    def _names(self) -> Mapping[tuple[str, int], tuple[str, str]]:
        """By the channel's origin and proxy, the names of the channel and the consumer."""
        found = {}
        for name, part in CONSUMERS.items():
            origin = self.world.get(f"/v1/channels/{part.channel}")["origin"]
            proxy = self.world.get(f"/v1/channels/{part.channel}/proxies/{name}")["id"]
            found[origin, proxy] = (part.channel, name)
        return found

    def _note_damage(self, entry: Entry, names: Mapping[tuple[str, int], tuple[str, str]]) -> None:
        record, origin = entry.record, entry.record.channel.hex()
        self.damaged.records += 1
        if record.kind == Kind.EVENT:
            channels = {channel for (where, _), (channel, _) in names.items() if where == origin}
            self.damaged.events |= {(channel, record.seq) for channel in channels}
        elif record.kind == Kind.OUTCOME:
            found = stored_outcome(record.payload)
            consumer = names.get((origin, found.proxy), ("", ""))[1]
            self.damaged.copies |= {Pair(consumer, seq) for seq in found.seqs}

    def cut(self) -> None:
        """The last segment of a copy of the journal is cut, half of the time at a record's edge."""

        def damage(journal: Path, entries: list[Entry]) -> Spot:
            last = max(entry.at.segment for entry in entries)
            own = [entry for entry in entries if entry.at.segment == last]
            entry = self._random.choice(own[-50:])
            at = entry.at.offset
            if self._random.random() < 0.5:
                at = self._random.randrange(entry.at.offset, entry.after.offset)
            at = max(at, DATA_START)
            with segment_path(journal, last).open("r+b") as file:
                file.truncate(at)
            return Spot(last, at)

        self._damage_copy(damage)
        self.done["cut segment"] += 1

    def delete(self) -> None:
        """A segment of a copy of the journal is deleted: the first, the last, or any."""

        def damage(journal: Path, entries: list[Entry]) -> Spot:
            numbers = sorted({entry.at.segment for entry in entries})
            number = self._random.choice((numbers[0], numbers[-1], self._random.choice(numbers)))
            segment_path(journal, number).unlink()
            return Spot(number, None)

        self._damage_copy(damage)
        self.done["deleted segment"] += 1

    def _damage_copy(self, damage: Callable[[Path, list[Entry]], Spot]) -> None:
        """Damages a copy of what a killed service has left: that must not start in silence."""
        world = self.world
        world.stop_service()
        latest = {
            part.channel: max((*ledger.seqs, 0))
            for (_, part), ledger in zip(CONSUMERS.items(), world.consumed.values(), strict=True)
        }
        copy = world.copied_to(world.folder / "damaged")
        world.start_service()
        journal = copy / "data" / "journal"
        spot = damage(journal, _entries(journal, world.folder / "copy"))
        wrong = _unnamed_by_check(copy, spot)
        wrong += _started_with_less(copy, spot, latest)
        wrong += _unaccepted(copy)
        self.findings += [f"silent: {spot}: {one}" for one in wrong]


FAULTS: Final[Mapping[str, Callable[[Injector], None]]] = {
    "kill": Injector.kill,
    "full": Injector.full,
    "flip": Injector.flip,
    "descriptors": Injector.descriptors,
    "clock": Injector.clock,
    "cut": Injector.cut,
    "delete": Injector.delete,
}
"""What can be done, by name."""


def _entries(journal: Path, scratch: Path) -> list[Entry]:
    """The synced records of a journal, read from a copy: opening one changes it.

    What was not synced was not answered either: without it nothing is lost.
    """
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(journal, scratch)
    head = read_head(scratch)
    assert head is not None
    with Journal.open(scratch) as opened:
        return [one for one in opened.read() if one.after <= Cursor(head.newest, head.end)]


def _journal(
    verb: str, folder: Path, *options: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Calls `tidings journal` for the files of a service."""
    place = (str(folder / "data"), "--archive", str(folder / "data.archive"))
    return subprocess.run(
        [*TIDINGS, "journal", verb, *place, *options],
        capture_output=True, text=True, check=False, env={**environment(), **(env or {})},
    )  # fmt: skip


def _unnamed_by_check(folder: Path, spot: Spot) -> list[str]:
    """What is wrong with how `tidings journal check` names damage in a stopped service's files."""
    checked = _journal("check", folder, "--json")
    if checked.returncode != 1:
        return [f"journal check ends with {checked.returncode}: {checked.stdout}{checked.stderr}"]
    damage = json.loads(checked.stdout)["damage"]
    if any(spot.is_in(one["segment"], one["offset"], one["length"]) for one in damage):
        return []
    return [f"journal check names other damage only: {damage}"]


def _unnamed_by_service(url: str, spot: Spot) -> list[str]:
    """What is wrong with how a service that has started names damage."""
    with httpx2.Client(base_url=url, trust_env=False, timeout=30) as http:
        notices, ready = http.get("/v1/notices").text, http.get("/health/ready").json()
    wrong = [] if ready["status"] == "ready, with losses" else [f"the service says {ready}"]
    for segment, length, offset in _NOTICE.findall(notices):
        if spot.is_in(int(segment), int(offset or 0), int(length or 0)):
            return wrong
    return [*wrong, f"no notice names it: {notices}"]


def _unaccepted(folder: Path, env: Mapping[str, str] | None = None) -> list[str]:
    """Accepts what a stopped service has lost, so that only new damage is named from here on."""
    accepted = _journal("accept", folder, env=env)
    if accepted.returncode or "given up: " not in accepted.stdout:
        return [f"journal accept accepts nothing: {accepted.stdout}{accepted.stderr}"]
    checked = _journal("check", folder)
    return [f"after journal accept: {checked.stdout}"] if checked.returncode else []


def _started_with_less(folder: Path, spot: Spot, latest: Mapping[str, int]) -> list[str]:
    """Starts a service on damaged files; what is wrong with how it takes it.

    Args:
        folder: Of the service.
        spot: Where they are damaged.
        latest: By channel, the highest number that a consumer had.
    """
    served = Served(folder, "--archive", str(folder / "data.archive"))
    try:
        served.ready()
    except AssertionError:
        log = served.log.read_text()
        refused = served.process.poll() not in (None, 0) and "Traceback" not in log
        if refused and re.search("journal|archive", log):
            return []
        return [f"it neither starts nor says why not: {log[-500:]}"]
    try:
        wrong = _unnamed_by_service(served.url, spot)
        with served.client() as http:
            wrong += [f"{one}" for one in _reused_numbers(http, latest)]
        return wrong
    finally:
        served.process.kill()
        served.process.wait()


def _reused_numbers(http: httpx2.Client, latest: Mapping[str, int]) -> list[str]:
    found = []
    for channel, highest in latest.items():
        event: dict[str, Any] = {"domain": "Load", "type": "probe", "name": "", "data": {}}
        answer = http.post(f"/v1/channels/{channel}/events", json=event)
        if answer.status_code == 200 and answer.json()["seq"] <= highest:
            found.append(f"{channel}: number {answer.json()['seq']} is used again")
    return found
