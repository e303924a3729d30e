"""Where an archive is: a local folder, or a place that only Hadoop's file systems can read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import unquote, urlsplit

from tidings.errors import ArchiveNotFound
from tidings.stores.archive.files import check_file
from tidings.stores.archive.manifest import parse_manifest, read_manifest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidings.stores.archive.manifest import Manifest, SegmentFile

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
# Spark takes these for patterns of paths unless told otherwise.
_GLOB = re.compile(r"([*?\[\]{}\\])")
_PARQUET_END: Final = b"PAR1"


class Place(Protocol):
    """An archive that can be read."""

    def manifest(self) -> Manifest:
        """What the archive says it has.

        Raises:
            ArchiveNotFound: There is no archive.
        """

    def problems(self, files: Iterable[SegmentFile]) -> dict[str, str]:
        """What is wrong with files, by their paths; those that are well are not in it."""

    def spark_path(self, file: SegmentFile) -> str:
        """How Spark is told of a file."""


def place_of(spark: SparkSession, archive: str) -> Place:
    """The place of an archive."""
    folder = local_folder(archive)
    return _HadoopPlace(spark, archive) if folder is None else _LocalPlace(folder)


def local_folder(archive: str) -> Path | None:
    """The folder on this machine that a path or ``file:`` URL means; None for other places."""
    if not _SCHEME.match(archive):
        return Path(archive).absolute()
    parts = urlsplit(archive)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    return None


class _LocalPlace:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def manifest(self) -> Manifest:
        return read_manifest(self._folder)

    def problems(self, files: Iterable[SegmentFile]) -> dict[str, str]:
        checked = ((file.path, check_file(self._folder, file)) for file in files)
        return {path: problem for path, problem in checked if problem is not None}

    def spark_path(self, file: SegmentFile) -> str:
        return _GLOB.sub(r"\\\1", str(self._folder / file.path))


class _HadoopPlace:
    """An archive on a file system that Spark reads through Hadoop, such as s3a or hdfs."""

    def __init__(self, spark: SparkSession, archive: str) -> None:
        self._archive = archive.rstrip("/")
        self._jvm: Any = spark._jvm  # py4j has no types; it makes any Java object
        context: Any = spark._jsparkSession.sessionState()
        self._files = self._path("").getFileSystem(context.newHadoopConf())

    def _path(self, name: str) -> Any:  # noqa: ANN401 -- a Java object
        return self._jvm.org.apache.hadoop.fs.Path(f"{self._archive}/{name}".rstrip("/"))

    def manifest(self) -> Manifest:
        path = self._path("manifest.jsonl")
        if not self._files.exists(path):
            raise ArchiveNotFound(
                f"there is no archive at {self._archive}: it has no manifest.jsonl"
            )
        length = self._files.getFileStatus(path).getLen()
        return parse_manifest(self._octets(path, 0, length))

    def _octets(self, path: Any, start: int, length: int) -> bytes:  # noqa: ANN401 -- a Java object
        stream = self._files.open(path)
        try:
            stream.seek(start)
            octets: bytes = bytes(stream.readNBytes(length))
        finally:
            stream.close()
        return octets

    def problems(self, files: Iterable[SegmentFile]) -> dict[str, str]:
        checked = ((file.path, self._problem(file)) for file in files)
        return {path: problem for path, problem in checked if problem is not None}

    def _problem(self, file: SegmentFile) -> str | None:
        path = self._path(file.path)
        if not self._files.exists(path):
            return f"{file.path} is missing"
        length = self._files.getFileStatus(path).getLen()
        if length != file.octets:
            return f"{file.path} has {length} octets, and was sealed with {file.octets}"
        if self._octets(path, length - len(_PARQUET_END), len(_PARQUET_END)) != _PARQUET_END:
            return f"{file.path} has no Parquet footer"
        return None

    def spark_path(self, file: SegmentFile) -> str:
        return _GLOB.sub(r"\\\1", f"{self._archive}/{file.path}")
