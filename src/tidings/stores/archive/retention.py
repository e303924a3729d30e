"""Keep the archive from growing without end.

Retention drops old events and outcomes, and keeps the plans that explain them. Compaction folds
manifest lines, so that only sums remain of deleted files, and merges the files of plans and
objects, which retention never removes, into one per kind. It writes merged files, replaces the
manifest by a rename, and deletes unreferenced files: a crash in between leaves the same rows.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec.structs import replace

from tidings.stores.archive.columns import EVENTS, MERGED, OUTCOMES
from tidings.stores.archive.manifest import (
    Gap,
    Manifest,
    Seal,
    SegmentFile,
    check_file,
    drop_line,
    folded_lines,
    hour_folder,
    hour_of,
    read_manifest,
    seal_line,
)
from tidings.stores.archive.sealing import KEPT_BOOKS, ManifestFile, describe_file, store_error
from tidings.stores.files import make_folder, remove_file, write_file

log = logging.getLogger(__name__)

_DROPPED: Final = frozenset({EVENTS, OUTCOMES})
LEAST_OCTETS: Final = 1024 * 1024
"""Shorter manifests are not folded: reading them is fast anyway."""


class ArchiveRetention:
    """The selection of files to drop after each seal, by total size and age.

    The manifest is written first; the next start removes files whose drop is recorded. Ages are in
    observed time, so setting a clock makes nothing old.
    """

    def __init__(
        self,
        folder: Path,
        manifest: ManifestFile,
        before: Manifest,
        keep_octets: int | None,
        keep_microseconds: int | None,
    ) -> None:
        self._folder = folder
        self._manifest = manifest
        self._keep_octets = keep_octets
        self._keep_microseconds = keep_microseconds
        self._files: deque[SegmentFile] = deque()
        self._octets = 0
        self._add(before.files)

    def _add(self, files: Iterable[SegmentFile]) -> None:
        if self._keep_octets is None and self._keep_microseconds is None:
            return
        for file in files:
            self._octets += file.octets
            if file.kind in _DROPPED:
                self._files.append(file)

    def shrunk(self, octets: int) -> None:
        """Subtract octets saved in files that stay."""
        self._octets -= octets

    def sealed(self, seal: Seal, files: Iterable[SegmentFile], now: int) -> None:
        """Add new files, and drop what is too much or, in observed time, too old."""
        self._add(files)
        age, most = self._keep_microseconds, self._keep_octets
        old = self._take_while(lambda file: age is not None and file.observed_us < now - age)
        many = self._take_while(lambda _: most is not None and self._octets > most)
        going = old + many
        if not going:
            return
        log.info(
            "%d files of the archive go: %d are older than archive.retention_age in observed "
            "time, %d are too many for archive.retention_size", len(going), len(old), len(many),
        )  # fmt: skip
        try:
            self._manifest.append(drop_line([file.path for file in going], seal.sealed_us))
        except OSError as error:
            self._files.extendleft(reversed(going))
            self._octets += sum(file.octets for file in going)
            raise store_error(error, f"nothing was dropped from {self._folder}") from error
        for file in going:
            remove_file(self._folder / file.path)

    def _take_while(self, goes: Callable[[SegmentFile], bool]) -> list[SegmentFile]:
        """Take the oldest files from those that stay, as long as they are to go."""
        going: list[SegmentFile] = []
        while self._files and goes(self._files[0]):
            going.append(self._files.popleft())
            self._octets -= going[-1].octets
        return going


class Compaction:
    """The folding of a manifest whenever its size has doubled."""

    def __init__(self, folder: Path, manifest: ManifestFile) -> None:
        self._folder = folder
        self._manifest = manifest
        self._after = 0

    def run_if_due(self) -> int:
        """Fold a long manifest; return the octets saved. After an OSError reopen the archive."""
        if self._manifest.octets <= LEAST_OCTETS + 2 * self._after:
            return 0
        found = read_manifest(self._folder)
        self._after = self._manifest.octets
        if found.problems or len(found.seals) <= KEPT_BOOKS:
            return 0  # a damaged line may still be restored from a backup
        before = self._manifest.octets
        merged = [_merged(self._folder, found, kind) for kind in MERGED]
        replaced = {file.path for _, old in merged for file in old}
        kept = [file for file in found.files if file.path not in replaced]
        kept += [new for new, _ in merged if new is not None]
        self._manifest.replace(_lines(found, kept))
        for path in replaced:
            remove_file(self._folder / path)
        self._after = self._manifest.octets
        log.info("the manifest of the archive has %d octets, not %d", self._after, before)
        old = sum(file.octets for _, files in merged for file in files)
        return old - sum(new.octets for new, _ in merged if new is not None)


def _lines(found: Manifest, kept: Sequence[SegmentFile]) -> bytes:
    *old, folded = found.seals[:-KEPT_BOOKS]
    gaps = [seal.gap for seal in (*old, folded) if seal.gap is not None]
    summed = replace(
        folded,
        gap=Gap(gaps[0].since, gaps[-1].upto) if gaps else None,
        damaged=sum(seal.damaged for seal in (*old, folded)),
        stray=sum(seal.stray for seal in (*old, folded)),
    )
    early = [file for file in kept if file.seal <= folded.number]
    late = [
        seal_line(seal, [file for file in kept if file.seal == seal.number])
        for seal in found.seals[-KEPT_BOOKS:]
    ]
    return b"".join([*folded_lines(summed, early, _summed(found.gone)), *late])


def _summed(gone: Iterable[SegmentFile]) -> list[SegmentFile]:
    """Return one entry per kind: the last file, with the row count of all."""
    found: dict[str, SegmentFile] = {}
    for file in gone:
        before = found.get(file.kind)
        if before is None:
            found[file.kind] = replace(file, channels=None, types=None, names=None)
            continue
        last = max(before, file, key=lambda one: (one.seal, one.path))
        sums = dict(before.sums)
        for origin, (rows, total) in file.sums.items():
            had = sums.get(origin, (0, 0))
            sums[origin] = (had[0] + rows, had[1] + total)
        found[file.kind] = replace(
            before,
            path=last.path,
            seal=last.seal,
            rows=before.rows + file.rows,
            octets=before.octets + file.octets,
            first_us=min(before.first_us, file.first_us),
            last_us=max(before.last_us, file.last_us),
            sums=sums,
        )
    return list(found.values())


def _merged(
    folder: Path, found: Manifest, kind: str
) -> tuple[SegmentFile | None, list[SegmentFile]]:
    """Merge undamaged early files of a kind; return the new file and those it replaces."""
    last = found.seals[-KEPT_BOOKS - 1]
    early = [
        file
        for file in found.select(kind, upto_seal=last.number)
        if check_file(folder, file, deep=True) is None
    ]
    if len(early) < 2:
        return None, []
    tables = [pq.read_table(folder / file.path, partitioning=None) for file in early]
    table = pa.concat_tables(tables)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    octets = memoryview(sink.getvalue())
    hour = hour_folder(hour_of(max(file.last_us for file in early)))
    path = f"{kind}/{hour}/{last.number:012d}-merged.parquet"
    make_folder((folder / path).parent)
    write_file(folder / path, octets)
    times = pa.chunked_array([pa.array([file.first_us, file.last_us]) for file in early])
    made = describe_file(kind, path, last.number, table, times, octets, None)
    since = min(file.since or file.seal for file in early)
    return replace(made, observed_us=last.observed_us, since=since), early
