"""Small archives for tests, sealed by the real sealer and filled by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tidings.channel.entries import NEVER
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_codec import encode_event
from tidings.events.structured import StructuredEvent
from tidings.stores.archive.books import Books
from tidings.stores.archive.columns import Segment
from tidings.stores.archive.manifest import SegmentFile, drop_line, read_manifest
from tidings.stores.archive.sealing import ManifestFile, Sealer
from tidings.stores.payloads import StoredEvent

ORIGIN = "0123456789abcdef" * 2
SECOND = 1_000_000
FIRST_US = 1_790_000_000 * SECOND
"""When the first event of a test arrives; the others follow a second apart."""


class Row(NamedTuple):
    """An event to archive."""

    seq: int
    event: StructuredEvent
    channel: str = "traffic"
    arrival_us: int | None = None
    origin: str = ORIGIN


def cars(first: int, count: int, channel: str = "traffic") -> list[Row]:
    """Events whose rate is the last two digits of their number."""
    return [
        Row(seq, StructuredEvent("Traffic", "Speed", f"car-{seq}", {}, _data(seq)), channel)
        for seq in range(first, first + count)
    ]


def _data(seq: int) -> dict[str, Value]:
    return {"rate": seq % 100, "road": f"A{seq % 9}"}


class ArchiveMaker:
    """Makes an archive, seal by seal."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._manifest = ManifestFile(folder, 0)
        self._sealer = Sealer(folder, self._manifest, 0)
        self._books = Books(0, "0" * 32, (1, 0), {}, {})

    def seal(
        self, rows: Iterable[Row], **others: Iterable[tuple[int, tuple[object, ...]]]
    ) -> list[SegmentFile]:
        """Seals events, and other rows with their times by their kinds; the files."""
        segment = Segment()
        for kind in segment.kinds:
            for time, values in others.get(kind.kind, ()):
                kind.add(time, values)
        for row in rows:
            arrival = FIRST_US + row.seq * SECOND if row.arrival_us is None else row.arrival_us
            octets = encode_event(row.event)
            stored = StoredEvent(
                arrival, 1, 0, NEVER, None, 0, "cam", row.seq, (), (), {}, False, octets
            )
            segment.events.add_event(
                row.origin, row.channel, row.seq, stored, row.event, row.seq, partial=False
            )
        return self._sealer.seal(segment, self._books, FIRST_US, None)[1]

    def drop(self, files: Sequence[SegmentFile]) -> None:
        """What retention does."""
        self._manifest.append(drop_line([file.path for file in files], FIRST_US))
        for file in files:
            (self.folder / file.path).unlink()

    def close(self) -> None:
        """Lets go of the manifest."""
        self._manifest.close()
        read_manifest(self.folder)
