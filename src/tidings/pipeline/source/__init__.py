"""The data source ``tidings``: read archives as frames and streams, publish rows as events.

::

    spark.read.format("tidings").option("channel", "traffic").load("/var/lib/tidings/archive")
    spark.readStream.format("tidings").load("/var/lib/tidings/archive")
    df.write.format("tidings").mode("append").option("url", …).option("channel", "alarms").save()
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
)
from pyspark.sql.types import StructType

from tidings.errors import InvalidUsage

if TYPE_CHECKING:
    from tidings.pipeline.options import SourceOptions


class TidingsSource(DataSource):
    """Entry point of the format ``tidings`` for Spark."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self._read: SourceOptions | None = None

    @classmethod
    def name(cls) -> str:
        """Return the format's name."""
        return "tidings"

    def _read_options(self) -> SourceOptions:
        # Parsed once: a time such as "2h ago" must mean the same in all readers.
        if self._read is None:
            from tidings.pipeline.options import read_options

            self._read = read_options(dict(self.options))
        return self._read

    def schema(self) -> StructType:
        """Return the columns, according to the options ``kind`` and ``columns``."""
        from tidings.pipeline.archive import spark_schema

        options = self._read_options()
        whole = spark_schema(options.kind)
        for column in options.columns:
            if column not in whole.names:
                raise InvalidUsage(
                    f"{options.kind} have no column {column!r}; they have {', '.join(whole.names)}"
                )
        chosen = options.columns or whole.names
        return StructType([whole[column] for column in chosen])

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of what is sealed now."""
        from tidings.pipeline.source.reading import ArchiveReader

        return ArchiveReader(self._read_options(), schema.names)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        """Return a reader of what is sealed now and later."""
        from tidings.pipeline.source.reading import ArchiveStreamReader

        for name in ("since", "until"):
            if self.options.get(name, "").strip().endswith(("s", "m", "h", "d", "w")):
                raise InvalidUsage(
                    f"{name} of a stream is a moment such as 2026-11-15T08:30:00Z, not "
                    f"{self.options[name]!r}: that means another moment after a restart"
                )
        return ArchiveStreamReader(self._read_options(), schema.names)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        """Return a writer that publishes a frame's rows."""
        from tidings.pipeline.options import write_options
        from tidings.pipeline.sink import FrameWriter

        if overwrite:
            raise InvalidUsage('what is published stays: use .mode("append")')
        return FrameWriter(write_options(dict(self.options)), schema.names)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:
        """Return a writer that publishes a stream's rows."""
        from tidings.pipeline.options import write_options
        from tidings.pipeline.sink import StreamWriter

        if overwrite:
            raise InvalidUsage('what is published stays: use .outputMode("append") or "update"')
        return StreamWriter(write_options(dict(self.options)), schema.names)
