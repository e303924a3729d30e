"""An archive as jobs open it: a folder, its manifest, and which of its files are sound.

All jobs read archives through this module; they differ in what they do about damage. Frames leave
damaged files out and report them, the source leaves them out or ends (`onDamage`), the lake notes
them for a later run, and the audit uses what can still be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from tidings.errors import InvalidUsage
from tidings.stores.archive.files import check_file
from tidings.stores.archive.manifest import MANIFEST, Manifest, SegmentFile, read_manifest
from tidings.stores.archive.schema import schema_of

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_GLOB: Final = re.compile(r"([*?\[\]{}\\])")
_PATH_PARTS: Final = 4  # kind, date, hour, file


def local_folder(place: str) -> Path:
    """The local or mounted folder that a path or ``file:`` URL names."""
    if not _SCHEME.match(place):
        return Path(place).absolute()
    parts = urlsplit(place)
    if parts.scheme != "file":
        raise InvalidUsage(
            f"{place} is not a folder; an archive or a lake is a local or mounted folder: "
            f"mount the {parts.scheme} store, and name the folder where it is mounted"
        )
    return Path(unquote(parts.path))


def glob_free(path: str) -> str:
    """A path for Spark's readers, which take some characters for patterns."""
    return _GLOB.sub(r"\\\1", path)


def spark_schema(kind: str) -> StructType:
    """The columns of a kind of segments, as Spark's types."""
    return from_arrow_schema(schema_of(kind))


def time_column(kind: str) -> str:
    """The column that tells when a row of a kind of segments happened."""
    return "arrival_us" if kind == "events" else "at_us"


class Archive:
    """An archive that can be read.

    Args:
        place: Its folder, as a path or a ``file:`` URL.
    """

    def __init__(self, place: str) -> None:
        self.folder = local_folder(place)
        self._stamp: tuple[int, int] | None = None
        self._manifest: Manifest | None = None

    def manifest(self) -> Manifest:
        """What the archive says it has; parsed again only when it has changed."""
        stamp = None
        with suppress(OSError):  # what is wrong is said when it is read
            found = (self.folder / MANIFEST).stat()
            stamp = (found.st_size, found.st_mtime_ns)
        if self._manifest is None or stamp is None or stamp != self._stamp:
            self._manifest, self._stamp = read_manifest(self.folder), stamp
        return self._manifest

    def problems(
        self, files: Iterable[SegmentFile], spark: SparkSession | None = None
    ) -> dict[str, str]:
        """What is wrong with files, by their paths; those that are sound are not in it.

        Args:
            files: Which.
            spark: Whose executors compare checksums; without, only lengths and ends are looked at.
        """
        found: dict[str, str] = {}
        sound: dict[str, SegmentFile] = {}
        for file in files:
            problem = check_file(self.folder, file)
            if problem is None:
                sound[file.path] = file
            else:
                found[file.path] = problem
        if spark is None or not sound:
            return found
        checks = self._checksums(spark, sound.values())
        for path, file in sound.items():
            if path not in checks:
                found[path] = f"{path} cannot be read"
            elif checks[path] != file.crc32:
                found[path] = f"{path} is damaged: its checksum is not the one it was sealed with"
        return found

    def _checksums(self, spark: SparkSession, files: Iterable[SegmentFile]) -> dict[str, int]:
        reader = spark.read.format("binaryFile").option("ignoreCorruptFiles", "true")
        rows = reader.load(self._paths(files)).select("path", F.crc32("content")).collect()
        return {"/".join(path.rsplit("/", _PATH_PARTS)[-_PATH_PARTS:]): sum_ for path, sum_ in rows}

    def rows(
        self,
        spark: SparkSession,
        kind: str,
        files: Iterable[SegmentFile],
        channels: Sequence[str] = (),
    ) -> DataFrame:
        """The rows of some files of a kind, of these channels (names or origins), or of all."""
        schema, paths = spark_schema(kind), self._paths(files)
        df = (
            spark.read.schema(schema).parquet(*paths)
            if paths
            else spark.createDataFrame([], schema)
        )
        if not channels:
            return df
        return df.where(F.col("channel").isin(*channels) | F.col("origin").isin(*channels))

    def _paths(self, files: Iterable[SegmentFile]) -> list[str]:
        return ["file:" + glob_free(str(self.folder / file.path)) for file in files]

    def __getstate__(self) -> dict[str, object]:
        # A copy goes to every task, which reads the manifest for itself.
        return {**self.__dict__, "_stamp": None, "_manifest": None}
