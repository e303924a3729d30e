"""The root plugin (tests/conftest.py), in a run of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT_PLUGIN = Path(__file__).parents[2] / "conftest.py"

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
FAILING = """
def test_fails():
    assert list(range(1000)) == ["x" * 9000], "wrong"
"""
COROUTINES = """
import asyncio
async def test_passes(tmp_path):
    await asyncio.sleep(0)
    asyncio.ensure_future(asyncio.sleep(60)).cancel()
    asyncio.ensure_future(asyncio.sleep(0.01))
async def test_fails():
    await asyncio.sleep(0)
    raise ValueError("not so")
async def test_hangs():
    await asyncio.Event().wait()
async def test_meets_a_fault():
    asyncio.get_running_loop().call_soon(int, "x")
    await asyncio.sleep(0.01)
async def test_leaves_a_task():
    test_leaves_a_task.left = asyncio.ensure_future(asyncio.sleep(60))
"""
ON_ONE_LOOP = """
import asyncio
import pytest
@pytest.fixture(scope="session")
def loop():
    with asyncio.Runner() as runner:
        yield runner
@pytest.fixture
def lasting(loop):
    async def begin():
        return asyncio.ensure_future(asyncio.sleep(60))
    return loop.run(begin())
async def test_leaves_a_task(lasting):
    test_leaves_a_task.left = asyncio.ensure_future(asyncio.sleep(60))
async def test_meets_what_lasts_only(loop, lasting):
    assert loop.get_loop() is asyncio.get_running_loop() is lasting.get_loop()
    assert test_leaves_a_task.left.cancelled()
    assert not lasting.cancelled()
"""
EXPECTED_TO_FAIL = """
import pytest
@pytest.mark.xfail(reason="no broker here", strict=True)
def test_xfailed():
    raise AssertionError
"""


SHARING = """
import pytest
@pytest.mark.parametrize("n", range(4))
def test_shares(n):
    pass
"""


def run(pytester: pytest.Pytester, test: str = "", *options: str) -> pytest.RunResult:
    """Writes one test file into a folder beside a passing one, and runs pytest there."""
    pytester.makeini("[pytest]\naddopts = -rN\n")
    for name, text in {
        "conftest.py": ROOT_PLUGIN.read_text(encoding="utf-8"),
        "one/test_passing.py": PASSING,
        "two/test_case.py": test,
    }.items():
        path = pytester.path / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return pytester.runpytest_inprocess(*options, "tests")


@pytest.fixture(autouse=True)
def _no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


SUMMARY = [
    "*minutes per folder*",
    "* 0.00 min      1 tests  tests/one",
    "*slowest tests*",
    "* s  tests/one/test_passing.py::test_passes",
    "*real parts met*",
    "Python 3.*",
    "somebroker 7.8.9",
]


def test_summary_stands_above_the_closing_line(pytester: pytest.Pytester) -> None:
    finished = run(pytester, "", "--forbid-skips")
    assert finished.ret == pytest.ExitCode.OK
    finished.stdout.fnmatch_lines([*SUMMARY, "*1 passed*"])


def test_a_worker_tells_the_summary_all_of_it(pytester: pytest.Pytester) -> None:
    finished = run(
        pytester, SKIPPING + EXPECTED_TO_FAIL, "--forbid-skips", "-p", "xdist", "-n", "1"
    )
    assert finished.ret == pytest.ExitCode.TESTS_FAILED
    finished.stdout.fnmatch_lines([*SUMMARY, "*no broker here*", "*1 failed, 1 passed, 1 error*"])


def test_tests_that_share_something_run_in_one_process(pytester: pytest.Pytester) -> None:
    run(pytester)  # writes the plugin
    for file in ("test_one.py", "test_other.py"):
        path = pytester.path / "tests/real/interop" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SHARING, encoding="utf-8")
    finished = pytester.runpytest_inprocess("-p", "xdist", "-n", "2", "-v", "tests/real/interop")
    workers = {line.split()[0] for line in finished.outlines if "PASSED" in line}
    assert len(workers) == 1


def test_tests_may_share_a_loop_and_what_runs_on_it(pytester: pytest.Pytester) -> None:
    plugin = ROOT_PLUGIN.read_text(encoding="utf-8").replace("ENDING = 5.0", "ENDING = 0.1")
    run(pytester)
    (pytester.path / "tests/conftest.py").write_text(plugin, encoding="utf-8")
    (pytester.path / "tests/two/test_case.py").write_text(ON_ONE_LOOP, encoding="utf-8")
    finished = pytester.runpytest_inprocess("tests/two")
    finished.stdout.fnmatch_lines(["*tasks are left*", "*1 failed, 1 passed*"])


def test_what_failed_comes_last_and_is_short(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    finished = run(pytester, FAILING)
    *_, title, name, closing = finished.outlines
    assert "failed: 1" in title
    assert name == "tests/two/test_case.py::test_fails"
    assert "1 failed, 1 passed" in closing
    [begin] = [n for n, line in enumerate(finished.outlines) if "failed: tests/two" in line]
    end = finished.outlines[begin:]
    assert len(end) < 40
    assert max(map(len, end)) <= 200


@pytest.mark.parametrize(
    ("test", "count"),
    [
        (SKIPPING, "1 error"),
        (SKIPPING_IN_FIXTURE, "1 error"),
        (EXPECTED_TO_FAIL, "1 failed"),
        (SKIPPING_MODULE, "1 error"),
    ],
    ids=["mark", "fixture", "xfail", "module"],
)
def test_what_is_skipped_fails_where_forbidden(
    pytester: pytest.Pytester, test: str, count: str
) -> None:
    finished = run(pytester, test, "--forbid-skips")
    assert finished.ret != pytest.ExitCode.OK
    assert count in finished.outlines[-1]
    finished.stdout.fnmatch_lines(["*failed: tests/two*", "*no broker here*"])


@pytest.mark.parametrize(
    "test", [SKIPPING, SKIPPING_MODULE, EXPECTED_TO_FAIL], ids=["mark", "module", "xfail"]
)
def test_skips_are_allowed_by_default(pytester: pytest.Pytester, test: str) -> None:
    assert run(pytester, test).ret == pytest.ExitCode.OK


def test_coroutine_functions_run_to_their_end(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = ROOT_PLUGIN.read_text(encoding="utf-8")
    for limit in ("PATIENCE = 100.0", "ENDING = 5.0"):
        assert limit in text
        text = text.replace(limit, limit.partition("=")[0] + "= 0.1")
    hasty = pytester.makepyfile(hasty=text)
    monkeypatch.setitem(globals(), "ROOT_PLUGIN", hasty)
    result = run(pytester, COROUTINES)
    result.assert_outcomes(passed=2, failed=4)
    for why in ("ValueError: not so", "TimeoutError", "the loop met faults: ", "tasks are left: "):
        result.stdout.fnmatch_lines([f"*{why}*"])
