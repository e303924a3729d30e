"""What is known to be lost of a journal, in a file beside it, until somebody accepts it.

The journal itself shows damage only as long as the damaged segment is there, and what has no
record left not even then. The file is one record, so that damage in it is found, too; it is
written only when something is lost or accepted.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from tidings.errors import StoreError
from tidings.stores import segments
from tidings.stores.records import Kind, Record, encode, first_record
from tidings.stores.segments import DamageReport

FILE: Final = "losses"
MOST: Final = 10_000
"""Parts, channels and subscriptions are listed up to so many."""
MOST_RUNS: Final = 100_000
"""Runs of lost events are listed up to so many."""

_MOST_ACCEPTED: Final = 10


class Loss(msgspec.Struct):
    """A part of the journal, a channel or a subscription that is lost.

    Attributes:
        key: Always the same for the same loss.
        text: It in words.
        found_us: When it was found.
        segment: Of a part, which segment; 0 for a channel or a subscription.
        counts: Whether it is counted: of a part that held known events only, these are.
        accepted: Whether somebody has accepted it.
    """

    key: str
    text: str
    found_us: int
    segment: int = 0
    counts: bool = True
    accepted: bool = False

    @property
    def is_part(self) -> bool:
        """Whether it is a part of the journal."""
        return self.key.startswith("part ")


class Accepted(NamedTuple):
    """Losses that were accepted together: when, and what in words."""

    at_us: int
    text: str


class LossBook(msgspec.Struct):
    """What is lost, and what of it was accepted.

    Attributes:
        losses: Parts, channels and subscriptions, in the order they were found.
        events: First and last numbers of runs of events, by the channel's origin.
        accepted_events: The same, of those that were accepted.
        accepted: The latest times that something was.
    """

    losses: list[Loss] = []
    events: dict[str, list[tuple[int, int]]] = {}
    accepted_events: dict[str, list[tuple[int, int]]] = {}
    accepted: list[Accepted] = []

    def note_accepted(self, at: int, text: str) -> None:
        """Notes that something was accepted; of very many times the latest."""
        self.accepted = [*self.accepted, Accepted(at, text)][-_MOST_ACCEPTED:]

    def octets(self) -> bytes:
        """The book as it is written."""
        return encode(Record(Kind.LOST, bytes(16), 0, msgspec.json.encode(self)))


def write_book(folder: Path, octets: bytes) -> None:
    """Write a book into a journal's folder durably; after an OSError the old one counts."""
    path = folder / FILE
    unfinished = path.with_suffix(".unfinished")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    file = os.open(unfinished, flags, 0o600)
    try:
        segments.write_all(file, octets)
        os.fsync(file)
    finally:
        os.close(file)
    unfinished.rename(path)
    segments.sync_folder(folder)


def part_key(report: DamageReport) -> str:
    """By what a damaged or missing part of a journal is known."""
    return f"part {report.segment} {report.offset} {report.what}"


def read_book(folder: Path, now: int) -> LossBook:
    """Read the book in a journal's folder; an empty one if nothing was ever lost.

    A damaged book is itself a loss.
    """
    try:
        octets = (folder / FILE).read_bytes()
    except FileNotFoundError:
        return LossBook()
    except OSError as error:
        raise StoreError(f"{folder / FILE} cannot be read: {error.strerror or error}") from error
    record = first_record(octets)
    if record is None:
        text = f"the file {FILE}: what was known to be lost before is not known any more"
        return LossBook([Loss(f"file {now}", text, now)])
    try:
        return msgspec.json.decode(record.payload, type=LossBook)
    except msgspec.DecodeError as error:
        raise StoreError(
            f"{folder / FILE} cannot be understood ({error}): use the version that wrote it"
        ) from error
