"""What a job needs is looked for before it, and what Spark raises is told in one line."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tidings.errors import (
    DiskFull,
    InvalidUsage,
    JavaNotFound,
    MissingExtra,
    PipelineFailed,
)
from tidings.pipeline import job
from tidings.pipeline.job import check_options, require_spark, spark_job
from tidings.pipeline.session import SparkOptions


@pytest.mark.parametrize(
    "master",
    ["local", "local[*]", "local[4]", "local[2,3]", "local-cluster[2,1,512]", "yarn", "k8s://h:1"],
)
def test_masters_that_are_passed_on(master: str) -> None:
    check_options(SparkOptions(master))


@pytest.mark.parametrize("master", ["", "nonsense", "local[", "localhost", "spark://", "spark://h"])
def test_masters_that_are_none(master: str) -> None:
    with pytest.raises(InvalidUsage, match=r"is no master|should be spark://host:port"):
        check_options(SparkOptions(master))


@pytest.mark.parametrize("memory", ["", "lots", "2", "0g", "-1g", "1.5g"])
def test_memory_that_is_none(memory: str) -> None:
    with pytest.raises(InvalidUsage, match="is no amount of memory"):
        check_options(SparkOptions(memory=memory))


def test_a_cluster_that_is_away_is_told_at_once() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        port = listening.getsockname()[1]
        check_options(SparkOptions(f"spark://127.0.0.1:1,127.0.0.1:{port}"))
    with pytest.raises(PipelineFailed, match=f"nobody answers at spark://127.0.0.1:{port}"):
        check_options(SparkOptions(f"spark://127.0.0.1:{port}"))


def test_packages_and_java_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise JavaNotFound("no Java")

    monkeypatch.setattr(job, "find_java", none)
    with pytest.raises(JavaNotFound):
        require_spark()
    monkeypatch.setattr(job, "find_spec", lambda name: None if name == "pyarrow" else name)
    with pytest.raises(MissingExtra, match=r"pyarrow.*pip install tidings\[spark\]"):
        require_spark()


class _Session:
    """A session as far as a job needs one."""

    def __init__(self) -> None:
        self.sparkContext = self
        self.level = ""
        self.stopped = False

    def setLogLevel(self, level: str) -> None:
        self.level = level

    def stop(self) -> None:
        self.stopped = True


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Session]:
    made = _Session()
    monkeypatch.setattr(job, "require_spark", lambda: None)

    def opened(options: SparkOptions, app: str) -> Any:
        os.write(2, b"WARN: noise of Java's\n")
        return made

    monkeypatch.setattr(job, "open_session", opened)
    yield made
    assert made.stopped


class _Py4JError(Exception):
    __module__ = "py4j.protocol"


@pytest.mark.parametrize(
    ("raised", "expected", "words"),
    [
        (_Py4JError("first line\nat org.apache…"), PipelineFailed, "could not do it: first line$"),
        (_Py4JError("x: No space left on device"), DiskFull, "no space is left"),
        (_Py4JError("java.lang.OutOfMemoryError: heap"), PipelineFailed, "--memory gives Java"),
        (ConnectionRefusedError("gone"), PipelineFailed, "could not do it: gone"),
        (InvalidUsage("as it is"), InvalidUsage, "^as it is$"),
        (ZeroDivisionError("ours"), ZeroDivisionError, "ours"),
        (OSError("a file of ours"), OSError, "a file of ours"),
    ],
)
def test_what_spark_raises_is_told_in_one_line(
    session: _Session, raised: Exception, expected: type[Exception], words: str
) -> None:
    with pytest.raises(expected, match=words), spark_job(SparkOptions()):
        raise raised
    assert session.stopped


def test_the_noise_stays_away_unless_it_is_wanted(
    session: _Session, capfd: pytest.CaptureFixture[str]
) -> None:
    with spark_job(SparkOptions()) as spark:
        assert spark is session  # type: ignore[comparison-overlap]
        sys.stderr.write("ours\n")
    assert session.level == "ERROR"
    assert capfd.readouterr().err == "ours\n"
    session.level = ""
    with spark_job(SparkOptions(), verbose=True):
        pass
    assert session.level == ""
    assert "noise of Java's" in capfd.readouterr().err


def test_why_spark_did_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "require_spark", lambda: None)

    def fails(options: SparkOptions, app: str) -> Any:
        os.write(2, b"note\nInvalid maximum heap size: -Xmx9999999g\n")
        raise PipelineFailed("Spark does not start")

    monkeypatch.setattr(job, "open_session", fails)
    told = r"start: Invalid maximum heap size: -Xmx9999999g$"
    with pytest.raises(PipelineFailed, match=told), spark_job(SparkOptions()):
        pytest.fail("there is no session")
