"""Access to an archive: its folder, its manifest, which of its files are intact, and their rows.

All jobs read archives through this module and differ in how they treat damage: frames skip
damaged files and report them, the source skips them or fails (`onDamage`), the lake notes them
for a later run, and the audit uses what is still readable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from tidings.clock import moment_text
from tidings.errors import InvalidUsage
from tidings.filters.constraint import EventTypePattern, event_type
from tidings.stores.archive.columns import EVENTS, schema_of
from tidings.stores.archive.manifest import (
    MANIFEST,
    Manifest,
    Seal,
    SegmentFile,
    check_file,
    read_manifest,
)

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_GLOB: Final = re.compile(r"([*?\[\]{}\\])")


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
    return "arrival_us" if kind == EVENTS else "at_us"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which rows of an archive to read; empty `channels` or `types` mean all.

    Channels are names or origins, types patterns or texts such as ``Traffic::Speed*``. `since_us`
    and `upto_seal` are inclusive, `until_us` and `after_seal` exclusive; times are those of an
    event's arrival, in microseconds since 1970.
    """

    archive: str
    _: KW_ONLY
    channels: Sequence[str] = ()
    since_us: int | None = None
    until_us: int | None = None
    types: Sequence[EventTypePattern | str] = ()
    after_seal: int = 0
    upto_seal: int | None = None

    def patterns(self, kind: str) -> tuple[EventTypePattern, ...]:
        """Return the types as patterns; only events have types."""
        types = self.types if kind == EVENTS else ()
        return tuple(event_type(one) if isinstance(one, str) else one for one in types)

    def files(self, manifest: Manifest, kind: str) -> list[SegmentFile]:
        """Return the files of a kind that may have selected rows."""
        return manifest.select(
            kind,
            channels=self.channels,
            types=self.patterns(kind),
            since_us=self.since_us,
            until_us=self.until_us,
            after_seal=self.after_seal,
            upto_seal=self.upto_seal,
        )


def journal_losses(manifest: Manifest) -> Iterator[tuple[Seal, str]]:
    """Yield what an archive could not take from its journal, in words, with the seal."""
    for seal in manifest.seals:
        at = moment_text(seal.sealed_us)
        if seal.gap is not None:
            since, upto = (f"{one.segment}/{one.offset}" for one in (seal.gap.since, seal.gap.upto))
            gone = f"the journal from {since} to {upto} was gone before it could be archived ({at})"
            yield seal, f"{gone}: what happened there is not known"
        if seal.damaged:
            records = f"{seal.damaged} records of the journal could not be read when seal"
            yield seal, f"{records} {seal.number} was made ({at}): what they said is not known"


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

    def problems(self, files: Iterable[SegmentFile], *, deep: bool = False) -> dict[str, str]:
        """Return what is wrong with damaged files, by path; `deep` compares checksums, too."""
        asked = list(files)
        with ThreadPoolExecutor() as pool:  # reading and checksums release the interpreter
            found = pool.map(partial(check_file, self.folder, deep=deep), asked)
            pairs = zip(asked, found, strict=True)
            return {file.path: problem for file, problem in pairs if problem is not None}

    def rows(
        self,
        spark: SparkSession,
        kind: str,
        files: Iterable[SegmentFile],
        channels: Sequence[str] = (),
    ) -> DataFrame:
        """Read the rows of files of one kind, optionally of some channels (names or origins)."""
        schema = spark_schema(kind)
        paths = ["file:" + glob_free(str(self.folder / file.path)) for file in files]
        reader = spark.read.schema(schema)
        df = reader.parquet(*paths) if paths else spark.createDataFrame([], schema)
        if not channels:
            return df
        return df.where(F.col("channel").isin(*channels) | F.col("origin").isin(*channels))

    def __getstate__(self) -> dict[str, object]:
        # Every task gets a copy and reads the manifest itself.
        return {**self.__dict__, "_stamp": None, "_manifest": None}
