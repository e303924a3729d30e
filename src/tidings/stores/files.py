"""Durable files: atomic writes, folders that survive a power cut, and disk errors as ours."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tidings.errors import DiskFull, StoreError

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""System errors of a full disk; a quota or file size limit counts as one."""
MODE: Final = 0o600
"""Mode of new files: events may be confidential."""
UNFINISHED: Final = ".unfinished"
"""How names of files end that are still being written."""


def disk_error(error: OSError, what: str, when_full: str = "") -> StoreError:
    """Return our error for a disk error; `when_full` is added if there is no room."""
    if error.errno in FULL:
        return DiskFull(f"{what}: {error.strerror or error}{when_full}")
    return StoreError(f"{what}: {error.strerror or error}")


@contextlib.contextmanager
def disk_errors(what: str, when_full: str = "") -> Iterator[None]:
    """Turn disk errors into ours, as `disk_error` does."""
    try:
        yield
    except OSError as error:
        raise disk_error(error, what, when_full) from error


def write_all(descriptor: int, octets: bytes | memoryview) -> None:
    """Write everything, with one call unless the system writes only a part."""
    done = os.write(descriptor, octets)
    view = memoryview(octets)
    while done < len(octets):
        done += os.write(descriptor, view[done:])


def sync_folder(folder: Path, opened: int | None = None) -> None:
    """Make the names in a folder (descriptor: `opened`) durable: file syncs do not."""
    if opened is not None:
        os.fsync(opened)
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path, mode: int = 0o700) -> None:
    """Create a folder and its parents durably, even if a killed process began with it.

    They are created from the top, each synced before the next: of the existing ones, only the
    deepest can be one whose creator was killed before its sync.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    deepest = missing[-1].parent if missing else folder
    with contextlib.suppress(PermissionError):  # then we cannot have created it
        sync_folder(deepest.parent)
    for path in reversed(missing):
        path.mkdir(mode if path == folder else 0o777, exist_ok=True)
        sync_folder(path.parent)


def write_file(path: Path, octets: bytes | memoryview, mode: int = MODE) -> None:
    """Write a file of an existing folder durably.

    After an OSError the old file or the new one is there, whole.
    """
    folder, unfinished = path.parent, path.with_name(path.name + UNFINISHED)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        descriptor = os.open(unfinished, flags, mode)
        try:
            write_all(descriptor, octets)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        unfinished.rename(path)
        sync_folder(folder)
    except OSError:
        remove_file(unfinished)
        raise


def remove_file(path: Path) -> None:
    """Remove a file if possible; otherwise the next start does."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
