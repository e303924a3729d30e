"""What tries faults says truly what became of them."""

from __future__ import annotations

import pytest

from tests.mutants.fault import Fault, Misfit
from tests.mutants.ledger import FAULTS
from tests.mutants.runner import Runner, Verdict
from tests.mutants.swapping import swaps

DIVISION = ("filters/truth.py", "return -rest if left < 0 else rest")
TESTS = "tests/edges/filters/test_truth.py"


def tried(runner: Runner, fault: Fault) -> Verdict:
    return runner.try_source(fault.module, fault.planted(), [fault.catcher], patience=15)


def test_a_body_is_exchanged(runner: Runner) -> None:
    verdict = tried(runner, Fault("", *DIVISION, "return rest", TESTS))
    found = (verdict.way, verdict.stuck, verdict.missing)
    assert found == ("swap", False, ()), verdict.output
    assert verdict.caught_by
    assert all(test.startswith(f"{TESTS}::") for test in verdict.caught_by)


def test_what_is_no_body_is_imported(runner: Runner) -> None:
    fault = Fault("", "filters/truth.py", "-(2**63), 2**64 - 1", "-(2**63), 5", TESTS)
    verdict = tried(runner, fault)
    assert verdict.way == "import"
    assert verdict.caught_by


def test_what_nobody_notices_was_tried_both_ways(runner: Runner) -> None:
    verdict = tried(runner, Fault("", *DIVISION, "return (-rest if left < 0 else rest) + 0", TESTS))
    assert (verdict.way, verdict.caught_by) == ("import", ())
    assert verdict.passed


def test_who_waits_for_ever_is_stuck_and_has_caught_it(runner: Runner) -> None:
    wrong = Fault("", *DIVISION, "while True:\n        pass", TESTS).planted()
    verdict = runner.try_source("filters/truth.py", wrong, [TESTS], patience=2)
    assert verdict.stuck
    assert len(verdict.caught_by) == 1


def test_a_program_that_no_longer_runs_is_not_caught(runner: Runner) -> None:
    verdict = tried(runner, Fault("", *DIVISION, "return no_such_name", TESTS))
    assert verdict.caught_by == ()
    assert verdict.broken


def test_a_page_without_a_browser_catches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = next(one for one in FAULTS if one.module == "web/console/pages/settings.js")
    monkeypatch.setenv("PATH", "")  # so that there is none
    with Runner() as runner:
        verdict = runner.try_fault(fault)
    assert (verdict.caught_by, verdict.broken) == ((), (fault.catcher,)), verdict.output


@pytest.mark.parametrize("test", ["tests/edges/filters/test_none.py", f"{TESTS}::test_no_such"])
def test_a_catcher_that_is_not_there_is_missing(test: str, runner: Runner) -> None:
    assert tried(runner, Fault("", *DIVISION, "return rest", test)).missing == (test,)


@pytest.mark.parametrize("old", ["no such text in the file", "return"])
def test_a_fault_must_fit_exactly_once(old: str) -> None:
    with pytest.raises(Misfit, match="has"):
        Fault("", "filters/truth.py", old, "x", TESTS).planted()


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ("def f(): return 1", "def f(): return 2", 1),
        ("def f():\n return lambda: 1", "def f():\n return lambda: 2", 2),
        ("class A:\n def f(self): return 0.0", "class A:\n def f(self): return -0.0", 1),
        ("def f(a=1): return a", "def f(a=2): return a", None),
        ("X = 1", "X = True", None),
        ("class A:\n x = 1", "class A:\n x = 2", None),
        ("def f(): return 1", "def g(): return 1", None),
        ("def f(): return 1", "\n\ndef f(): return 1", 0),
    ],
)
def test_only_bodies_of_functions_are_exchanged(old: str, new: str, count: int | None) -> None:
    found = swaps(old, new, "a.py")
    assert (None if found is None else len(found)) == count
