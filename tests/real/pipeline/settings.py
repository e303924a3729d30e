"""Settings of Spark for a few hundred rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tidings.pipeline.session import SparkOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SMALL = {
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.ui.enabled": "false",
    "spark.sql.streaming.pollingDelay": "20ms",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
# Compiling a query, or planning it again, costs more than running it over so few rows. On the
# cluster Spark does both.
INTERPRETED = {
    **SMALL,
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
LOCAL = SparkOptions("local[2]", memory="1g", conf=INTERPRETED)


@contextmanager
def compiling(spark: SparkSession, *, on: bool = True) -> Iterator[None]:
    """Expressions compiled as Spark usually does, and not interpreted, if on."""
    usual = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
    before = {name: spark.conf.get(name) or value for name, value in usual.items()}
    for name, value in usual.items() if on else ():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)
