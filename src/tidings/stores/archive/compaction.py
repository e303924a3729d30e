"""Compaction: keeps the archive's metadata from growing with age.

Manifest lines are folded: only sums remain of deleted files. The files of plans and objects, which
retention never removes, are merged into one per kind. The order is: write merged files, replace the
manifest by a rename, delete unreferenced files. A crash in between leaves the same rows.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec.structs import replace

from tidings.stores.archive.files import (
    check_file,
    hour_folder,
    hour_of,
    remove_file,
    write_file,
)
from tidings.stores.archive.manifest import (
    Gap,
    Manifest,
    SegmentFile,
    folded_lines,
    read_manifest,
    seal_line,
)
from tidings.stores.archive.schema import MERGED
from tidings.stores.archive.sealing import KEPT_BOOKS, ManifestFile, describe_file

LEAST_OCTETS: Final = 1024 * 1024
"""Shorter manifests are not folded: reading them is fast anyway."""

log = logging.getLogger(__name__)


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
    write_file(folder / path, octets, set())
    times = pa.chunked_array([pa.array([file.first_us, file.last_us]) for file in early])
    made = describe_file(kind, path, last.number, table, times, octets, None)
    since = min(file.since or file.seal for file in early)
    return replace(made, observed_us=last.observed_us, since=since), early
