"""A Spark session that knows Tidings: Java found, package shipped, data source registered."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import tidings
from tidings.errors import MissingExtra, PipelineFailed
from tidings.pipeline.session.java import find_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What the pipeline counts on, wherever it runs; `SparkOptions.conf` has the last word.
_ALWAYS: Final = MappingProxyType(
    {
        # Times are microseconds since 1970 everywhere; where one is shown, it is shown in UTC.
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # One bar on a terminal is the command's own.
        "spark.ui.showConsoleProgress": "false",
    }
)
_SECONDS_TO_END: Final = 60.0
# A session on one machine talks to itself only.
_LOCAL: Final = MappingProxyType(
    {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
)


@dataclass(frozen=True, slots=True)
class SparkOptions:
    """Where and how Spark runs.

    Attributes:
        master: ``local[*]`` for this machine, ``spark://host:7077`` for a standalone cluster.
        python: The interpreter of the executors; the running one if None.
        memory: Of the driver, and of each executor.
        conf: Any settings of Spark's, which win over ours.
    """

    master: str = "local[*]"
    python: str | None = None
    memory: str = "2g"
    conf: Mapping[str, str] = field(default_factory=dict)


def is_local(master: str) -> bool:
    """Whether a master means threads of the driver, which see what the driver sees."""
    return re.fullmatch(r"local(\[[^\]]*\])?", master) is not None


def open_session(options: SparkOptions | None = None, app: str = "tidings") -> SparkSession:
    """Start Spark, or joins the session that this process has already.

    The data source ``tidings`` is registered. Unless the master is local, the package and what
    it needs are shipped to the executors, whose interpreter needs only pyspark and its parts.

    Args:
        options: Where and how; on this machine if None.
        app: What Spark calls it.

    Raises:
        JavaNotFound: There is no Java that fits; the message says what to install.
        MissingExtra: pyspark is not installed.
        PipelineFailed: Spark did not start.
    """
    given = options or SparkOptions()
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise MissingExtra("pyspark, which the data pipeline needs,", "spark") from error
    running = SparkSession.getActiveSession()
    if running is None:
        _prepare_environment(given)
    builder = SparkSession.builder.appName(app).master(given.master)
    for name, value in _settings(given).items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except (PySparkException, OSError, RuntimeError) as error:
        raise PipelineFailed(f"Spark does not start with the master {given.master}: {error}") from (
            error
        )
    _register(session)
    return session


def close_session(session: SparkSession) -> None:
    """Stop Spark and its JVM; the process can open another session afterwards, of any kind.

    A JVM that is gone already (killed, or out of memory) has nothing to be stopped.
    """
    from pyspark import SparkContext

    gateway: Any = SparkContext._gateway
    if java_ended() is not None:
        _forget(session)
    else:
        session.stop()
    SparkContext._gateway = None
    SparkContext._jvm = None
    if gateway is not None:
        gateway.shutdown()
        process = getattr(gateway, "proc", None)  # none if somebody else started the JVM
        if process is not None:
            process.stdin.close()  # which is what the JVM waits for
            try:
                process.wait(_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def java_ended() -> int | None:
    """How the JVM of this process's session ended: an exit status, or minus a signal.

    Returns:
        None if there is none, it is running, or somebody else started it.
    """
    from pyspark import SparkContext

    process: Any = getattr(SparkContext._gateway, "proc", None)
    status: int | None = None if process is None else process.poll()
    return status


def _forget(session: SparkSession) -> None:
    """What `session.stop` does on this side, without a word to the other, which is gone."""
    from pyspark.sql import SparkSession

    context: Any = session.sparkContext
    context._jsc = None
    context.stop()
    SparkSession._instantiatedSession = None
    SparkSession._activeSession = None


def _register(session: SparkSession) -> None:
    from tidings.pipeline.source import TidingsSource

    session.dataSource.register(TidingsSource)


def _prepare_environment(options: SparkOptions) -> None:
    """What the JVM hands down to the Python processes it starts; it must be there before it."""
    os.environ["JAVA_HOME"] = str(find_java().home)
    os.environ["PYSPARK_PYTHON"] = options.python or sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    # The process that plans a stream is started by the JVM and never sees what a session ships.
    _put_first(_package_folder(options))


def _package_folder(options: SparkOptions) -> Path:
    """The folder from which the driver's own Python processes import the package."""
    if is_local(options.master) and options.python is None:
        return Path(tidings.__file__).parent.parent
    from tidings.pipeline.session.shipping import check_interpreter, shipment

    if options.python is not None:
        check_interpreter(options.python)
    return shipment().folder


def _put_first(folder: Path) -> None:
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    others = [entry for entry in path if entry and entry != str(folder)]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *others])


def _settings(options: SparkOptions) -> dict[str, str]:
    made = {
        **_ALWAYS,
        "spark.driver.memory": options.memory,
        "spark.executor.memory": options.memory,
    }
    if is_local(options.master):
        made |= _LOCAL
    else:
        from tidings.pipeline.session.shipping import shipment, shipping_settings

        return made | dict(options.conf) | shipping_settings(shipment(), options.conf)
    return made | dict(options.conf)
