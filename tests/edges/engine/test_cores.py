"""Several cores behind one host: a core that only this file knows is journalled and recovered."""

from __future__ import annotations

import ast
import asyncio
import base64
import inspect
import json
import shutil
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.edges.engine.hosts import (
    HeldDisk,
    collect,
    named,
    new_channel,
    opened,
    publish,
    reconnected,
    soon,
    store_of,
    supplier,
    until,
)
from tidings import engine
from tidings.audit import CHANGES, AuditTrail, SeeChanges
from tidings.channel.commands import Push
from tidings.channel.factory import Factory
from tidings.channel.management import CreateChannel, DestroyChannel
from tidings.cores import Core, Handled, Keep, OperationDone, Question, Request, State, answer_each
from tidings.engine.access import Caller
from tidings.engine.cores import Cores
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import BadInput, DiskFull, Forbidden, InvalidUsage, NotFound
from tidings.names import new_origin
from tidings.stores.journal import Journal
from tidings.stores.payloads import stored_state, stored_topology
from tidings.stores.records import Kind
from tidings.stores.retention import Retention

SMALL: dict[str, Any] = {"segment_octets": 2_000, "retention": Retention(0, None)}
VECTORS = Path(__file__).parents[2] / "vectors" / "journals.json"


@dataclass(frozen=True, slots=True)
class Put(Request):
    """Puts a word under a key. Answer: the word that was there before."""

    key: str
    word: str | None


@dataclass(frozen=True, slots=True)
class See(Question[str | None]):
    """Answer: the word under a key."""

    key: str


@dataclass(frozen=True, slots=True)
class Rung:
    """An effect that the engine has never heard of."""

    key: str


class Words:
    """A tiny core: words by key; it rings when asked to, or when its time has come."""

    wake_at: int | None = None

    def __init__(self, name: str = "words", requests: Sequence[type] = (Put, See)) -> None:
        self.name = name
        self.requests = requests
        self.words: dict[str, str] = {}
        self.handled: list[Any] = []
        self._out: list[object] = []
        self._handlers: dict[type, Callable[[Any, int], Any]] = {
            Put: self._put,
            See: lambda asked, now: self.words.get(asked.key),
            OperationDone: lambda done, now: None,
        }

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        self.handled += commands
        if self.wake_at is not None and self.wake_at <= now:
            self.wake_at = None
            self._out.append(Rung("time"))
        answers = answer_each(self._handlers, commands, now)
        effects, self._out = self._out, []
        return answers, effects

    def _put(self, put: Put, now: int) -> str | None:
        if not put.key:
            raise BadInput("a word has a key")
        before = self.words.pop(put.key, None)
        if put.word is not None:
            self.words[put.key] = put.word
        state = None if put.word is None else {"word": put.word}
        self._out += [Keep(self.name, put.key, state), Rung(put.key)]
        return before

    def snapshot(self) -> Iterable[tuple[str, State]]:
        return [(key, {"word": word}) for key, word in self.words.items()]

    def restore(self, states: Mapping[str, State]) -> Sequence[str]:
        self.words = {key: state["word"] for key, state in states.items()}
        return ()


async def _crashed(host: Host, folder: Path, *cores: Core, **options: Any) -> Host:
    """The host as it comes back from what is on the disk this moment."""
    copied = Path(shutil.copytree(folder, folder.with_name(f"{folder.name}-crashed")))
    await host.close(0.0)
    return await Host.open(copied, cores=cores, **options)


async def _answer(host: Host, request: Request) -> Any:
    return await soon(host.ask(request))


async def test_what_a_core_keeps_is_there_after_a_kill(tmp_path: Path) -> None:
    host = await Host.open(tmp_path / "data", cores=[Words()])
    assert await _answer(host, Put("a", "one")) is None
    assert await _answer(host, Put("b", "two")) is None
    assert await _answer(host, Put("a", "three")) == "one"
    assert await _answer(host, Put("b", None)) == "two"
    words = Words()
    host = await _crashed(host, tmp_path / "data", words)
    assert words.words == {"a": "three"}
    await host.close(0.0)


def test_no_file_of_the_engine_names_a_core_beside_the_channels() -> None:
    for path in Path(inspect.getfile(engine)).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.module != "tidings.audit", path


async def test_one_sync_covers_the_records_of_all_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is, all commands are one slice.
    monkeypatch.setattr("tidings.engine.mailbox._SLICE", 10**9)
    host, channel, proxy = await opened(tmp_path, cores=[Words()])
    store, disk = store_of(host), HeldDisk(host)
    syncs = store.syncs
    asked = [
        host.ask(Push(channel, proxy, named("1"))),
        host.ask(Put("a", "one")),
        host.ask(Push(channel, proxy, named("2"))),
    ]
    assert await soon(asyncio.gather(*asked)) == [[1], None, [2]]
    assert store.syncs == syncs + 1
    assert [sorted(kinds) for kinds in disk.writes] == [[Kind.EVENT] * 2 + [Kind.STATE] * 2]
    await host.close(0.0)


