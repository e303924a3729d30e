"""What every test run has: no silent skips, and an end that says where the time went.

Works with and without xdist: what a worker finds out travels in its test reports, and the
summary is written where all reports arrive.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import platform
import signal
from collections import Counter, defaultdict
from contextlib import nullcontext
from importlib import metadata
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

from tests.java_archive import SHORT_LIVED_JAVA, spark_options

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

# Shared machines are uneven, so time is bounded per test by pytest-timeout, not per example.
settings.register_profile(
    "full", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", parent=settings.get_profile("full"), max_examples=25)
settings.load_profile("full")

pytest_plugins = ["pytester"]  # for the tests of this very file

REAL_PART = "real_part"  # keys in a report's user properties
TABLE = "table"
SLOWEST = 10
# On CI pytest prints whole differences; the end of a run stays short enough to be read.
LINES_OF_A_FAILURE = 30
LENGTH_OF_A_LINE = 200
FAILURES_SHOWN = 10
# Seconds. A coroutine that waits so long hangs; it ends before pytest-timeout's limit, so that the
# traceback shows where it waits.
PATIENCE = 100.0
ENDING = 5.0  # seconds for tasks that end by themselves
ALWAYS_MET = (
    *("msgspec", "pyarrow", "hypothesis", "lark", "pydantic", "fastapi", "uvicorn", "websockets"),
    *("httpx2", "schemathesis"),
)

_met_in_this_process = pytest.StashKey[list[tuple[str, str]]]()


# Tests that share what takes long to start run in one process. Told by their paths: the marks of
# xdist (`xdist_group`) are no longer seen since pytest 9.2.
TOGETHER = {
    "tests/real/pipeline/test_cluster.py": "a Spark cluster",
    "tests/real/pipeline/": "a Spark session",
    "tests/real/interop/": "programs in C++",
    "tests/real/federation/test_traffic.py": "a scene of the traffic",
}
# The faults of one package are caught by tests of a few files, which each worker collects; those of
# pages share one browser, and so do their catchers without a fault.
PLANTED = "test_a_fault_is_caught["
PAGES = f"{PLANTED}web/console/"
CATCHERS = "test_without_a_fault_the_catchers_pass[tests/real/console/"
# Here each file has services of its own.
BY_FILE = ("tests/real/docs/", "tests/real/e2e/")


class Together(LoadScopeScheduling):  # type: ignore[misc]
    """Hands out tests one by one, and those that share something all at once."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        for beginning in (PAGES, CATCHERS):
            if test.startswith(beginning):
                return beginning
        if test.startswith(PLANTED):
            return test.partition("/")[0]
        shared = next((TOGETHER[path] for path in TOGETHER if file.startswith(path)), nodeid)
        return file if file.startswith(BY_FILE) else shared


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    return Together(config, log)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--forbid-skips",
        action="store_true",
        help="a test or module that is skipped or expected to fail counts as failed",
    )


def pytest_configure(config: pytest.Config) -> None:
    # Whoever starts the tests in the background may ignore Ctrl-C, and what is ignored is
    # inherited: the programs under test would ignore it, too.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("JDK_JAVA_OPTIONS", SHORT_LIVED_JAVA)
    os.environ.setdefault("SPARK_SUBMIT_OPTS", spark_options())
    config.stash[_met_in_this_process] = []
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RunSummary())


def pytest_collection_finish() -> None:
    # What is there now stays. Looked through again and again it costs a tenth of all the time.
    gc.freeze()


