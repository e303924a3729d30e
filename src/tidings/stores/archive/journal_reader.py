"""Read-only access to the journal from outside the service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from tidings.errors import StoreError
from tidings.stores import segments
from tidings.stores.payloads import stored_topology
from tidings.stores.records import Damage, Kind
from tidings.stores.segments import DATA_START, Cursor, Entry, Segment

# A segment may be dropped while the others are listed.
_TRIES: Final = 5


class ChannelName(NamedTuple):
    """A channel's id and name in the archive."""

    id: int
    name: str


class JournalReader:
    """A journal, to be read up to where its writer has synced it (`upto`)."""

    def __init__(self, folder: Path) -> None:
        self.id = b""
        self.upto = Cursor(0, 0)
        self._folder = folder
        self._names: dict[bytes, ChannelName] | None = None

    def begin(self, expected: str) -> Cursor | None:
        """Find the journal's id and oldest record; refuse an id other than expected."""
        if self.id:
            return None
        found = self._segments()
        known = [segment.journal_id for segment in found if segment.journal_id is not None]
        if not known:
            return None
        if expected and known[0].hex() != expected:
            raise StoreError(
                f"the archive is of the journal {expected}, and {self._folder} holds the journal "
                f"{known[0].hex()}: give each journal an archive folder of its own"
            )
        self.id = known[0]
        return Cursor(found[0].number, DATA_START)

    def _segments(self) -> list[Segment]:
        for _ in range(_TRIES):
            try:
                return segments.find_segments(self._folder)
            except FileNotFoundError:
                if not self._folder.exists():
                    return []
        raise StoreError(f"the segments in {self._folder} vanish while they are looked at")

    def next_segment(self, number: int) -> int | None:
        """Return the oldest segment after one that is gone."""
        self._names = None
        later = [one.number for one in self._segments() if one.number > number]
        return min(later, default=None)

    def entries(self, at: Cursor, upto: Cursor) -> Iterator[Entry | Damage]:
        """Yield a segment's complete records and damage from a position on."""
        is_last = at.segment == upto.segment
        end = upto.offset if is_last else None
        for found in segments.read_entries(self._folder, self.id, at, end):
            if not (is_last and isinstance(found, Damage) and found.torn):
                yield found

    def name_of(self, origin: bytes) -> ChannelName | None:
        """Return a channel's name, scanning the journal once if its own record comes late."""
        if self._names is None:
            self._names = {}
            for segment in self._segments():
                if segment.number <= self.upto.segment:
                    with suppress(FileNotFoundError):
                        self._names.update(self._names_in(segment.number))
        return self._names.get(origin)

    def _names_in(self, number: int) -> Iterator[tuple[bytes, ChannelName]]:
        for found in self.entries(Cursor(number, DATA_START), self.upto):
            if isinstance(found, Damage) or found.record.kind != Kind.TOPOLOGY:
                continue
            with suppress(StoreError):
                id, kind, _, state = stored_topology(found.record.payload)
                if kind == "channel" and state is not None:
                    yield found.record.channel, ChannelName(id, str(state.get("name") or id))
