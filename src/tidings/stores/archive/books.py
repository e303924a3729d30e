"""The books: what the archive knows after a seal, enough to go on from there.

They are also a ledger that is kept beside the rows, by other means: whoever audits the archive
counts the rows and compares.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final
from zlib import crc32

import msgspec

from tidings.errors import ArchiveDamaged
from tidings.stores.archive.manifest import Seal
from tidings.stores.segments import Cursor

FORMAT: Final = 1


class ChannelBook(msgspec.Struct):
    """What is known of a channel.

    Attributes:
        id: Its number in the service; 0 if it was never told.
        name: Its name, or its number; its origin if neither was told.
        present: It has not been destroyed.
        lowest: The lowest seq of its rows of events; None if there are none.
        highest: The highest.
        events: How many rows of events it has.
        seq_sum: The sum of their seqs.
        plan_version: The latest version of its rules.
        plans: How many rows of plans it has.
        plan_digest: SHA-256 over the digest before, the version and the text of the last of
            these, in hexadecimal digits.
        first: The first event since when all are in the archive; 0 if there is none yet.
        last: The latest of them.
        gaps: First and last number of events that went with a gap of the journal.
        open: The next event ends such a stretch.
        carried: Numbers of events that are in the archive without their first record.
        rules: Digests of its rules, by admin and proxy.
        state: Digest of its last row of objects.
        unsure: There was a gap since it was last heard of.
    """

    id: int
    name: str
    present: bool = True
    lowest: int | None = None
    highest: int | None = None
    events: int = 0
    seq_sum: int = 0
    plan_version: int = 0
    plans: int = 0
    plan_digest: str = ""
    first: int = 0
    last: int = 0
    gaps: list[tuple[int, int]] = []
    open: bool = False
    carried: set[int] = set()
    rules: dict[str, str] = {}
    state: str = ""
    unsure: bool = False

    def covers(self, seq: int) -> bool:
        """Whether this event's first record is among what was archived."""
        return 0 < self.first <= seq <= self.last and not (
            self.gaps and any(low <= seq <= high for low, high in self.gaps)
        )


class ProxyBook(msgspec.Struct):
    """What is known of a durable consumer's proxy.

    Attributes:
        present: It exists, and is durable.
        pending: How many events it was to get that have no final outcome.
        pending_sum: The sum of their numbers.
        holes: First and last number of events that it was no durable recipient of, whatever else
            is said of them; or whose outcomes may have been in a gap.
        extra: Numbers of events in holes, or redriven, that are pending all the same.
        absent_from: The channel's last event when it went.
        state: Digest of its last row of objects.
        unsure: There was a gap since it was last heard of.
    """

    present: bool = True
    pending: int = 0
    pending_sum: int = 0
    holes: list[tuple[int, int]] = []
    extra: set[int] = set()
    absent_from: int | None = None
    state: str = ""
    unsure: bool = False

    def counts(self, seq: int) -> bool:
        """Whether an event of the channel that names it is counted here in any case."""
        return not any(low <= seq <= high for low, high in self.holes)

    def add(self, seq: int) -> None:
        """One more event is pending."""
        self.pending += 1
        self.pending_sum += seq

    def take(self, seq: int) -> None:
        """Count one pending event less; damage in the journal must not make it less than none.

        An outcome whose record is damaged after it was archived is written once more; when the last
        pending event is taken, such double counts are forgotten.
        """
        if self.pending:
            self.pending -= 1
            self.pending_sum = self.pending_sum - seq if self.pending else 0


class Books(msgspec.Struct):
    """All that is known after a seal.

    Attributes:
        seal: Which one.
        journal: The journal's id, in hexadecimal digits.
        cursor: All before it is in the archive.
        channels: By origin.
        proxies: By origin and id, see `proxy_key`.
        latest_us: The time of the latest record that has one.
        causes: Why events became dead letters whose outcomes are still to come, by origin, proxy
            and seq.
        format: The number of this form.
    """

    seal: int
    journal: str
    cursor: tuple[int, int]
    channels: dict[str, ChannelBook]
    proxies: dict[str, ProxyBook]
    latest_us: int | None = None
    causes: dict[str, str] = {}
    format: int = FORMAT


_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder(Books).decode


def proxy_key(origin: str, proxy: int) -> str:
    """By what a proxy is known in the books."""
    return f"{origin}/{proxy}"


def position_of(at: Cursor) -> int:
    """A place in the journal as one number: one order over all rows."""
    return at.segment << 40 | at.offset


def books_octets(books: Books) -> bytes:
    """The books as they are written."""
    return _encode(books)


def read_books(folder: Path, seal: Seal) -> Books:
    """The books of a seal; ArchiveDamaged if they are not as they were sealed."""
    path = folder / seal.books
    try:
        octets = path.read_bytes()
        if crc32(octets) != seal.books_crc32:
            raise ArchiveDamaged(
                f"{path} is damaged: its checksum is not the one it was sealed with"
            )
        found = _decode(octets)
    except OSError as error:
        raise ArchiveDamaged(f"{path} cannot be read: {error.strerror or error}") from error
    except msgspec.DecodeError as error:
        raise ArchiveDamaged(f"{path} cannot be understood: {error}") from error
    if found.format != FORMAT:
        raise ArchiveDamaged(
            f"{path} has the format {found.format}, and this version of Tidings reads {FORMAT}"
        )
    return found
