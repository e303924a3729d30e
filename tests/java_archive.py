"""Spark's classes as Java has loaded and checked them once, for all sessions of the tests.

``python -m tests.java_archive`` makes the archive in the user's cache, unless it is there. With it
a session takes 7 s of processor time from start to end instead of 12; making it takes 35 s. Without
it, or where it does not fit, Java loads its classes as ever.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

# Every Java that a test starts lives for a minute: thorough compilation never pays for itself.
SHORT_LIVED_JAVA: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# What it says of an archive that does not fit would stand among what a program prints.
_QUIET: Final = "-Xlog:disable -Xlog:all=error:stderr"
_PATIENCE: Final = 600.0


def spark_options() -> str:
    """What Spark's Java is started with, where the archive is there."""
    place = _place()
    return f"-XX:SharedArchiveFile={place} {_QUIET}" if place is not None and place.exists() else ""


def _place() -> Path | None:
    """Where it is, for this Java and this Spark; None without a Java."""
    java = shutil.which("java")
    if java is None:
        return None
    program = Path(java).resolve()
    file = program.stat()
    told = (file.st_size, file.st_mtime_ns, sys.prefix, version("pyspark"), SHORT_LIVED_JAVA)
    digest = hashlib.sha256(repr((program, told)).encode()).hexdigest()[:20]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tidings" / "built"
    return cache / f"spark-{digest}.jsa"


def _make(place: Path) -> None:
    from pyspark import SparkContext

    from tidings.pipeline.session import SparkOptions, close_session, open_session

    place.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=place.parent) as folder:
        made = Path(folder) / place.name
        os.environ["JDK_JAVA_OPTIONS"] = SHORT_LIVED_JAVA
        os.environ["SPARK_SUBMIT_OPTS"] = f"-XX:ArchiveClassesAtExit={made} {_QUIET}"
        spark = open_session(SparkOptions("local[1]", memory="1g"), "tidings-archive")
        spark.sparkContext.setLogLevel("OFF")
        rows = spark.createDataFrame(
            [(1, "a", {"b": 0.5})], "n long, t string, m map<string,double>"
        )
        rows.write.parquet(f"{folder}/rows")
        found = spark.read.parquet(f"{folder}/rows")
        found.join(rows, "n").groupBy("n").agg({"n": "sum"}).orderBy("n").collect()
        java: Any = SparkContext._gateway
        spark.stop()
        java.shutdown()
        java.proc.stdin.close()
        java.proc.wait(_PATIENCE)  # it writes the archive when it ends
        close_session(spark)
        if made.exists():
            made.rename(place)


if __name__ == "__main__":
    wanted = _place()
    if wanted is not None and not wanted.exists():
        _make(wanted)