@pytest.fixture(scope="session")
def record_real_part(pytestconfig: pytest.Config) -> Callable[[str, str], None]:
    """Call ``record_real_part(name, version)`` where a test meets a real foreign part."""

    def record(name: str, version: str) -> None:
        pytestconfig.stash[_met_in_this_process].append((name, version))

    return record


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a coroutine function on a loop of its own, or on that of its fixture `loop`.

    The test fails if it hangs, if the loop meets an exception nobody catches, or if it leaves a
    task behind.
    """
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    names = inspect.signature(test).parameters
    given = {name: pyfuncitem.funcargs[name] for name in names}
    faults: list[dict[str, Any]] = []
    hanging: list[str] = []
    loop = pyfuncitem.funcargs.get("loop")

    async def bounded() -> set[asyncio.Task[Any]]:
        asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
        before = asyncio.all_tasks()
        last_look = asyncio.get_running_loop().call_later(
            0.95 * PATIENCE, lambda: hanging.extend(map(_where, asyncio.all_tasks()))
        )
        try:
            async with asyncio.timeout(PATIENCE):
                await test(**given)
            others = {task for task in asyncio.all_tasks() - before if not task.cancelling()}
            return (await asyncio.wait(others, timeout=ENDING))[1] if others else others
        except TimeoutError as error:
            for where in hanging:
                error.add_note(where)
            raise
        finally:
            last_look.cancel()
            for task in asyncio.all_tasks() - before:
                task.cancel()  # where the loop is shared, it would disturb the next test

    # Not asyncio.run: some tests replace it.
    with nullcontext(loop) if isinstance(loop, asyncio.Runner) else asyncio.Runner() as runner:
        left = runner.run(bounded())
    assert not faults, f"the loop met faults: {faults}"
    assert not left, f"tasks are left: {left}"
    return True


def _where(task: asyncio.Task[Any]) -> str:
    """Where a task waits, from its beginning inwards."""
    inner: Any = task.get_coro()
    lines = []
    while (frame := getattr(inner, "cr_frame", None)) is not None:
        lines.append(f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}")
        inner = inner.cr_await
    return f"{task.get_name()} waits at {' > '.join(lines)}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    met = item.config.stash[_met_in_this_process]
    report.user_properties.extend((REAL_PART, part) for part in met)
    met.clear()
    if report.skipped and item.config.getoption("--forbid-skips"):
        _count_as_failed(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.skipped and collector.config.getoption("--forbid-skips"):
        _count_as_failed(report)
    return report


def _count_as_failed(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = getattr(report, "wasxfail", None)
    if reason is None:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
    else:
        del report.wasxfail  # set by pytest's skipping plugin; it would hide the failure
        reason = f"expected to fail: {reason}"
    report.outcome = "failed"
    report.longrepr = f"Skipping is forbidden in this run. {reason}"


class RunSummary:
    """Gathers from all reports, and writes above pytest's closing line.

    A test adds a table of its own with ``record_property("table", text)``.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.parts: dict[str, set[str]] = defaultdict(set)
        self.tables: dict[str, str] = {}
        self.failures: list[tuple[str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failures.append((report.nodeid, report.longreprtext))
        for key, value in report.user_properties:
            if key == REAL_PART and isinstance(value, tuple | list):
                name, version = value
                self.parts[str(name)].add(str(version))
            elif key == TABLE:
                self.tables[report.nodeid.rpartition("::")[2]] = str(value)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failures.append((report.nodeid, report.longreprtext))

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for title, lines in self._sections():
            terminalreporter.section(title)
            for line in lines:
                terminalreporter.line(line)

    def _sections(self) -> Iterator[tuple[str, Iterable[str]]]:
        for test, table in self.tables.items():
            yield test, table.splitlines()
        yield "minutes per folder, all workers together", self._folders()
        slowest = sorted(self.seconds.items(), key=itemgetter(1), reverse=True)[:SLOWEST]
        yield "slowest tests", [f"{seconds:7.1f} s  {test}" for test, seconds in slowest]
        parts = [*_installed_parts(), *sorted(self.parts.items())]
        yield "real parts met", [f"{name} {', '.join(sorted(found))}" for name, found in parts]
        # Once more at the very end: of a long run often only the last lines are kept.
        for test, why in self.failures[:FAILURES_SHOWN]:
            lines = why.splitlines()[-LINES_OF_A_FAILURE:]
            yield f"failed: {test}", [line[:LENGTH_OF_A_LINE] for line in lines]
        if self.failures:
            yield f"failed: {len(self.failures)}", [test for test, _ in self.failures]

    def _folders(self) -> list[str]:
        """Of the folders right below `tests`, and of those with real parts."""
        minutes: dict[str, float] = defaultdict(float)
        tests: Counter[str] = Counter()
        for test, seconds in self.seconds.items():
            parts = test.partition("::")[0].split("/")[:-1]
            folder = "/".join(parts[: 3 if "real" in parts[:2] else 2]) or "."
            minutes[folder] += seconds / 60
            tests[folder] += 1
        return [f"{minutes[one]:7.2f} min {tests[one]:6d} tests  {one}" for one in sorted(minutes)]


def _installed_parts() -> list[tuple[str, set[str]]]:
    parts = [("Python", {platform.python_version()})]
    for name in ALWAYS_MET:
        try:
            parts.append((name, {metadata.version(name)}))
        except metadata.PackageNotFoundError:
            parts.append((name, {"not installed"}))
    return parts
