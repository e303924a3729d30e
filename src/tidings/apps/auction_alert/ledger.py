"""What houses and bidders write down for themselves, apart from the service: lines of JSON.

A line is in the file when `write` returns, so it outlives the process; with ``sync`` it outlives
the machine. A line that a crash cut short is dropped when the file is opened again.
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
    """An offer the service has taken.

    Attributes:
        number: The house's number for it.
        id: The event's id: origin and number in the channel.
        offer: The event.
    """

    number: int
    id: tuple[str, int]
    offer: StructuredEvent

    def line(self) -> dict[str, Any]:
        """What is written down."""
        return {"number": self.number, "id": self.id, "offer": event_to_plain(self.offer)}


class Taken(NamedTuple):
    """An alert that reached a bidder.

    Attributes:
        id: The event's id.
        again: Whether it was marked as one that may have come before.
        stock: Whether it had been waiting, with all the others, when the bidder began to take.
    """

    id: tuple[str, int]
    again: bool
    stock: bool = False


class Ledger:
    """A file that only grows.

    Args:
        path: Made if it is missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab", buffering=0)
        whole = path.read_bytes().rpartition(b"\n")
        self._file.truncate(len(whole[0]) + len(whole[1]))

    def write(self, line: dict[str, Any], *, sync: bool = False) -> None:
        """Adds a line."""
        self._file.write(msgspec.json.encode(line) + b"\n")
        if sync:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Ends writing."""
        self._file.close()


def house_ledger(folder: Path, house: House) -> Path:
    """Where a house writes down what was acknowledged."""
    return folder / "houses" / f"{house.name}.jsonl"


def bidder_ledger(folder: Path, bidder: Bidder) -> Path:
    """Where a bidder writes down what came."""
    return folder / "bidders" / f"{bidder.name}.jsonl"


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    whole = path.read_bytes().rpartition(b"\n")[0]
    return [msgspec.json.decode(line) for line in whole.splitlines()]


def acknowledged_in(path: Path) -> list[Acknowledged]:
    """A house's ledger."""
    return [
        Acknowledged(line["number"], _id(line), event_from_plain(line["offer"]))
        for line in _lines(path)
    ]


def offers_in(paths: Iterable[Path]) -> list[Acknowledged]:
    """The ledgers of several houses together, in the order the service took the offers."""
    return sorted(
        (one for path in paths for one in acknowledged_in(path)), key=lambda one: one.id[1]
    )


def taken_in(path: Path) -> tuple[list[Taken], int | None]:
    """A bidder's ledger: what was taken, and when the bidder came back from being away."""
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
