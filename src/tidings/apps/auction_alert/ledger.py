"""Ledgers that houses and bidders keep independently of the service, as JSON lines.

A line survives a crash of the process once `write` returns, and a crash of the machine with
``sync``. A line cut short by a crash is dropped when the file is opened again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tidings.apps.auction_alert.scene import Bidder, House
from tidings.events.codecs.json_codec import event_from_plain, event_to_plain
from tidings.events.structured import StructuredEvent


class Acknowledged(NamedTuple):
    """An offer that the service accepted; `number` is the house's own."""

    number: int
    id: tuple[str, int]
    offer: StructuredEvent

    def line(self) -> dict[str, Any]:
        """Return the ledger line."""
        return {"number": self.number, "id": self.id, "offer": event_to_plain(self.offer)}


class Taken(NamedTuple):
    """An alert that a bidder received.

    `again` is the redelivered flag; `stock` marks the backlog when the bidder began to receive.
    """

    id: tuple[str, int]
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


def _id(line: dict[str, Any]) -> tuple[str, int]:
    origin, seq = line["id"]
    return origin, seq