async def test_each_command_reaches_its_core_in_order() -> None:
    words, others = Words(), Words("others", ())
    host = await Host.open(cores=[words, others])
    channel = await new_channel(host, {})
    before, seen, _, after = await soon(
        asyncio.gather(
            host.ask(Put("a", "one")),
            host.ask(See("a")),
            host.ask(DestroyChannel(channel)),
            host.ask(Put("a", None)),
        )
    )
    assert (before, seen, after) == (None, "one", "one")
    assert words.handled == [Put("a", "one"), See("a"), Put("a", None)]
    assert not others.handled
    assert channel not in host.channels
    await host.close(0.0)


async def test_a_snapshot_has_every_cores_part(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    host, channel, proxy = await opened(folder, cores=[Words()], **SMALL)
    await _answer(host, Put("a", "one"))
    await _answer(host, Put("gone", "soon"))
    await _answer(host, Put("gone", None))
    first = store_of(host).journal.segments[0]
    for name in range(60):
        await publish(host, channel, proxy, name)
    await host.housekeeping.run_once()
    assert store_of(host).journal.segments[0] > first
    await host.close()
    states, objects = _snapshot(folder)
    assert states == [("words", "a", {"word": "one"})] * 2
    assert {kind for _, kind, *_ in objects} >= {"factory", "channel", "admin"}
    words = Words()
    host = await Host.open(folder, cores=[words], **SMALL)
    assert words.words == {"a": "one"}
    assert list(host.channels) == [channel]
    await host.close(0.0)


def _snapshot(folder: Path) -> tuple[list[Any], list[Any]]:
    """Objects that stand between the records of a checkpoint."""
    states, objects, inside = [], [], False
    with Journal.open(folder / "journal") as journal:
        for entry in journal.read():
            kind, payload = entry.record.kind, entry.record.payload
            inside ^= kind == Kind.CHECKPOINT
            if inside and kind == Kind.STATE:
                states.append(stored_state(payload))
            elif inside and kind == Kind.TOPOLOGY:
                objects.append(stored_topology(payload))
    return states, objects


async def test_objects_of_an_absent_core_outlast_it(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    host = await Host.open(folder, cores=[Words()], **SMALL)
    await _answer(host, Put("a", "one"))
    await host.close()
    host, channel, proxy = await opened(folder, **SMALL)
    for name in range(60):
        await publish(host, channel, proxy, name)
    await host.housekeeping.run_once()
    assert store_of(host).journal.segments[0] > 1
    await host.close()
    words = Words()
    host = await Host.open(folder, cores=[words], **SMALL)
    assert words.words == {"a": "one"}
    await host.close(0.0)


async def test_a_full_disk_is_told_to_who_asked_a_core(tmp_path: Path) -> None:
    host = await Host.open(tmp_path / "data", cores=[Words()])
    disk = HeldDisk(host, DiskFull("no room"))
    with pytest.raises(DiskFull, match="not on the disk yet"):
        await _answer(host, Put("a", "one"))
    with pytest.raises(DiskFull, match="nothing can be changed"):
        await _answer(host, Put("b", "two"))
    disk.error = None
    await host.close()
    words = Words()
    host = await Host.open(tmp_path / "data", cores=[words])
    assert words.words == {"a": "one"}  # it was owed
    await host.close(0.0)


async def test_effects_of_a_core_leave_when_it_is_on_the_disk(tmp_path: Path) -> None:
    words = Words()
    host = await Host.open(tmp_path, cores=[words])
    rung: list[tuple[str, int]] = []
    store = store_of(host)
    syncs = store.syncs
    host.on_effect(Rung, lambda one: rung.append((one.key, store.syncs)))
    await _answer(host, Put("a", "one"))
    assert rung == [("a", syncs + 1)]
    words.wake_at = host.clock.now() + 1_000
    await _answer(host, See("a"))  # the host looks at the time when something happens
    await until(lambda: len(rung) > 1)
    assert rung[1][0] == "time"
    await host.close(0.0)


async def test_errors_and_rights_hold_for_every_core() -> None:
    host = await Host.open(cores=[Words()])
    with pytest.raises(BadInput, match="has a key"):
        await _answer(host, Put("", "one"))
    with pytest.raises(Forbidden):
        await soon(host.ask(Put("a", "one"), Caller("eve")))
    door = LocalDoor(host)
    assert await door.request(See("a")) is None
    with pytest.raises(NotFound, match="SeeChanges: its core does not run here"):
        await door.request(SeeChanges())
    await host.close(0.0)


async def test_cores_that_quarrel_are_refused() -> None:
    with pytest.raises(InvalidUsage, match="two cores are named words"):
        await Host.open(cores=[Words(), Words(requests=())])
    with pytest.raises(InvalidUsage, match="two cores are named channels"):
        await Host.open(cores=[Words("channels")])
    with pytest.raises(InvalidUsage, match="Put is a request of two cores"):
        await Host.open(cores=[Words(), Words("others")])
    with pytest.raises(InvalidUsage, match="CreateChannel is a request of two cores"):
        await Host.open(cores=[Words(requests=[CreateChannel])])


@pytest.mark.parametrize("stored", ["journal", "snapshot"])
async def test_files_of_older_versions_are_read(tmp_path: Path, stored: str) -> None:
    for name, octets in json.loads(VECTORS.read_text())[stored].items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.decompress(base64.b85decode(octets)))
    host = await Host.open(tmp_path, cores=[Words()])
    (channel,) = host.channels.values()
    assert (channel.name, channel.seq) == ("roads", 12)
    assert channel.marks.highest("car-8") == 12
    (letter,) = await host.dead_letters.list()
    assert (letter.seq, letter.causes[0].reason) == (4, "unknown road")
    endpoint = await reconnected(host, channel.id, channel.names["billing"], again=True)
    assert [one.seq for one in await collect(endpoint, 8)] == [5, 6, 7, 8, 9, 10, 11, 12]
    await publish(host, channel.id, await supplier(host, channel.id), "other", "13")
    assert [one.seq for one in await collect(endpoint, 1)] == [14]
    assert not host.losses.objects
    await host.close(0.0)


def test_the_trail_keeps_the_latest_changes() -> None:
    trail = AuditTrail()
    done = [OperationDone(at, "eve", "purge", "", "roads", "done") for at in range(CHANGES + 5)]
    _, effects = trail.handle_many(done, 0)
    kept = {one.key: one.state for one in effects}
    other = AuditTrail()
    other.restore(kept)
    for one in (trail, other):
        (found, few), _ = one.handle_many([SeeChanges(most=CHANGES), SeeChanges(CHANGES + 3, 1)], 0)
        assert [change.number for change in found] == list(range(6, CHANGES + 6))
        assert [(change.number, change.at) for change in few] == [(CHANGES + 4, CHANGES + 3)]
    assert dict(trail.snapshot()) == kept


def test_refusals_leave_changes_alone() -> None:
    trail = AuditTrail()
    purge = OperationDone(1, "eve", "purge", "", "roads", "done")
    refused = [replace(purge, at=at, refused=True) for at in range(CHANGES + 5)]
    _, effects = trail.handle_many([purge, *refused, purge], 0)
    other = AuditTrail()
    other.restore({one.key: one.state for one in effects})
    for one in (trail, other):
        (found, rest), _ = one.handle_many([SeeChanges(most=1), SeeChanges(CHANGES + 5)], 0)
        assert [(change.number, change.refused) for change in (*found, *rest)] == [
            (1, False), (CHANGES + 6, True), (CHANGES + 7, False),
        ]  # fmt: skip
        assert len(dict(one.snapshot())) == CHANGES + 2


async def test_the_host_tells_of_what_was_done() -> None:
    words = Words(requests=(Put, See, OperationDone))
    host = await Host.open(cores=[words])
    door = LocalDoor(host)
    channel = await soon(door.ask(CreateChannel(new_origin(), {}, name="roads")))
    await soon(door.ask(DestroyChannel(channel)))
    await _answer(host, See("a"))
    done = [one for one in words.handled if isinstance(one, OperationDone)]
    assert [(one.operation, one.channel, one.result) for one in done] == [
        ("create_channel", "", "done"),
        ("destroy_channel", "roads", "done"),
    ]
    assert done[0].principal == "owner"
    assert 0 < done[0].at <= done[1].at <= host.time()
    await host.close(0.0)


# What a core asks of another one.


@dataclass(frozen=True, slots=True)
class Told(Request):
    """Put a word, and have another core put one."""

    word: str


class Telling(Words):
    """A core that has others do something; it hears of what they refuse in the log only."""

    def __init__(self) -> None:
        super().__init__("telling", (Told,))
        self._handlers[Told] = self._told

    def _told(self, told: Told, now: int) -> str:
        self._out += [
            Keep(self.name, "told", {"word": told.word}),
            Put(told.word, "other"),
            Rung("end"),
            CreateChannel(new_origin(), name=told.word),
        ]
        return told.word


def test_what_a_core_asks_of_another_is_in_the_same_batch(
    caplog: pytest.LogCaptureFixture,
) -> None:
    words, channels = Words(), Factory()
    cores = Cores(channels, [words, Telling()])
    answers, effects = cores.handle_many([Told("a"), See("a")], 1)
    assert answers == ["a", None]  # what follows is done after what was asked
    kept = [one for one in effects if isinstance(one, Keep | Rung)]
    assert kept == [
        Keep("telling", "told", {"word": "a"}), Keep("words", "a", {"word": "other"}), Rung("a"),
        Rung("end"),
    ]  # fmt: skip
    assert [one.name for one in channels.channels.values()] == ["a"]
    assert not any(isinstance(one, Put | CreateChannel) for one in effects)
    assert not caplog.records
    cores.handle_many([Told("")], 2)
    assert [one.getMessage() for one in caplog.records] == [
        "what a core asked of words was refused: a word has a key"
    ]
