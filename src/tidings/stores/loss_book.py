"""A journal's known losses, in a file beside it, until somebody accepts them.

The journal shows damage only while the damaged segment exists, and losses without a record not at
all. The file is one record, so that damage in it is detected; it is written only when something is
lost or accepted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from tidings.errors import StoreError
from tidings.stores.files import write_file
from tidings.stores.records import Kind, Record, encode, first_record
from tidings.stores.segments import DamageReport

FILE: Final = "losses"
MOST: Final = 10_000
"""Most parts, channels and subscriptions listed."""
MOST_RUNS: Final = 100_000
"""Most runs of lost events listed."""

_MOST_ACCEPTED: Final = 10


class Loss(msgspec.Struct):
    """A lost part of the journal, channel or subscription.

    Attributes:
        key: Always the same for the same loss.
        segment: The segment of a part; 0 for a channel or a subscription.
        counts: Whether it is counted; a part that held only known events is not, they are.
    """

    key: str
    text: str
    found_us: int
    segment: int = 0
    counts: bool = True
    accepted: bool = False

    @property
    def is_part(self) -> bool:
        """Return whether it is a part of the journal."""
        return self.key.startswith("part ")


class Accepted(NamedTuple):
    """The time and description of losses accepted together."""

    at_us: int
    text: str


class LossBook(msgspec.Struct):
    """All losses in the order found; lost events are runs of seqs by channel origin."""

    losses: list[Loss] = []
    events: dict[str, list[tuple[int, int]]] = {}
    accepted_events: dict[str, list[tuple[int, int]]] = {}
    accepted: list[Accepted] = []

    def note_accepted(self, at: int, text: str) -> None:
        """Record an acceptance; only the latest are kept."""
        self.accepted = [*self.accepted, Accepted(at, text)][-_MOST_ACCEPTED:]

    def octets(self) -> bytes:
        """Encode the book."""
        return encode(Record(Kind.LOST, bytes(16), 0, msgspec.json.encode(self)))


def write_book(folder: Path, octets: bytes) -> None:
    """Write the book to a journal's folder durably; after an OSError the old one counts."""
    write_file(folder / FILE, octets)


def part_key(report: DamageReport) -> str:
    """Return the key of a damaged or missing part."""
    return f"part {report.segment} {report.offset} {report.what}"


def read_book(folder: Path, now: int) -> LossBook:
    """Read the book of a journal; a damaged book is itself a loss."""
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
