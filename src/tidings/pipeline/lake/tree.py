"""Files of a lake in a local or mounted folder: durable writes, one writing process at a time.

Names are relative to the lake and use slashes.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tidings.errors import DiskFull, PipelineFailed, StoreError

LOCK: Final = "_lock"
_HALF_WRITTEN: Final = ".half"


def locked_message(place: Path, holder: bytes) -> str:
    """Return the error message for a second writer."""
    try:
        said = json.loads(holder)
        who = f"process {said['pid']} on {said['host']}"
    except (ValueError, KeyError, TypeError):
        who = "another process"
    return (
        f"{who} is writing to the lake {place}; a lake has one writer at a time: wait for it "
        "or stop it"
    )


class LakeTree:
    """The folder of a lake. Missing files are not an error unless a method says so."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, name: str) -> str:
        """Return a URI for Spark, so that it is not resolved on the cluster's file system."""
        return "file:" + str(self._folder / name)

    def read(self, name: str) -> bytes | None:
        """Read a file; None if it is missing."""
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{self._folder / name} cannot be read: {error}") from error

    def write(self, name: str, octets: bytes) -> None:
        """Write a file atomically and durably."""
        target = self._folder / name
        half = target.with_name("." + target.name + _HALF_WRITTEN)
        with _failing(f"{target} cannot be written"):
            _make_folder(target.parent)
            with half.open("wb") as stream:
                stream.write(octets)
                stream.flush()
                os.fsync(stream.fileno())
            half.replace(target)
            _sync(target.parent)

    def names(self, folder: str) -> list[str]:
        """List files and folders, sorted, without partly written files."""
        with _failing(f"{self._folder / folder} cannot be listed"):
            try:
                found = [path.name for path in (self._folder / folder).iterdir()]
            except FileNotFoundError:
                return []
        return sorted(name for name in found if not name.endswith(_HALF_WRITTEN))

    def files(self, folder: str) -> dict[str, int]:
        """Return all files below a folder, with their sizes."""
        top = self._folder / folder
        with _failing(f"{top} cannot be listed"):
            return {
                str(path.relative_to(self._folder)): path.stat().st_size
                for path in sorted(top.rglob("*"))
                if path.is_file() and not path.name.endswith(_HALF_WRITTEN)
            }

    def exists(self, name: str) -> bool:
        """Whether a file or folder exists."""
        return (self._folder / name).exists()

    def rename(self, old: str, new: str) -> None:
        """Move a file durably; create folders and replace an existing file."""
        source, target = self._folder / old, self._folder / new
        with _failing(f"{source} cannot become {target}"):
            _make_folder(target.parent)
            source.replace(target)
            _sync(target.parent)

    def remove(self, name: str) -> None:
        """Remove a file or a folder tree."""
        path = self._folder / name
        with _failing(f"{path} cannot be removed"):
            if path.is_dir():
                # The next run removes what a dying writer adds meanwhile.
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def sync(self, names: Iterable[str]) -> None:
        """Sync files that another process has written."""
        for name in names:
            path = self._folder / name
            with _failing(f"{path} cannot be made durable"):
                _sync(path)

    def rows(self, name: str) -> int:
        """Return the number of rows in a Parquet footer."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = self._folder / name
        try:
            return int(pq.read_metadata(path).num_rows)
        except (pa.ArrowException, OSError) as error:
            raise StoreError(f"{path} is no whole Parquet file: {error}") from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock out other writers. The operating system releases the lock when the process dies."""
        path = self._folder / LOCK
        with _failing(f"{path} cannot be written"):
            _make_folder(self._folder)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise PipelineFailed(locked_message(self._folder, path.read_bytes())) from error
            os.truncate(handle, 0)
            holder = {"host": socket.gethostname(), "pid": os.getpid()}
            os.pwrite(handle, json.dumps(holder).encode(), 0)
            yield
        finally:
            os.close(handle)


@contextmanager
def _failing(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(f"{what}: no room on the disk; the lake is unharmed") from error
        raise StoreError(f"{what}: {error}") from error


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync(folder.parent)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
