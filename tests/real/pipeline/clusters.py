"""A real standalone cluster on this machine: master, worker, and an interpreter without Tidings."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pyspark

from tidings.java import find_java

PATIENCE = 120.0
# What whoever has pyspark with its parts has; Tidings and msgspec are not among it.
PRESENT = (
    *("pyspark", "py4j", "pyarrow", "pyarrow.libs", "pandas", "pandas.libs", "numpy"),
    *("numpy.libs", "dateutil", "pytz", "tzdata", "six.py"),
)


def bare_interpreter(folder: Path) -> str:
    """An environment of its own with pyspark and its parts only; its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    for name in PRESENT:
        found = Path(pyspark.__file__).parent.parent / name
        if found.exists():
            (packages / name).symlink_to(found)
    return str(folder / "bin" / "python")


class Cluster:
    """A running cluster.

    Attributes:
        url: Its master.
        python: The interpreter of its executors.
        folder: Where it was started.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = bare_interpreter(folder / "interpreter")
        self.url = ""
        self._processes: list[subprocess.Popen[bytes]] = []
        self._home = Path(pyspark.__file__).parent

    def start(self) -> None:
        """Starts master and worker and waits until they know each other."""
        master = ("org.apache.spark.deploy.master.Master", "--port", "0", "--webui-port", "0")
        log = self._run("master", *master, "--host", "127.0.0.1")
        self.url = self._told(log, r"Starting Spark master at (spark://\S+)")
        worker = ("org.apache.spark.deploy.worker.Worker", "--webui-port", "0", "--cores", "2")
        sizes = ("--memory", "2g", "--work-dir", str(self.folder / "work"))
        log = self._run("worker", *worker, *sizes, "--host", "127.0.0.1", self.url)
        self._told(log, r"(Successfully registered) with master")

    def _run(self, name: str, *command: str) -> Path:
        """Starts a class of Spark's in an empty folder with an empty environment."""
        empty = self.folder / name
        empty.mkdir()
        log = self.folder / f"{name}.log"
        environment = {
            "PATH": os.defpath,
            "JAVA_HOME": str(find_java().home),
            "JDK_JAVA_OPTIONS": os.environ["JDK_JAVA_OPTIONS"],
            "SPARK_NO_DAEMONIZE": "1",
        }
        with log.open("wb") as told:
            self._processes.append(self._started(empty, environment, told, *command))
        return log

    def _started(
        self, folder: Path, environment: dict[str, str], told: IO[bytes], *command: str
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [self._home / "bin" / "spark-class", *command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=told,
            stderr=told,
        )

    def _told(self, log: Path, words: str) -> str:
        until = time.monotonic() + PATIENCE
        while True:
            text = log.read_text()
            found = re.search(words, text)
            if found:
                return found[1]
            assert self._processes[-1].poll() is None, text
            assert time.monotonic() < until, text
            time.sleep(0.05)

    def stop(self) -> None:
        """Ends what was started, the worker first: it ends its executors."""
        for process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextlib.contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """A cluster that is gone afterwards."""
    cluster = Cluster(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
