"""A lake on any file system that Spark knows through Hadoop: hdfs, s3a, abfs, gs and others.

Renames are as atomic as the file system's; on object stores that copy, a crash in between leaves
a copy that is made again. The lock is a file made exclusively: that of a process that died on
this machine is taken over, any other must be removed by hand.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from tidings.errors import PipelineFailed, StoreError
from tidings.pipeline.archive import local_folder
from tidings.pipeline.lake.failures import failing
from tidings.pipeline.lake.tree import LOCK, LakeTree, LocalTree, holder_text, locked_message

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_HALF_WRITTEN = ".half"


def tree_of(spark: SparkSession, lake: str) -> LakeTree:
    """The files of a lake: of a folder on this machine, or of any place that Spark knows."""
    folder = local_folder(lake)
    return HadoopTree(spark, lake) if folder is None else LocalTree(folder)


class HadoopTree:
    """A folder on a file system of Hadoop's; see `LakeTree`.

    Args:
        spark: Whose settings and credentials count.
        place: The URI of the lake.
    """

    def __init__(self, spark: SparkSession, place: str) -> None:
        self._place = place.rstrip("/")
        self._jvm: Any = spark._jvm  # py4j has no types; it makes any Java object
        state: Any = spark._jsparkSession.sessionState()
        self._conf = state.newHadoopConf()
        with self._failing("cannot be reached"):
            self._files = self._path("").getFileSystem(self._conf)

    def path(self, name: str) -> str:
        """What Spark calls it."""
        return f"{self._place}/{name}".rstrip("/")

    def read(self, name: str) -> bytes | None:
        """The octets of a file; None if there is none."""
        with self._failing(f"{name} cannot be read"):
            path = self._path(name)
            if not self._files.exists(path):
                return None
            stream = self._files.open(path)
            try:
                return bytes(stream.readAllBytes())
            finally:
                stream.close()

    def write(self, name: str, octets: bytes) -> None:
        """Writes a file beside and renames it: as durable as the file system is."""
        folder, _, last = name.rpartition("/")
        half = f"{folder}/.{last}{_HALF_WRITTEN}"
        with self._failing(f"{name} cannot be written"):
            self._create(half, octets, replace=True)
        self.rename(half, name)

    def names(self, folder: str) -> list[str]:
        """The files and folders in a folder, in order; halves of files are none."""
        with self._failing(f"{folder} cannot be listed"):
            path = self._path(folder)
            if not self._files.exists(path):
                return []
            found = [status.getPath().getName() for status in self._files.listStatus(path)]
        return sorted(name for name in found if not name.endswith(_HALF_WRITTEN))

    def files(self, folder: str) -> dict[str, int]:
        """All files below a folder, with their octets."""
        found: dict[str, int] = {}
        with self._failing(f"{folder} cannot be listed"):
            if not self._files.exists(self._path(folder)):
                return found
            top = self._files.makeQualified(self._path("")).toUri().getPath().rstrip("/")
            listed = self._files.listFiles(self._path(folder), True)
            while listed.hasNext():
                status = listed.next()
                name = status.getPath().toUri().getPath().removeprefix(top + "/")
                if not name.endswith(_HALF_WRITTEN):
                    found[name] = int(status.getLen())
        return dict(sorted(found.items()))

    def exists(self, name: str) -> bool:
        """Whether there is such a file or folder."""
        with self._failing(f"{name} cannot be looked for"):
            return bool(self._files.exists(self._path(name)))

    def rename(self, old: str, new: str) -> None:
        """Moves a file; folders on the way are made, and what was there is replaced."""
        source, target = self._path(old), self._path(new)
        with self._failing(f"{old} cannot become {new}"):
            self._files.mkdirs(target.getParent())
            # Renaming does not replace. Whoever is killed in between still has the old name.
            if self._files.exists(target) and self._files.exists(source):
                self._files.delete(target, False)
            done = bool(self._files.rename(source, target))
        if not done:
            raise StoreError(f"{self.path(old)} cannot become {self.path(new)}")

    def remove(self, name: str) -> None:
        """Removes a file, or a folder with all in it."""
        with self._failing(f"{name} cannot be removed"):
            self._files.delete(self._path(name), True)

    def sync(self, names: Iterable[str]) -> None:
        """Nothing to do: what is closed is durable, as far as the file system promises it."""

    def rows(self, name: str) -> int:
        """How many rows a Parquet file has, by its footer."""
        hadoop = self._jvm.org.apache.parquet.hadoop
        with self._failing(f"{name} is no whole Parquet file"):
            entry = hadoop.util.HadoopInputFile.fromPath(self._path(name), self._conf)
            reader = hadoop.ParquetFileReader.open(entry)
            try:
                return int(reader.getRecordCount())
            finally:
                reader.close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other writers out.

        Raises:
            PipelineFailed: Another process writes to the lake, or has died on another machine.
        """
        holder = self.read(LOCK)
        if holder is not None:
            if not _died_here(holder):
                raise PipelineFailed(
                    f"{locked_message(self._place, holder)}; if it is dead, remove "
                    f"{self.path(LOCK)}"
                )
            self.remove(LOCK)
        try:
            with self._failing("cannot be locked"):
                self._create(LOCK, holder_text(), replace=False)
        except PipelineFailed as error:
            raise PipelineFailed(locked_message(self._place, self.read(LOCK))) from error
        try:
            yield
        finally:
            self.remove(LOCK)

    def _create(self, name: str, octets: bytes, *, replace: bool) -> None:
        stream = self._files.create(self._path(name), replace)
        try:
            stream.write(octets)
        finally:
            stream.close()

    def _path(self, name: str) -> Any:  # noqa: ANN401 -- a Java object
        return self._jvm.org.apache.hadoop.fs.Path(self.path(name))

    def _failing(self, what: str) -> AbstractContextManager[None]:
        return failing(f"{self._place}: {what}")


def _died_here(holder: bytes) -> bool:
    """Whether a lock is of a process of this machine that is no more."""
    try:
        said = json.loads(holder)
        host, pid = said["host"], int(said["pid"])
    except (ValueError, KeyError, TypeError):
        return False
    if host != socket.gethostname():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # somebody else's, and alive
        return False
    return False
