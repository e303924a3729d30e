"""Spark for the tests: one small local session, and one real cluster, each started once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyspark
import pytest

from tests.archive_worlds import World, make_world
from tests.real.pipeline.clusters import Cluster, running_cluster
from tests.real.pipeline.settings import LOCAL, SMALL
from tidings.java import find_java
from tidings.pipeline.audit import run_audit
from tidings.pipeline.audit.result import AuditOptions, AuditResult
from tidings.pipeline.session import SparkOptions, close_session, open_session
from tidings.stores.archive.archiver import ArchiveOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Sessions:
    """The one session a process can have: opened when it is asked for, kept while it is."""

    def __init__(self, record: Callable[[str, str], None]) -> None:
        self._record = record
        self._options: SparkOptions | None = None
        self._open: SparkSession | None = None

    def get(self, options: SparkOptions) -> SparkSession:
        """The session with these options; another one is closed for it."""
        if self._open is None or options != self._options:
            self.close()
            self._open = open_session(options, "tidings-tests")
            self._options = options
            self._open.sparkContext.setLogLevel("ERROR")
            self._record("Spark", self._open.version)
            self._record("Java", find_java().version)
        return self._open

    def close(self) -> None:
        """Leaves nothing behind."""
        if self._open is not None:
            close_session(self._open)
            self._open = None


SESSIONS = pytest.StashKey[Sessions]()


@pytest.fixture(scope="session")
def sessions(
    record_real_part: Callable[[str, str], None], pytestconfig: pytest.Config
) -> Iterator[Sessions]:
    made = Sessions(record_real_part)
    pytestconfig.stash[SESSIONS] = made
    yield made
    made.close()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Gives Java's memory back as soon as the process goes on with tests of other folders."""
    here = Path(__file__).parent
    if nextitem is None or not nextitem.path.is_relative_to(here):
        made = item.config.stash.get(SESSIONS, None)
        if made is not None:
            made.close()


@pytest.fixture(scope="module")
def spark(sessions: Sessions) -> SparkSession:
    """A local session with two threads; all modules of one process share it."""
    return sessions.get(LOCAL)


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A world in which everything happens, a restart included; no test changes its archive."""
    options = ArchiveOptions(seal_rows=600)
    return asyncio.run(make_world(tmp_path_factory.mktemp("world"), 260, options=options))


class Audited(NamedTuple):
    """What an audit says, and the shares of it that it reported as done."""

    result: AuditResult
    shares: list[float]


@pytest.fixture(scope="session")
def audited_world(sessions: Sessions, world: World) -> Audited:
    """The audit of the world."""
    shares: list[float] = []
    spark, options = sessions.get(LOCAL), AuditOptions(str(world.archive))
    return Audited(run_audit(spark, options, lambda _, done: shares.append(done)), shares)


@pytest.fixture(scope="session")
def cluster(
    tmp_path_factory: pytest.TempPathFactory, record_real_part: Callable[[str, str], None]
) -> Iterator[Cluster]:
    """A standalone cluster whose interpreter has pyspark and its parts, and not Tidings."""
    with running_cluster(tmp_path_factory.mktemp("cluster")) as found:
        record_real_part("Spark standalone cluster", pyspark.__version__)
        yield found


@pytest.fixture(scope="module")
def cluster_spark(sessions: Sessions, cluster: Cluster) -> SparkSession:
    """A session on the cluster, with two executors of one core each.

    One module uses it, and not `spark`: a process has one session at a time.
    """
    executors = {
        **SMALL,
        "spark.executor.cores": "1",
        "spark.cores.max": "2",
        "spark.scheduler.barrier.maxConcurrentTasksCheck.interval": "1s",
    }
    return sessions.get(
        SparkOptions(cluster.url, python=cluster.python, memory="700m", conf=executors)
    )
