"""Spark sessions for Tidings: start Spark, ship the package, register the data source."""

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
from tidings.java import find_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The pipeline relies on these everywhere; `SparkOptions.conf` overrides them.
_ALWAYS: Final = MappingProxyType(
    {
        # Times are microseconds since 1970; where Spark displays one, it is in UTC.
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # The command shows its own progress bar.
        "spark.ui.showConsoleProgress": "false",
    }
)
_SECONDS_TO_END: Final = 60.0
# A local session listens on the loopback interface only.
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
        python: Interpreter of the executors; the running one if None.
        memory: Memory of the driver, and of each executor.
        conf: Spark settings, which override ours.
    """

    master: str = "local[*]"
    python: str | None = None
    memory: str = "2g"
    conf: Mapping[str, str] = field(default_factory=dict)


def is_local(master: str) -> bool:
    """Whether executors are threads of the driver and see the same files."""
    return re.fullmatch(r"local(\[[^\]]*\])?", master) is not None


def open_session(options: SparkOptions | None = None, app: str = "tidings") -> SparkSession:
    """Start Spark, by default on this machine, or join the session that this process already has.

    Registers the data source ``tidings``. Unless the master is local, ships the package and its
    dependencies to the executors, whose interpreter needs only pyspark with pyarrow and pandas.
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
        told = f"Spark does not start with the master {given.master}: {error}"
        raise PipelineFailed(told) from error
    from tidings.pipeline.source import TidingsSource

    session.dataSource.register(TidingsSource)
    return session


def close_session(session: SparkSession) -> None:
    """Stop Spark and its JVM; the process can open another session afterwards.

    A JVM that has already ended (killed, or out of memory) is not an error.
    """
    from pyspark import SparkContext

    gateway: Any = SparkContext._gateway
    if java_ended() is None:
        session.stop()
    else:  # do the Python part, without calling the JVM
        context: Any = session.sparkContext
        context._jsc = None
        context.stop()
        type(session)._instantiatedSession = None
        type(session)._activeSession = None
    SparkContext._gateway = None
    SparkContext._jvm = None
    if gateway is not None:
        gateway.shutdown()
        process = getattr(gateway, "proc", None)  # None if another process started the JVM
        if process is not None:
            process.stdin.close()  # the JVM exits when its input ends
            try:
                process.wait(_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def java_ended() -> int | None:
    """Return the JVM's exit status (negative for a signal); None if running or not started here."""
    from pyspark import SparkContext

    process: Any = getattr(SparkContext._gateway, "proc", None)
    status: int | None = None if process is None else process.poll()
    return status


def _prepare_environment(options: SparkOptions) -> None:
    """Set what the JVM passes on to its Python processes; must run before the JVM starts."""
    os.environ["JAVA_HOME"] = str(find_java().home)
    os.environ["PYSPARK_PYTHON"] = options.python or sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    # The JVM starts the process that plans a stream, which does not see what a session ships.
    folder = str(_package_folder(options))
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    others = [entry for entry in path if entry and entry != folder]
    os.environ["PYTHONPATH"] = os.pathsep.join([folder, *others])


def _package_folder(options: SparkOptions) -> Path:
    """Return the folder from which the driver's own Python processes import the package."""
    if is_local(options.master) and options.python is None:
        return Path(tidings.__file__).parent.parent
    from tidings.pipeline.session.shipping import check_interpreter, shipment

    if options.python is not None:
        check_interpreter(options.python)
    return shipment().folder


def _settings(options: SparkOptions) -> dict[str, str]:
    memory = dict.fromkeys(("spark.driver.memory", "spark.executor.memory"), options.memory)
    if is_local(options.master):
        return {**_ALWAYS, **memory, **_LOCAL, **options.conf}
    from tidings.pipeline.session.shipping import shipment, shipping_settings

    shipped = shipping_settings(shipment(), options.conf)
    return {**_ALWAYS, **memory, **options.conf, **shipped}
