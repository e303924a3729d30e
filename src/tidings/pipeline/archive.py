"""Access to an archive: its folder, its manifest, and which of its files are intact.

All jobs read archives through this module and differ in how they treat damage: frames skip
damaged files and report them, the source skips them or fails (`onDamage`), the lake notes them
for a later run, and the audit uses what is still readable.
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
    """Return the local or mounted folder of a path or ``file:`` URL."""
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
    """Escape a path for Spark's readers, which expand glob patterns."""
    return _GLOB.sub(r"\\\1", path)


def spark_schema(kind: str) -> StructType:
    """Return the Spark schema of a kind of segments."""
    return from_arrow_schema(schema_of(kind))


def time_column(kind: str) -> str:
    """Return the column with the time of a row."""
    return "arrival_us" if kind == "events" else "at_us"


class Archive:
    """A readable archive; `place` is a path or a ``file:`` URL."""

    def __init__(self, place: str) -> None:
        self.folder = local_folder(place)
        self._stamp: tuple[int, int] | None = None
        self._manifest: Manifest | None = None

    def manifest(self) -> Manifest:
        """Return the manifest, parsed again only when it has changed."""
        stamp = None
        with suppress(OSError):  # reading it raises the error
            found = (self.folder / MANIFEST).stat()
            stamp = (found.st_size, found.st_mtime_ns)
        if self._manifest is None or stamp is None or stamp != self._stamp:
            self._manifest, self._stamp = read_manifest(self.folder), stamp
        return self._manifest

    def problems(
        self, files: Iterable[SegmentFile], spark: SparkSession | None = None
    ) -> dict[str, str]:
        """Return what is wrong with damaged files, by path; compare checksums only with `spark`."""
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
        """Read the rows of files of one kind, optionally of some channels (names or origins)."""
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
        # Every task gets a copy and reads the manifest itself.
        return {**self.__dict__, "_stamp": None, "_manifest": None}
