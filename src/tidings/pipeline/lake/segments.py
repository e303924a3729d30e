"""Choose the segments of an archive to load next, and find what the archive no longer has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidings.errors import PipelineFailed
from tidings.pipeline.lake.log import LakeState
from tidings.stores.archive.manifest import Manifest, SegmentFile

TAKEN_KINDS: Final = ("events", "outcomes")


@dataclass(frozen=True, slots=True)
class NextSegments:
    """Input of a batch."""

    files: tuple[SegmentFile, ...]
    upto_seal: int  # last seal of the lake after this batch
    damaged: dict[str, str]  # what cannot be loaded because the manifest itself is damaged
    retaken: tuple[str, ...]  # segments that no longer count as damaged
    gaps: tuple[str, ...]  # what retention has removed, in words


def seal_mark(manifest: Manifest, number: int) -> str:
    """Identify a seal across archives; empty if unknown."""
    for seal in reversed(manifest.seals):
        if seal.number == number:
            return f"{number}/{seal.sealed_us}/{seal.books_crc32}"
    return ""


def next_segments(manifest: Manifest, state: LakeState, most_rows: int) -> NextSegments | None:
    """Return the seals after those in the lake, up to `most_rows` but at least one seal."""
    _check_same_archive(manifest, state)
    after = state.upto_seal
    if manifest.last_seal <= after:
        return None
    by_seal: dict[int, list[SegmentFile]] = {seal.number: [] for seal in manifest.seals}
    for kind in TAKEN_KINDS:
        for file in manifest.select(kind, after_seal=after):
            by_seal[file.seal].append(file)
    files: list[SegmentFile] = []
    damaged: dict[str, str] = {}
    rows, upto = 0, after
    for number in range(after + 1, manifest.last_seal + 1):
        coming = by_seal.get(number, [])
        rows += sum(file.rows for file in coming)
        if rows > most_rows and files:
            break
        if number not in by_seal and number > manifest.folded:
            damaged[_missing_seal(number)] = f"the manifest's line of seal {number} is damaged"
        files += coming
        upto = number
    return NextSegments(tuple(files), upto, damaged, (), _gaps(manifest, after, upto))


def repaired_segments(manifest: Manifest, state: LakeState) -> NextSegments:
    """Return the segments that were damaged when first read, to try again."""
    files = [
        file
        for file in manifest.files
        if file.kind in TAKEN_KINDS
        and (file.path in state.damaged or _missing_seal(file.seal) in state.damaged)
    ]
    found = {seal.number for seal in manifest.seals}
    seals = [_missing_seal(one) for one in found if _missing_seal(one) in state.damaged]
    gone = sorted(path for path in state.damaged if manifest.is_gone(path))
    retaken = (*(file.path for file in files if file.path in state.damaged), *seals, *gone)
    gaps = tuple(f"{path} was damaged, and retention has removed it" for path in gone)
    return NextSegments(tuple(files), state.upto_seal, {}, retaken, gaps)


def _missing_seal(number: int) -> str:
    return f"seal {number}"


def _check_same_archive(manifest: Manifest, state: LakeState) -> None:
    if not state.upto_seal:
        return
    mark = seal_mark(manifest, state.upto_seal)
    if manifest.last_seal < state.upto_seal or (mark and state.archive and mark != state.archive):
        raise PipelineFailed(
            f"the lake has been filled up to seal {state.upto_seal} from another archive: the one "
            f"given has {manifest.last_seal} seals and is not its continuation; give the archive "
            "it was made from, or another folder for the lake"
        )


def _gaps(manifest: Manifest, after: int, upto: int) -> tuple[str, ...]:
    gone: dict[int, int] = {}
    for path in manifest.dropped:
        kind, _, rest = path.partition("/")
        stem = rest.rpartition("/")[2].partition(".")[0]
        if kind in TAKEN_KINDS and stem.isdecimal() and after < int(stem) <= upto:
            gone[int(stem)] = gone.get(int(stem), 0) + 1
    return tuple(
        f"seal {number}: retention of the archive removed {count} files before the lake took them"
        for number, count in sorted(gone.items())
    )
