"""Failures of Spark in our words: no room is told apart, the rest keeps its first line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from tidings.errors import DiskFull, PipelineFailed, TidingsError

_NO_ROOM: Final = ("No space left on device", "Disk quota exceeded", "ENOSPC", "EDQUOT")
_LINE: Final = 300


def failure_of(error: Exception, what: str) -> TidingsError:
    """Our error for one of Spark's.

    Args:
        error: What Spark raised.
        what: What could not be done.
    """
    text = str(error)
    if any(sign in text for sign in _NO_ROOM):
        return DiskFull(f"{what}: no room on the disk; the lake is unharmed")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # The first line of Py4J says where a call was made, the next what is wrong.
    told = next((line for line in lines if not line.startswith("An error occurred")), "no reason")
    return PipelineFailed(f"{what}: {told.removeprefix(': ')[:_LINE]}")


@contextmanager
def failing(what: str) -> Iterator[None]:
    """Turns failures of Spark into ours.

    Raises:
        DiskFull: There is no room on a disk.
        PipelineFailed: Anything else that Spark could not do.
    """
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise failure_of(error, what) from error
