"""The root plugin (tests/conftest.py), run for real in a child process."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., subprocess.CompletedProcess[str]]

ROOT_PLUGIN = Path(__file__).parent.parent / "conftest.py"

PASSING = """
def test_passes(record_real_part):
    record_real_part("somebroker", "7.8.9")
"""
SKIPPING = """
import pytest
@pytest.mark.skip(reason="no broker here")
def test_skipped():
    pass
"""
SKIPPING_IN_FIXTURE = """
import pytest
@pytest.fixture
def broker():
    pytest.skip("no broker here")
def test_skipped(broker):
    pass
"""
SKIPPING_MODULE = """
import pytest
pytest.skip("no broker here", allow_module_level=True)
"""
EXPECTED_TO_FAIL = """
import pytest
@pytest.mark.xfail(reason="no broker here", strict=True)
def test_xfailed():
    raise AssertionError
"""

pytestmark = pytest.mark.slow  # it starts programs


@pytest.fixture(params=[["-p", "no:xdist"], ["-n", "2"]], ids=["one process", "xdist"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    """Writes one test file into a folder beside a passing one, and runs pytest there."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    for name, text in {"one/test_passing.py": PASSING, "conftest.py": None}.items():
        path = tmp_path / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            shutil.copy(ROOT_PLUGIN, path)
        else:
            path.write_text(text)

    def run_pytest(test: str = "", *options: str) -> subprocess.CompletedProcess[str]:
        if test:
            (tmp_path / "tests" / "two").mkdir()
            (tmp_path / "tests" / "two" / "test_case.py").write_text(test)
        command = [sys.executable, "-m", "pytest", *request.param, *options, "tests"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run_pytest


def closing_line(finished: subprocess.CompletedProcess[str]) -> str:
    return finished.stdout.rstrip().splitlines()[-1]


def test_summary_stands_above_the_closing_line(run: Run) -> None:
    finished = run("", "--forbid-skips")
    assert finished.returncode == 0, finished.stdout
    assert "1 passed" in closing_line(finished)
    assert "1 tests  tests/one" in finished.stdout
    assert "somebroker 7.8.9" in finished.stdout
    assert "Python 3." in finished.stdout


@pytest.mark.parametrize(
    ("test", "count"),
    [(SKIPPING, "1 error"), (SKIPPING_IN_FIXTURE, "1 error"), (EXPECTED_TO_FAIL, "1 failed")],
    ids=["mark", "fixture", "xfail"],
)
def test_skipped_tests_fail_where_forbidden(run: Run, test: str, count: str) -> None:
    finished = run(test, "--forbid-skips")
    assert finished.returncode == 1
    assert count in closing_line(finished)
    assert "no broker here" in finished.stdout


def test_skipped_module_fails_where_forbidden(run: Run) -> None:
    finished = run(SKIPPING_MODULE, "--forbid-skips")
    assert finished.returncode != 0
    assert "1 error" in closing_line(finished)
    assert "no broker here" in finished.stdout


@pytest.mark.parametrize(
    "test", [SKIPPING, SKIPPING_MODULE, EXPECTED_TO_FAIL], ids=["mark", "module", "xfail"]
)
def test_skips_are_allowed_by_default(run: Run, test: str) -> None:
    assert run(test).returncode == 0
