"""Faults in a copy of an archive: rows taken away, doubled or changed, seals fixed up or not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec.structs import replace

from tidings.stores.archive.columns import EVENTS, OUTCOMES, PLANS, schema_of
from tidings.stores.archive.manifest import (
    MANIFEST,
    Manifest,
    SegmentFile,
    read_manifest,
    seal_line,
)

__all__ = ["ArchiveCopy"]

Row = dict[str, Any]
_NUMBER = {EVENTS: "seq", OUTCOMES: "seq", PLANS: "version"}


@dataclass(frozen=True)
class ArchiveCopy:
    """A copy of an archive, to be spoiled.

    Attributes:
        folder: Where it is.
        fixed: Whether whoever spoils it also fixes up lengths, checksums and sums in the
            manifest, so that the segments look as they were sealed.
    """

    folder: Path
    fixed: bool = False

    @classmethod
    def of(cls, archive: Path, folder: Path, *, fixed: bool = False) -> ArchiveCopy:
        """Copies an archive."""
        shutil.copytree(archive, folder)
        return cls(folder, fixed)

    @property
    def manifest(self) -> Manifest:
        """What the copy says it has."""
        return read_manifest(self.folder)

    def rows(self, kind: str) -> list[Row]:
        """All rows of a kind, in the order of the journal."""
        found: list[Row] = []
        for file in self.manifest.select(kind):
            found += pq.read_table(self.folder / file.path, partitioning=None).to_pylist()
        return sorted(found, key=lambda row: (row["position"], row.get("seq", 0)))

    def change(self, kind: str, edit: Callable[[Row], list[Row]]) -> int:
        """Puts other rows in the place of each row; how many files that changed."""
        changed = {}
        for file in self.manifest.select(kind):
            path = self.folder / file.path
            before = pq.read_table(path, partitioning=None).to_pylist()
            after = [new for old in before for new in edit(old)]
            if after != before:
                table = pa.Table.from_pylist(after, schema=schema_of(kind))
                pq.write_table(table, path, compression="zstd")
                changed[file.path] = _sealed_again(self.folder, file, table)
        if self.fixed and changed:
            self._write_manifest(changed)
        return len(changed)

    def _write_manifest(self, changed: dict[str, SegmentFile]) -> None:
        manifest = self.manifest
        lines = []
        for seal in manifest.seals:
            files = [
                changed.get(file.path, file) for file in manifest.files if file.seal == seal.number
            ]
            lines.append(seal_line(seal, files))
        (self.folder / MANIFEST).write_bytes(b"".join(lines))

    # The faults.

    def remove_outcome(self, row: Row) -> None:
        """An outcome is taken away."""
        assert self.change(OUTCOMES, lambda one: [] if one == row else [one]) == 1

    def double_outcome(self, row: Row) -> None:
        """An outcome stands twice."""
        assert self.change(OUTCOMES, lambda one: [one, one] if one == row else [one]) == 1

    def deliver_to(self, row: Row, proxy: int) -> None:
        """An outcome is said to be another consumer's."""
        other = {**row, "proxy": proxy}
        assert self.change(OUTCOMES, lambda one: [other] if one == row else [one]) == 1

    def remove_event(self, origin: str, seq: int) -> None:
        """An event is taken away."""
        key = (origin, seq)
        edit = lambda one: [] if (one["origin"], one["seq"]) == key else [one]  # noqa: E731
        assert self.change(EVENTS, edit) == 1

    def swap_plans(self, first: Row, second: Row) -> None:
        """Two versions of a plan say what the other said."""
        texts = {
            first["position"]: second["change"],
            second["position"]: first["change"],
        }

        def edit(row: Row) -> list[Row]:
            return [{**row, "change": texts.get(row["position"], row["change"])}]

        assert self.change(PLANS, edit) >= 1

    def flip(self, kind: str) -> str:
        """One bit in the middle of a segment is another; the path of the segment."""
        file = self.manifest.select(kind)[0]
        path = self.folder / file.path
        octets = bytearray(path.read_bytes())
        octets[len(octets) // 3] ^= 0x10
        path.write_bytes(octets)
        return file.path

    def cut(self, kind: str) -> SegmentFile:
        """A segment ends in the middle."""
        file = self.manifest.select(kind)[0]
        path = self.folder / file.path
        path.write_bytes(path.read_bytes()[: file.octets // 2])
        return file


def _sealed_again(folder: Path, file: SegmentFile, table: pa.Table) -> SegmentFile:
    octets = (folder / file.path).read_bytes()
    return replace(
        file,
        rows=table.num_rows,
        octets=len(octets),
        crc32=crc32(octets),
        sums=_sums(file.kind, table),
    )


def _sums(kind: str, table: pa.Table) -> dict[str, tuple[int, int]]:
    number = _NUMBER.get(kind, "id")
    found: dict[str, tuple[int, int]] = {}
    for row in table.select(["origin", number]).to_pylist():
        count, sum_ = found.get(row["origin"], (0, 0))
        found[row["origin"]] = (count + 1, sum_ + row[number])
    return found
