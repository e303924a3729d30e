"""Ledgers that houses and bidders keep independently of the service, and their comparison.

A ledger has JSON lines. A line survives a crash of the process once `write` returns, and a crash of
the machine with ``sync``; a line cut short by a crash is dropped when the file is opened again.

The expected alerts come from the houses' ledgers alone, by evaluating every constraint on every
acknowledged offer; the service is not asked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from tidings.apps.auction_alert.scene import Bidder, House, closing, wants
from tidings.events.codecs.json_codec import event_from_plain, event_to_plain
from tidings.events.fields import fields_of
from tidings.events.structured import StructuredEvent

EventId: TypeAlias = tuple[str, int]


class Acknowledged(NamedTuple):
    """An offer that the service accepted; `number` is the house's own."""

    number: int
    id: EventId
    offer: StructuredEvent

    def line(self) -> dict[str, Any]:
        """Return the ledger line."""
        return {"number": self.number, "id": self.id, "offer": event_to_plain(self.offer)}


class Taken(NamedTuple):
    """An alert that a bidder received.

    `again` is the redelivered flag; `stock` marks the backlog when the bidder began to receive.
    """

    id: EventId
    again: bool
    stock: bool = False


class Ledger:
    """An append-only file, created if missing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab", buffering=0)
        whole = path.read_bytes().rpartition(b"\n")
        self._file.truncate(len(whole[0]) + len(whole[1]))

    def write(self, line: dict[str, Any], *, sync: bool = False) -> None:
        """Append a line."""
        self._file.write(msgspec.json.encode(line) + b"\n")
        if sync:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def house_ledger(folder: Path, house: House) -> Path:
    """Return the path of a house's ledger."""
    return folder / "houses" / f"{house.name}.jsonl"


def bidder_ledger(folder: Path, bidder: Bidder) -> Path:
    """Return the path of a bidder's ledger."""
    return folder / "bidders" / f"{bidder.name}.jsonl"


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    whole = path.read_bytes().rpartition(b"\n")[0]
    return [msgspec.json.decode(line) for line in whole.splitlines()]


def acknowledged_in(path: Path) -> list[Acknowledged]:
    """Read a house's ledger."""
    return [
        Acknowledged(line["number"], _id(line), event_from_plain(line["offer"]))
        for line in _lines(path)
    ]


def offers_in(paths: Iterable[Path]) -> list[Acknowledged]:
    """Read the ledgers of several houses, in the order in which the service accepted the offers."""
    return sorted(
        (one for path in paths for one in acknowledged_in(path)), key=lambda one: one.id[1]
    )


def taken_in(path: Path) -> tuple[list[Taken], int | None]:
    """Read a bidder's ledger: the alerts, and when the bidder returned from being away."""
    taken: list[Taken] = []
    stock, back = False, None
    for line in _lines(path):
        if "id" in line:
            taken.append(Taken(_id(line), line["again"], stock))
        else:
            stock = stock or line.get("stock", False)
            back = line.get("back", back)
    return taken, back


def _id(line: dict[str, Any]) -> EventId:
    origin, seq = line["id"]
    return origin, seq


@dataclass(frozen=True, slots=True)
class Account:
    """Expected and received alerts of one bidder.

    Attributes:
        closed: Alerts not due because the offer closed while the bidder was away.
        again: Alerts flagged as redelivered; they were in flight during the crash.
        twice: Duplicates without that flag.
        disordered: Alerts that arrived after one that they should precede.
    """

    bidder: Bidder
    expected: int
    closed: int
    received: int
    again: int
    lost: tuple[EventId, ...]
    twice: tuple[EventId, ...]
    unasked: tuple[EventId, ...]
    disordered: tuple[EventId, ...]

    @property
    def faults(self) -> dict[str, tuple[EventId, ...]]:
        """Return the alerts that are missing, duplicated, unexpected or out of order."""
        return {
            "lost": self.lost,
            "twice": self.twice,
            "unasked": self.unasked,
            "out of order": self.disordered,
        }

    @property
    def holds(self) -> bool:
        """Whether there are no faults."""
        return not any(self.faults.values())


def account_of(
    bidder: Bidder,
    offers: Sequence[Acknowledged],
    taken: Sequence[Taken],
    back: int | None = None,
) -> Account:
    """Compare expected and received alerts; offers that closed before `back` are not due."""
    wanted = [one for one in offers if wants(bidder, one.offer)]
    due = {one.id for one in wanted if back is None or closing(one.offer) > back}
    first: dict[EventId, Taken] = {}
    again, twice = 0, []
    for one in taken:
        if one.id not in first:
            first[one.id] = one
        elif one.again:
            again += 1
        else:
            twice.append(one.id)
    return Account(
        bidder,
        expected=len(due),
        closed=len(wanted) - len(due),
        received=len(first),
        again=again,
        lost=tuple(sorted(due - first.keys())),
        twice=tuple(twice),
        unasked=tuple(sorted(first.keys() - due)),
        disordered=_disordered(bidder, offers, list(first.values())),
    )


def _disordered(
    bidder: Bidder, offers: Sequence[Acknowledged], taken: Sequence[Taken]
) -> tuple[EventId, ...]:
    """Return the alerts that arrived after one of lower rank.

    Equal priorities arrive in the order of acceptance; in a backlog, higher priorities come first.
    """
    priorities = {one.id: bidder.priority(fields_of(one.offer)) for one in offers}
    latest: dict[int, int] = {}
    lowest: int | None = None
    found = []
    for one in taken:
        priority, seq = priorities.get(one.id, 0), one.id[1]
        overtaken = one.stock and lowest is not None and priority > lowest
        if overtaken or seq < latest.get(priority, 0):
            found.append(one.id)
        latest[priority] = max(seq, latest.get(priority, 0))
        if one.stock:
            lowest = priority if lowest is None else min(priority, lowest)
    return tuple(found)


def stock_of(
    bidder: Bidder, offers: Sequence[Acknowledged], taken: Sequence[Taken]
) -> list[tuple[int, int]]:
    """Return the priorities of a backlog in order of arrival, each with the length of its run."""
    priorities = {one.id: bidder.priority(fields_of(one.offer)) for one in offers}
    came = [priorities[one.id] for one in taken if one.stock and one.id in priorities]
    return [(priority, len(list(run))) for priority, run in groupby(came)]
