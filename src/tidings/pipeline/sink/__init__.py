"""Publish rows as events, exactly once: the writers of the data source ``tidings``.

A channel accepts each number of a producer once, however often it is sent. Exactly-once therefore
depends on marks: a row must get the same mark whenever it is sent again.

- Rows with a key (the option ``key``, or the columns ``origin`` and ``seq`` of archived events)
  get the same mark whichever task sends them, and keep their order within a partition. Another run
  with the same ``producer`` does not publish them twice, either.
- Rows with the columns ``producer`` and ``number`` get exactly these marks.
- Other rows are numbered by their position in their partition, sorted by content. A retried task or
  batch, also after a restart from a checkpoint, gets the same numbers as long as the rows are
  partitioned as before. They are sent in that order, and held in memory for it.

Events published by a task that fails half-way stay published; the next attempt continues from
there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)

from tidings.names import new_origin
from tidings.pipeline.options import SinkOptions, check_columns
from tidings.pipeline.sink.marks import Attempt, key_columns, marked_rows
from tidings.pipeline.sink.publishing import Published, publish_rows

_LOG = logging.getLogger(__name__)
# Set by Spark for the tasks of a stream.
_QUERY_ID = "sql.streaming.queryId"
_BATCH_ID = "streaming.sql.batchId"


class _Publishes:
    def __init__(self, options: SinkOptions, columns: Sequence[str]) -> None:
        check_columns(options, columns)
        self._options = options
        self._key = key_columns(options, columns)

    def _name(self, run: str) -> str:
        """Return the producer name prefix: unique to this run unless producer and key are set."""
        named = self._options.producer
        if not named:
            return run
        return named if self._key else f"{named}/{run}"

    def _published(self, rows: Iterator[pa.RecordBatch], attempt: Attempt) -> Published:
        return asyncio.run(publish_rows(self._options, marked_rows(rows, self._key, attempt)))

    def _tell(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        parts = [part for part in messages if isinstance(part, Published)]
        refused = sum(part.refused for part in parts)
        if refused:
            reasons = [reason for part in parts for reason in part.reasons]
            _LOG.warning(
                "%d rows were refused by the channel %s and left out: %s",
                refused,
                self._options.channel,
                "; ".join(reasons[:3]),
            )


class FrameWriter(_Publishes, DataSourceArrowWriter):
    """Publishes a frame."""

    def __init__(self, options: SinkOptions, columns: Sequence[str]) -> None:
        super().__init__(options, columns)
        # Created on the driver: the same for all tasks and attempts, but unique to this write.
        self._run = new_origin()

    # Spark's own class differs from its base in the same way.
    def write(self, iterator: Iterator[pa.RecordBatch]) -> Published:  # type: ignore[override]
        """Publish one partition."""
        name = self._name(self._run)
        return self._published(iterator, Attempt(name, _context().partitionId(), 0))

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Warn about refused rows, once all others are published."""
        self._tell(messages)


class StreamWriter(_Publishes, DataSourceStreamArrowWriter):
    """Publishes the batches of a stream."""

    # Spark's own class differs from its base in the same way.
    def write(self, iterator: Iterator[pa.RecordBatch]) -> Published:  # type: ignore[override]
        """Publish one partition of one batch."""
        context = _context()
        query = context.getLocalProperty(_QUERY_ID)
        batch = context.getLocalProperty(_BATCH_ID)
        assert query is not None  # Spark sets both for every task of a stream
        assert batch is not None
        # The query's id belongs to its checkpoint: it changes where batches are numbered anew.
        attempt = Attempt(self._name(query), context.partitionId(), int(batch))
        return self._published(iterator, attempt)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:
        """Warn about refused rows, once the rest of the batch is published."""
        self._tell(messages)


def _context() -> TaskContext:
    context = TaskContext.get()
    assert context is not None  # Spark calls write in tasks only
    return context
