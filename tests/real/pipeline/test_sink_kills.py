"""The driver is killed in the middle of a batch; another goes on, and every row is there once."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.real.e2e.processes import environment
from tests.real.pipeline.archives import ArchiveMaker, cars
from tests.real.pipeline.published_stream import publish
from tests.real.pipeline.services import Service, service

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_200)]

KILLS = int(os.environ.get("TIDINGS_SOAK_ROUNDS", "1"))
ROWS = 210
CHANNELS = ("by-key", "by-content")
PATIENCE = 400.0


@contextlib.contextmanager
def driver(folder: Path, url: str) -> Iterator[subprocess.Popen[bytes]]:
    """The driver, its JVM and the JVM's children in a session of their own."""
    command = [sys.executable, "-m", "tests.real.pipeline.published_stream"]
    with (folder / "driver.log").open("ab") as log:
        process = subprocess.Popen(
            [*command, str(folder / "archive"), str(folder / "checkpoints"), url],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def published(running: Service) -> int:
    return sum(len(running.events(channel)) for channel in CHANNELS)


def kill_in_a_batch(process: subprocess.Popen[bytes], running: Service, until: int) -> None:
    """Kills the driver, or the driver with its JVM, once so many more events are there."""
    given_up = time.monotonic() + PATIENCE
    while published(running) < until and process.poll() is None:
        assert time.monotonic() < given_up
        time.sleep(0.05)
    if until % 2:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def test_every_row_is_published_once(spark: SparkSession, tmp_path: Path) -> None:
    maker = ArchiveMaker(tmp_path / "archive")
    for seal in range(3):
        maker.seal(cars(ROWS // 3 * seal + 1, ROWS // 3))
    maker.close()
    chance = random.Random(5)
    with service(tmp_path / "service") as running:
        for channel in CHANNELS:
            running.channel(channel)
        for _ in range(KILLS):
            before = published(running)
            with driver(tmp_path, running.url) as process:
                kill_in_a_batch(process, running, before + chance.randint(1, ROWS // KILLS))
        interrupted = published(running)
        assert interrupted > 0, (tmp_path / "driver.log").read_text()[-5_000:]
        publish(spark, str(tmp_path / "archive"), str(tmp_path / "checkpoints"), running.url)
        once = {f"car-{seq}": 1 for seq in range(1, ROWS + 1)}
        for channel in CHANNELS:
            assert Counter(running.names(channel)) == once
        assert interrupted < 2 * ROWS
