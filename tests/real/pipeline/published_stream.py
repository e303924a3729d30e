"""A driver to be killed: streams of an archive published into two channels, up to its end."""

from __future__ import annotations

import sys

from tidings.pipeline.session import SparkOptions, close_session, open_session

CONF = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.pollingDelay": "20ms",
}


def main(archive: str, checkpoints: str, url: str) -> None:
    """Publishes rows by their key, and, shuffled, by their content."""
    spark = open_session(SparkOptions("local[2]", memory="700m", conf=CONF), "killed")
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
    for query in queries:
        query.awaitTermination()
    close_session(spark)


if __name__ == "__main__":
    main(*sys.argv[1:])
