"""Write the tables of one batch to its staging folder."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from math import ceil
from typing import Final, NamedTuple

from pyspark.sql import DataFrame

from tidings.errors import PipelineFailed
from tidings.pipeline.lake.log import StagedFile
from tidings.pipeline.lake.tree import LakeTree
from tidings.pipeline.lake.types import PARTITION
from tidings.pipeline.session.job import spark_failures

ROWS_PER_FILE: Final = 1_000_000
# Small jobs spend their time on planning and commits; running a few in parallel hides it.
_AT_ONCE: Final = 4


class Table(NamedTuple):
    """Rows for a table."""

    name: str  # such as `events` or `types/Traffic/Speed`
    df: DataFrame  # with the column `date` last
    rows: int | None  # expected number of rows; None if unknown


def staged_tables(
    tree: LakeTree, staging: str, batch: int, tables: Sequence[Table]
) -> list[StagedFile]:
    """Write tables and return the staged files with their destinations."""
    with ThreadPoolExecutor(_AT_ONCE, "tidings-lake") as pool:
        made = pool.map(lambda table: _staged(tree, staging, batch, table), tables)
        return [file for files in made for file in files]


def _staged(tree: LakeTree, staging: str, batch: int, table: Table) -> list[StagedFile]:
    if table.rows == 0:
        return []
    folder = f"{staging}/{table.name}"
    df = table.df
    if table.rows is not None:
        df = df.coalesce(max(1, ceil(table.rows / ROWS_PER_FILE)))
    with failing(f"the table {table.name} could not be written"):
        df.write.partitionBy(PARTITION).option("compression", "zstd").parquet(tree.path(folder))
    written = {
        name: octets
        for name, octets in tree.files(folder).items()
        if name.endswith(".parquet") and not name.rpartition("/")[2].startswith((".", "_"))
    }
    files = []
    for k, (name, octets) in enumerate(written.items()):
        partition = name.removeprefix(f"{folder}/").rpartition("/")[0]
        path = f"{table.name}/{partition}/part-{batch:012d}-{k:05d}.parquet"
        files.append(StagedFile(name, path, table.name, tree.rows(name), octets))
    rows = sum(file.rows for file in files)
    if table.rows is not None and rows != table.rows:
        raise PipelineFailed(
            f"the table {table.name} was written with {rows} rows, and there should be "
            f"{table.rows}: the batch is not taken in"
        )
    return files


def failing(what: str) -> AbstractContextManager[None]:
    """Convert errors of Spark to ours."""
    return spark_failures(what, "; the lake is unharmed")
