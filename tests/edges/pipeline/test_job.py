"""A job: what it needs is looked for before it, and what Spark raises is told in one line."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tidings.errors import DiskFull, InvalidUsage, JavaNotFound, PipelineFailed
from tidings.java import Java, find_java, java_version
from tidings.pipeline.session import SparkOptions, job
from tidings.pipeline.session.job import check_options, spark_job
from tidings.pipeline.session.shipping import check_interpreter, needed_distributions


def test_options_that_make_no_sense() -> None:
    for master in ("", "nonsense", "local[", "localhost", "spark://", "spark://h"):
        with pytest.raises(InvalidUsage, match=r"is no master|should be spark://host:port"):
            check_options(SparkOptions(master))
    for memory in ("", "lots", "2", "0g", "-1g", "1.5g"):
        with pytest.raises(InvalidUsage, match="is no amount of memory"):
            check_options(SparkOptions(memory=memory))


def test_a_cluster_that_is_away_is_told_at_once() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        port = listening.getsockname()[1]
        check_options(SparkOptions(f"spark://127.0.0.1:1,127.0.0.1:{port}"))
    with pytest.raises(PipelineFailed, match=f"nobody answers at spark://127.0.0.1:{port}"):
        check_options(SparkOptions(f"spark://127.0.0.1:{port}"))


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


def java(home: Path, version: str, words: str = "openjdk") -> Path:
    """A program that tells a version as Java does."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{words} version \"{version}\" 2025-04-15' >&2\n")
    program.chmod(0o755)
    return home


def environ(home: Path) -> dict[str, str]:
    return {"PATH": "/nowhere", "JAVA_HOME": str(home)}


def test_one_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    old = java(tmp_path / "old", "1.8.0_402")
    new = java(tmp_path / "jvm" / "new", "25-ea")
    java(tmp_path / "jvm" / "broken", "no number")
    assert find_java(environ(old), (f"{tmp_path}/jvm/*",)) == Java(new, "25-ea")
    features = [Java(Path(), version).feature for version in ("17.0.15", "1.8.0_402", "25-ea")]
    assert features == [17, 8, 25]


def test_what_to_install_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(JavaNotFound, match="openjdk-17-jre-headless") as told:
        find_java(environ(tmp_path / "nothing"), ())
    assert "\n" not in str(told.value)
    old = java(tmp_path / "old", "11.0.2")
    with pytest.raises(JavaNotFound, match=r"there is 11\.0\.2 at "):
        find_java(environ(old), ())


def test_a_program_that_does_not_start_has_no_version(tmp_path: Path) -> None:
    assert java_version(tmp_path / "java") is None
    (tmp_path / "java").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "java").chmod(0o755)
    assert java_version(tmp_path / "java") is None


def test_what_executors_need(tmp_path: Path) -> None:
    with pytest.raises(PipelineFailed, match="no-such-thing, which executors need"):
        needed_distributions(["no-such-thing"])
    check_interpreter(sys.executable)
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\necho cpython-27; echo amiga\n")
    other.chmod(0o755)
    with pytest.raises(PipelineFailed, match="is cpython-27 on amiga, and the package is sent as"):
        check_interpreter(str(other))
    with pytest.raises(PipelineFailed, match="cannot be started"):
        check_interpreter(str(tmp_path / "none"))
