"""The files of the archive: atomic writes, checks, and quarantine."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from zlib import crc32

from tidings.errors import ArchiveDamaged
from tidings.stores import segments
from tidings.stores.archive.manifest import SegmentFile

DAMAGED: Final = "damaged"
UNFINISHED: Final = ".unfinished"
HOUR: Final = 3_600_000_000
"""Microseconds per hour."""

_MAGIC: Final = b"PAR1"  # Parquet files begin and end with it
_SHORTEST: Final = 12
_MODE: Final = 0o600  # events may be confidential
_CHUNK: Final = 1024 * 1024
# Clocks can be wrong by thousands of years; folder names are limited to these.
_FIRST_HOUR: Final = int(datetime(1, 1, 1, tzinfo=UTC).timestamp()) // 3600
_LAST_HOUR: Final = int(datetime(9999, 12, 31, 23, tzinfo=UTC).timestamp()) // 3600


def hour_of(time: int) -> int:
    """Return the hour since 1970 of a time in microseconds, within the folders' calendar."""
    return min(max(time // HOUR, _FIRST_HOUR), _LAST_HOUR)


def hour_folder(hour: int) -> str:
    """Return the folder of an hour since 1970: ``date=2026-11-15/hour=17``."""
    return f"{datetime.fromtimestamp(hour * 3600, UTC):date=%4Y-%m-%d/hour=%H}"


def write_file(path: Path, octets: bytes | memoryview, known: set[Path]) -> None:
    """Write a file atomically and durably; `known` are folders known to be durable."""
    if path.parent not in known:
        segments.make_folder(path.parent)
        known.add(path.parent)
    unfinished = path.with_name(path.name + UNFINISHED)
    try:
        descriptor = os.open(
            unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, _MODE
        )
        try:
            segments.write_all(descriptor, octets)  # type: ignore[arg-type]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        unfinished.rename(path)
        segments.sync_folder(path.parent)
    except OSError:
        remove_file(unfinished)
        remove_file(path)
        raise


def remove_file(path: Path) -> None:
    """Remove a file if possible; otherwise the next start does."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def check_file(folder: Path, file: SegmentFile, *, deep: bool = False) -> str | None:
    """Describe what is wrong with a file, or return None; `deep` compares its checksum."""
    path = folder / file.path
    try:
        with path.open("rb") as opened:
            length = os.fstat(opened.fileno()).st_size
            if length != file.octets:
                return f"{file.path} has {length} octets, and {file.octets} were sealed"
            first = opened.read(len(_MAGIC))
            opened.seek(max(length - len(_MAGIC), 0))
            if length < _SHORTEST or first != _MAGIC or opened.read() != _MAGIC:
                return f"{file.path} is no Parquet file: its beginning or end is damaged"
            if deep:
                opened.seek(0)
                check = 0
                while octets := opened.read(_CHUNK):
                    check = crc32(octets, check)
                if check != file.crc32:
                    return f"{file.path} is damaged: its checksum is not the one it was sealed with"
    except FileNotFoundError:
        return f"{file.path} is missing"
    except OSError as error:
        return f"{file.path} cannot be read: {error.strerror or error}"
    return None


def set_aside(folder: Path, file: SegmentFile) -> Path:
    """Move a file to the archive's folder ``damaged``, where it is ignored."""
    aside = folder / DAMAGED / file.path.replace("/", "_")
    try:
        segments.make_folder(aside.parent)
        (folder / file.path).rename(aside)
        segments.sync_folder(aside.parent)
    except OSError as error:
        raise ArchiveDamaged(
            f"{file.path} is damaged and cannot be moved to {aside}: {error.strerror or error}"
        ) from error
    return aside
