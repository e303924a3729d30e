"""A driver to be killed: streams of an archive published into two channels, up to its end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pyspark.errors import StreamingQueryException

from tests.real.pipeline.settings import LOCAL
from tidings.pipeline.session import close_session, open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# On a busy machine Python may start too slowly for Spark, which waits ten seconds.
TOO_SLOW = "failed to connect back"
TRIES = 10


def publish(spark: SparkSession, archive: str, checkpoints: str, url: str) -> None:
    """Publishes rows by their key, and, shuffled, by their content."""
    for tries_left in reversed(range(TRIES)):
        try:
            _publish(spark, archive, checkpoints, url)
            break
        except StreamingQueryException as error:
            if TOO_SLOW not in str(error) or not tries_left:
                raise


def _publish(spark: SparkSession, archive: str, checkpoints: str, url: str) -> None:
    rows = spark.readStream.format("tidings").option("maxRowsPerTrigger", "70").load(archive)
    shuffled = rows.repartition(2, "name").select("raw")
    queries = [
        frame.writeStream.format("tidings")
        .options(url=url, channel=channel, batchSize="10")
        .option("checkpointLocation", f"{checkpoints}/{channel}")
        .trigger(availableNow=True)
        .start()
        for channel, frame in (("by-key", rows), ("by-content", shuffled))
    ]
    try:
        for query in queries:
            query.awaitTermination()
    finally:
        for query in queries:
            query.stop()


if __name__ == "__main__":
    session = open_session(LOCAL, "killed")
    publish(session, *sys.argv[1:])
    close_session(session)
