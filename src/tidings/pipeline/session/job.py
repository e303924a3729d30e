"""A session for one job: missing requirements are reported at once, and Spark's log is hidden."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from types import FrameType
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from tidings.errors import DiskFull, InvalidUsage, MissingExtra, PipelineFailed, TidingsError
from tidings.java import find_java
from tidings.pipeline.session import (
    SparkOptions,
    close_session,
    java_ended,
    open_session,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NEEDED: Final = ("pyspark", "pyarrow", "pandas")
_MASTER: Final = re.compile(r"local(\[[^\]]+\])?|local-cluster\[.+\]|yarn|[a-z0-9+.-]+://.+")
_MEMORY: Final = re.compile(r"[1-9][0-9]*[kmgt]b?", re.IGNORECASE | re.ASCII)
_STANDALONE: Final = "spark://"
_SECONDS: Final = 5.0
# Loggers of PySpark that repeat what an exception says.
_ECHOES: Final = ("py4j", "SQLQueryContextLogger", "DataFrameQueryContextLogger")
_MOST_SAID: Final = 600
_TELLING: Final = re.compile(r"error|invalid|could not", re.IGNORECASE)
_NO_ROOM: Final = ("No space left on device", "Disk quota exceeded", "ENOSPC", "EDQUOT")
_NO_MEMORY: Final = "java.lang.OutOfMemoryError"


def require_spark() -> None:
    """Check that everything a job needs is installed, before any work."""
    for name in _NEEDED:
        if find_spec(name) is None:
            raise MissingExtra(f"{name}, which the data pipeline needs,", "spark")
    find_java()


def check_options(options: SparkOptions) -> None:
    """Validate options before Spark starts, which takes a while."""
    if not _MASTER.fullmatch(options.master):
        raise InvalidUsage(
            f"{options.master!r} is no master of Spark's; there are local[*] and local[4] for this "
            "machine, spark://host:7077 for a cluster, and others such as yarn or k8s://…"
        )
    if not _MEMORY.fullmatch(options.memory):
        raise InvalidUsage(f"{options.memory!r} is no amount of memory; write 512m or 4g")
    if not options.master.startswith(_STANDALONE):
        return
    master, why = options.master, ""
    for address in master.removeprefix(_STANDALONE).split(","):
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal():
            raise InvalidUsage(f"{master!r} should be spark://host:port, such as spark://head:7077")
        try:
            socket.create_connection((host.strip("[]"), int(port)), _SECONDS).close()
        except (OSError, OverflowError) as error:
            why = str(error)
        else:
            return
    raise PipelineFailed(f"nobody answers at {master}: {why}")


@contextmanager
def spark_job(
    options: SparkOptions, app: str = "tidings", *, verbose: bool = False
) -> Iterator[SparkSession]:
    """Provide a session for one job and close it afterwards; convert Spark's errors to ours.

    With `verbose`, Spark's own log goes to standard error.
    """
    require_spark()
    check_options(options)
    with tempfile.TemporaryFile() as log:
        try:
            with _quiet(log, verbose), spark_failures("Spark does not start"):
                session = open_session(options, app)
        except PipelineFailed as error:
            raise PipelineFailed(f"{error}{_last_words(log)}") from error
        if not verbose:
            session.sparkContext.setLogLevel("ERROR")
        try:
            with spark_failures("Spark could not do it"):
                yield session
        finally:
            with _quiet(log, verbose), suppress(Exception):
                close_session(session)


@contextmanager
def _quiet(log: BinaryIO, verbose: bool) -> Iterator[None]:
    """Redirect standard error, also of Java if it is started meanwhile, to a file."""
    if verbose:
        yield
        return
    for name in _ECHOES:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    sys.stderr.flush()
    kept = os.dup(2)
    os.dup2(log.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


def _last_words(log: BinaryIO) -> str:
    """Return what Java wrote before it ended; empty if nothing relevant."""
    log.seek(0)
    lines = log.read(100_000).decode(errors="replace").splitlines()
    said = (line.strip() for line in lines if _TELLING.search(line))
    first = next(said, "")
    return f": {first[:_MOST_SAID]}" if first else ""


@contextmanager
def spark_failures(what: str, more: str = "") -> Iterator[None]:
    """Convert errors of Spark to ours; `what` says what failed, `more` is appended."""
    try:
        yield
    except Exception as error:
        module = type(error).__module__.partition(".")[0]
        if module in {"pyspark", "py4j"} or isinstance(error, ConnectionError):
            kind, why = _failure(error)
            raise kind(f"{what}: {why}{more}") from error
        raise


def _failure(error: Exception) -> tuple[type[TidingsError], str]:
    """Return the kind of our error for one of Spark's, and the reason."""
    status = java_ended()
    if status is not None:
        how = f"status {status}"
        if status == -signal.SIGKILL:
            how = "killed; if the machine ran out of memory, --memory gives Java less"
        return PipelineFailed, f"the Java process of Spark's ended, {how}"
    text = _words(error)
    if any(sign in str(error) for sign in _NO_ROOM):
        return DiskFull, f"no space is left on the device ({text})"
    if _NO_MEMORY in str(error):
        return PipelineFailed, f"too little memory; --memory gives Java more ({text})"
    return PipelineFailed, text


def _words(error: Exception) -> str:
    """Return the first line of Spark's message, without the code location."""
    java: Any = getattr(error, "java_exception", None)
    text = ""
    if java is not None:
        with suppress(Exception):  # the JVM may be gone
            text = f"{java.getClass().getSimpleName()}: {java.getMessage()}"
    text = text or str(error) or type(error).__name__
    # Py4J's first line says where a call was made, the next what is wrong.
    lines = text.strip().splitlines()
    line = next((one for one in lines if not one.startswith("An error occurred")), lines[0])
    return line.removeprefix(": ")[:_MOST_SAID]


@contextmanager
def stopped_by_signals(stopping: threading.Event) -> Iterator[None]:
    """Let SIGINT and SIGTERM stop a run after its current batch."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    before = {one: signal.signal(one, stop) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
