"""What every test run has: no silent skips, time per folder, and the real parts that were met.

Works with and without xdist: what a worker finds out travels in its test reports, and the
summary is written where all reports arrive.
"""

from __future__ import annotations

import platform
import signal
from collections import defaultdict
from importlib import metadata
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

# Shared machines are uneven, so time is bounded per test by pytest-timeout, not per example.
settings.register_profile("full", deadline=None, print_blob=True)
settings.register_profile("quick", parent=settings.get_profile("full"), max_examples=25)
settings.load_profile("full")

REAL_PART = "real_part"  # keys in a report's user properties
TABLE = "table"
LINES_OF_A_FAILURE = 30
ALWAYS_MET = (
    *("msgspec", "pyarrow", "hypothesis", "lark", "pydantic", "fastapi", "uvicorn", "websockets"),
    *("httpx2", "schemathesis"),
)

_met_in_this_process = pytest.StashKey[list[tuple[str, str]]]()


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
    config.stash[_met_in_this_process] = []
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RunSummary())


@pytest.fixture(scope="session")
def record_real_part(pytestconfig: pytest.Config) -> Callable[[str, str], None]:
    """Call ``record_real_part(name, version)`` where a test meets a real foreign part."""

    def record(name: str, version: str) -> None:
        pytestconfig.stash[_met_in_this_process].append((name, version))

    return record


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
    """Gathers from all reports, and writes tables above pytest's closing line.

    A test adds a table of its own with ``record_property("table", text)``; they are left out if
    something failed.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.tests: dict[str, int] = defaultdict(int)
        self.parts: dict[str, set[str]] = defaultdict(set)
        self.tables: dict[str, str] = {}
        self.failures: list[tuple[str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        folder = report.nodeid.partition("::")[0].rpartition("/")[0] or "."
        self.seconds[folder] += report.duration
        self.tests[folder] += report.when == "call"
        if report.failed:
            self.failures.append((report.nodeid, report.longreprtext))
        for key, value in report.user_properties:
            if key == REAL_PART and isinstance(value, tuple | list):
                name, version = value
                self.parts[str(name)].add(str(version))
            elif key == TABLE:
                self.tables[report.nodeid.rpartition("::")[2]] = str(value)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for test, table in self.tables.items() if not self.failures else ():
            terminalreporter.section(test)
            terminalreporter.write_line(table)
        terminalreporter.section("minutes per folder, all workers together")
        for folder in sorted(self.seconds):
            minutes, tests = self.seconds[folder] / 60, self.tests[folder]
            terminalreporter.line(f"{minutes:7.2f} min {tests:6d} tests  {folder}")
        terminalreporter.section("real parts met")
        for name, versions in [*_installed_parts(), *sorted(self.parts.items())]:
            terminalreporter.line(f"{name} {', '.join(sorted(versions))}")
        # Once more at the very end: of a long run often only the last lines are kept.
        for test, why in self.failures:
            terminalreporter.section(f"failed: {test}")
            terminalreporter.write_line("\n".join(why.splitlines()[-LINES_OF_A_FAILURE:]))


def _installed_parts() -> list[tuple[str, set[str]]]:
    parts = [("Python", {platform.python_version()})]
    for name in ALWAYS_MET:
        try:
            parts.append((name, {metadata.version(name)}))
        except metadata.PackageNotFoundError:
            parts.append((name, {"not installed"}))
    return parts
