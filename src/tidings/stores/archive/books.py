"""The books: the archive's state after a seal, kept apart from the rows for audits."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import msgspec

from tidings.errors import ArchiveDamaged, StoreError
from tidings.stores.archive.manifest import Seal
from tidings.stores.segments import Cursor

FORMAT: Final = 1
_encode = msgspec.json.Encoder(order="deterministic").encode


class ChannelBook(msgspec.Struct):
    """The state of a channel.

    Attributes:
        id: Its id in the service; 0 if unknown.
        name: Its name, or else its id, or else its origin.
        lowest: The lowest seq of its event rows; None if there are none.
        events: Number of event rows.
        plans: Number of plan rows.
        plan_digest: SHA-256 over the previous digest, and the last plan's version and text.
        first: The event from which on all are in the archive; 0 if there is none yet.
        last: The latest of them.
        gaps: First and last seq of events lost in gaps of the journal.
        open: Whether the next event ends such a gap.
        carried: Seqs of archived events whose first record was gone.
        rules: Digests of its rules, by admin and proxy.
        state: Digest of its last object row.
        unsure: Whether there was a gap since its last record.
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
        """Return whether this event's first record was archived."""
        return 0 < self.first <= seq <= self.last and not (
            self.gaps and any(low <= seq <= high for low, high in self.gaps)
        )


class ProxyBook(msgspec.Struct):
    """The state of a durable consumer's proxy.

    Attributes:
        present: Whether it exists and is durable.
        pending: Number of its events without a final outcome.
        pending_sum: Sum of their seqs.
        holes: First and last seq of events it was not a durable recipient of, whatever other
            records say; or whose outcomes may have been in a gap.
        extra: Seqs of events in holes, or redriven, that are pending nevertheless.
        absent_from: The channel's last event when the proxy was deleted.
        unsure: Whether there was a gap since its last record.
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
        """Return whether an event that names the proxy is outside its holes."""
        return not any(low <= seq <= high for low, high in self.holes)

    def add(self, seq: int) -> None:
        """Count one more pending event."""
        self.pending += 1
        self.pending_sum += seq

    def take(self, seq: int) -> None:
        """Count one pending event less, but never below zero, even if the journal is damaged.

        An outcome whose record is damaged after archiving is written once more; such double counts
        are discarded when the last pending event is done.
        """
        if self.pending:
            self.pending -= 1
            self.pending_sum = self.pending_sum - seq if self.pending else 0


class Books(msgspec.Struct):
    """The archive's state after a seal.

    Channels are by origin, proxies by `proxy_key`, causes of dead letters without outcome by
    origin, proxy and seq. Everything before `cursor` is in the archive. `last_change` is the
    highest number of a row of changes, and the latest time of one; older books have none.
    """

    seal: int
    journal: str
    cursor: tuple[int, int]
    channels: dict[str, ChannelBook]
    proxies: dict[str, ProxyBook]
    latest_us: int | None = None
    causes: dict[str, str] = {}
    last_change: tuple[int, int] | msgspec.UnsetType = msgspec.UNSET
    format: int = FORMAT


_decode = msgspec.json.Decoder(Books).decode


def proxy_key(origin: str, proxy: int) -> str:
    """Return the key of a proxy in the books."""
    return f"{origin}/{proxy}"


def position_of(at: Cursor) -> int:
    """Return a journal position as one number that orders all rows."""
    return at.segment << 40 | at.offset


def books_octets(books: Books) -> bytes:
    """Encode the books."""
    return _encode(books)


def read_books(folder: Path, seal: Seal) -> Books:
    """Read the books of a seal; raise ArchiveDamaged if the checksum differs."""
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


def digest(octets: bytes) -> str:
    """Return a short digest in hexadecimal."""
    return blake2b(octets, digest_size=8).hexdigest()


def chain_digest(before: str, version: int, text: str) -> str:
    """Return the digest of a plan row and all before it."""
    return sha256(f"{before}\n{version}\n{text}".encode()).hexdigest()


def apply_change(rules: Mapping[str, str], change: Mapping[Any, Any]) -> dict[str, str]:
    """Return the rules' digests after a change in plain form (`filters/plan_form.py`)."""
    found = {} if change.get("whole") else dict(rules)
    try:
        if "options" in change:
            found["options"] = digest(_encode(change["options"]))
        for side, admin in change.get("removed_admins", ()):
            found.pop(f"{side}/{admin}", None)
        for proxy in change.get("removed_proxies", ()):
            found.pop(f"proxy/{proxy}", None)
        for form in change.get("admins", ()):
            found[f"{form['side']}/{form['admin']}"] = digest(_encode(form))
        for form in change.get("proxies", ()):
            found[f"proxy/{form['proxy']}"] = digest(_encode(form))
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"a plan cannot be understood: {error!r}") from error
    return found
