"""A driver of a lake to kill: ``python -m tests.real.pipeline.lake_driver A L [STEP]``.

With a step it kills itself there, counted over all changes of the lake's files; it then leaves no
chance to clean up, as a power cut of the process.
"""

from __future__ import annotations

import os
import signal
import sys

from tidings.pipeline.lake import LakeOptions, run_lake
from tidings.pipeline.lake.tree import LakeTree
from tidings.pipeline.session import SparkOptions, close_session, open_session

SMALL = {"spark.sql.shuffle.partitions": "1", "spark.ui.enabled": "false"}
CHANGES = ("write", "rename", "remove")


def die_at(step: int) -> None:
    """Kills this process at a change of the lake's files, half of the times after it is made."""
    made = 0

    def dying(name: str) -> None:
        change = getattr(LakeTree, name)

        def changed(self: LakeTree, *arguments: str) -> None:
            nonlocal made
            made += 1
            if made == step and step % 2:
                os.kill(os.getpid(), signal.SIGKILL)
            change(self, *arguments)
            if made == step:
                os.kill(os.getpid(), signal.SIGKILL)

        setattr(LakeTree, name, changed)

    for name in CHANGES:
        dying(name)


def main(archive: str, lake: str, step: str = "0") -> None:
    """Runs once, with one seal in a batch."""
    spark = open_session(SparkOptions("local[1]", memory="512m", conf=SMALL), "lake-driver")
    spark.sparkContext.setLogLevel("OFF")
    if int(step):
        die_at(int(step))
    run_lake(spark, LakeOptions(archive, lake, max_rows_per_batch=1))
    close_session(spark)


if __name__ == "__main__":
    main(*sys.argv[1:])
