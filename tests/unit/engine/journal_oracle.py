"""What the journal must say after a crash at any moment, kept beside it by other means."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.unit.engine.hosts import store_of
from tidings.channel.effects import Outcome
from tidings.channel.settings import Limits
from tidings.engine.host import Host
from tidings.engine.recovery import recover
from tidings.engine.store import Writable
from tidings.events.envelope import ProducerMark
from tidings.stores.payloads import (
    stored_dead,
    stored_dead_gone,
    stored_event,
    stored_outcome,
    stored_topology,
)
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor

SEGMENT_OCTETS = 4_000


class Oracle:
    """Sees every write of a host, and judges copies of its folder.

    Attributes:
        waiting: Origin, number and proxy of all copies that recovery must serve, with priority.
        crashes: How many copies were judged.
    """

    def __init__(self, host: Host, folder: Path) -> None:
        self.waiting: dict[tuple[bytes, int, int], int] = {}
        self.crashes = 0
        self._folder = folder
        self._limits: Limits = host.settings.limits
        self._seqs: dict[bytes, int] = {}
        self._objects: dict[tuple[int, str, str], Any] = {}
        self._dead: set[tuple[bytes, int, int]] = set()
        self._marks: dict[tuple[bytes, str, int], int] = {}
        self._read = {
            Kind.EVENT: self._event,
            Kind.OUTCOME: self._outcome,
            Kind.TOPOLOGY: self._topology,
            Kind.DEAD: self._letter,
            Kind.DEAD_GONE: self._letter_gone,
        }
        store = store_of(host)
        append, write = store.journal.append, store.write
        made: list[Record] = []

        def append_and_note(records: Sequence[Record]) -> list[Cursor]:
            made[:] = records
            return append(records)

        def write_and_note(records: Sequence[Writable], *, sync: bool) -> list[Cursor]:
            found = write(records, sync=sync)
            for record in made:
                self.note(record)
            return found

        store.journal.append = append_and_note  # type: ignore[method-assign]
        store.write = write_and_note  # type: ignore[method-assign]

    def note(self, record: Record) -> None:
        """Takes in a record the host has written; what housekeeping writes is none of these."""
        read = self._read.get(record.kind)  # type: ignore[call-overload]
        if read is not None:
            read(record)

    def _event(self, record: Record) -> None:
        stored = stored_event(record.payload)
        origin, seq = record.channel, record.seq
        self._seqs[origin] = max(self._seqs.get(origin, 0), seq)
        for proxy in stored.durable:
            _, priority = stored.views.get(proxy, (0, stored.priority))
            self.waiting[origin, seq, proxy] = priority
        if stored.producer is not None:
            self._marks[origin, stored.producer, stored.number] = seq

    def _outcome(self, record: Record) -> None:
        proxy, outcome, seqs, _ = stored_outcome(record.payload)
        if outcome is not Outcome.WITHDRAWN:
            for seq in seqs:
                self.waiting.pop((record.channel, seq, proxy), None)

    def _topology(self, record: Record) -> None:
        channel, kind, key, state = stored_topology(record.payload)
        self._objects[channel, kind, key] = state

    def _letter(self, record: Record) -> None:
        self._dead.add((record.channel, record.seq, stored_dead(record.payload).proxy))

    def _letter_gone(self, record: Record) -> None:
        proxy, seq = stored_dead_gone(record.payload)
        self._dead.discard((record.channel, seq, proxy))

    def judge(self) -> None:
        """Lets a copy of the folder recover, and compares; between two jobs of the disk."""
        self.crashes += 1
        with tempfile.TemporaryDirectory() as name:
            copy = Path(name) / "copy"
            shutil.copytree(self._folder, copy)
            store, found = recover(copy, self._limits, SEGMENT_OCTETS)
            try:
                assert not found.unreadable
                self._judge_objects(found.states)
                for origin in set(found.origins().values()) - {bytes(16)}:
                    self._judge_channel(origin, found.channels[origin], store)
            finally:
                store.close()

    def _judge_objects(self, states: dict[tuple[int, str, str], Any]) -> None:
        """All that was written down is there; a channel may know of later admins."""
        expected = {key: state for key, state in self._objects.items() if state is not None}
        assert states.keys() >= expected.keys()
        for key, state in states.items():
            if key[1] == "channel":
                last = state["last_admin"], expected[key]["last_admin"]
                assert all(last[0][side] >= last[1][side] for side in last[1])
                assert {**state, "last_admin": last[1]} == expected[key]
            elif key[1] == "factory":
                assert state["last"] >= expected.get(key, {"last": 0})["last"]
            else:
                assert state == expected[key]

    def _judge_channel(self, origin: bytes, found: Any, store: Any) -> None:
        expected = {k: v for k, v in self.waiting.items() if k[0] == origin}
        waiting: dict[tuple[bytes, int, int], int] = {}
        for seq, (place, _, priority, _, _, proxies, views) in found.pending.items():
            for proxy in proxies:
                seen = (views or {}).get(proxy, (0, priority))[1]
                waiting[origin, seq, proxy] = seen
            [message] = store.fetch([place])
            assert message is not None
            assert (message.seq, message.origin) == (seq, origin.hex())
        assert waiting == expected
        assert max(found.seq, found.reserved) >= self._seqs.get(origin, 0)
        assert {(origin, seq, proxy) for proxy, seq in found.dead} == {
            letter for letter in self._dead if letter[0] == origin
        }
        for (of, producer, number), seq in self._marks.items():
            if of == origin:
                assert found.marks.seen(ProducerMark(producer, number)) == seq
        for producer in {producer for of, producer, _ in self._marks if of == origin}:
            last = max(n for of, p, n in self._marks if (of, p) == (origin, producer))
            assert found.marks.highest(producer) == last
