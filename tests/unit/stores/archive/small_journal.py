"""Journals made record by record, small enough to be archived hundreds of times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tidings import event
from tidings.channel.effects import Cause, Outcome
from tidings.channel.entries import NEVER
from tidings.events.codecs.json_codec import encode_event
from tidings.stores.journal import Journal
from tidings.stores.payloads import (
    StoredDeadLetter,
    StoredEvent,
    checkpoint_payload,
    dead_payload,
    event_payload,
    outcome_payload,
    plan_payload,
    topology_payload,
)
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor

__all__ = [
    "HOUR",
    "ORIGIN",
    "START",
    "channel",
    "checkpoint",
    "dead",
    "happened",
    "outcome",
    "plan",
    "proxy",
    "small_journal",
    "written",
]

ORIGIN = bytes.fromhex("0af7651916cd43dd8448eb211c80319c")
HOUR = 3_600_000_000
START = 1_790_000_000_000_000 // HOUR * HOUR
"""The first moment of an hour."""


def happened(
    seq: int,
    durable: Sequence[int] = (),
    *,
    origin: bytes = ORIGIN,
    at: int | None = None,
    octets: bytes | None = None,
    **more: Any,
) -> Record:
    """An event; its time follows from its number unless it is given."""
    made = event("Test", "Thing", f"e{seq}", {"n": seq})
    stored = StoredEvent(
        START + seq if at is None else at, 1, 0, NEVER, None, 1, None, 0, (), tuple(durable), {},
        False, encode_event(made) if octets is None else octets,
    )._replace(**more)  # fmt: skip
    return Record(Kind.EVENT, origin, seq, event_payload(stored))


def outcome(
    seqs: Sequence[int],
    proxy: int,
    what: Outcome = Outcome.DELIVERED,
    *,
    origin: bytes = ORIGIN,
    at: int | None = None,
) -> Record:
    """An outcome; its time follows from its first number unless it is given."""
    time = START + seqs[0] + 500 if at is None else at
    return Record(Kind.OUTCOME, origin, seqs[0], outcome_payload(proxy, what, seqs, time))


def dead(seq: int, proxy: int, reason: str, *, origin: bytes = ORIGIN) -> Record:
    """A dead letter."""
    letter = StoredDeadLetter(proxy, START, (Cause(START, reason),), NEVER, 0, 1, START, 1, b"{}")
    return Record(Kind.DEAD, origin, seq, dead_payload(letter))


def channel(
    name: str = "test", *, origin: bytes = ORIGIN, present: bool = True, id: int = 1
) -> Record:
    """A channel is there, or gone."""
    state = {"name": name, "origin": origin.hex()} if present else None
    return Record(Kind.TOPOLOGY, origin, 0, topology_payload(id, "channel", str(id), state))


def proxy(id: int, *, origin: bytes = ORIGIN, present: bool = True, **state: Any) -> Record:
    """A durable proxy is there, or gone."""
    given = {"id": id, **state} if present else None
    return Record(Kind.TOPOLOGY, origin, 0, topology_payload(1, "proxy", str(id), given))


def plan(
    version: int, proxies: Sequence[int], *, whole: bool = False, origin: bytes = ORIGIN
) -> Record:
    """Rules of some proxies."""
    forms = [{"side": "consumer", "proxy": id, "admin": 0} for id in proxies]
    change = {
        "format": 1, "version": version, "whole": whole, "admins": [], "proxies": forms,
        "removed_admins": [], "removed_proxies": [],
    }  # fmt: skip
    return Record(Kind.PLAN, origin, version, plan_payload(change))


def checkpoint(*, begins: bool) -> Record:
    """A complete copy begins or ends."""
    return Record(Kind.CHECKPOINT, bytes(16), 1, checkpoint_payload(1, begins=begins))


def written(folder: Path, records: Sequence[Record], segment_octets: int = 2**20) -> Cursor:
    """Appends records to the journal in a folder, one by one; where it ends."""
    with Journal.open(folder, segment_octets=segment_octets) as journal:
        for record in records:
            journal.append([record])
        journal.sync()
        return journal.end


def small_journal(folder: Path) -> Cursor:
    """A bit of everything; where it ends."""
    return written(
        folder,
        [
            *([channel()] * 2),
            *([proxy(3)] * 2),
            plan(1, [3]),
            happened(1, [3]),
            happened(2, [3, 4], at=START + HOUR),
            outcome([1], 3),
            happened(3, [3], views={3: (START + 9, 7)}, producer="p", number=5),
            dead(3, 3, "no"),
            outcome([3], 3, Outcome.REJECTED),
            happened(3, [3]),
            plan(1, [3], whole=True),
            plan(2, [3, 4]),
            outcome([2, 3], 3, Outcome.EXPIRED),
            happened(4),
            proxy(3, present=False),
            channel("test", present=False),
        ],
    )
