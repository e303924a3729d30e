"""Every fault of the ledger is planted, and the test it names must fail.

To see one: ``pytest -n 0 tests/mutants -k "<words of its name>"``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest

from tests.mutants.fault import PROJECT, Fault
from tests.mutants.ledger import FAULTS, read_faults
from tests.mutants.runner import Runner
from tests.promises import test_promises_in, test_promises_out

PLANTED = [fault for fault in FAULTS if not fault.driven]
CATCHERS = {
    file: list(tests)
    for file, tests in groupby(
        sorted({fault.catcher for fault in PLANTED}), lambda test: test.partition("::")[0]
    )
}


@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: f"{fault.module}: {fault.name}")
def test_a_fault_is_caught(fault: Fault, runner: Runner) -> None:
    verdict = runner.try_fault(fault)
    assert not verdict.missing, f"there is no test {fault.catcher}"
    assert verdict.caught_by, f"{fault.catcher} does not notice\n{verdict.output}"


@pytest.mark.parametrize("file", CATCHERS)
def test_without_a_fault_the_catchers_pass(file: str, runner: Runner) -> None:
    # They pass in the suite; this says that they do where faults are planted, too.
    verdict = runner.try_source("", None, CATCHERS[file], patience=110, sure=False)
    assert not verdict.missing
    assert verdict.passed
    assert not verdict.caught_by + verdict.broken, verdict.output


@pytest.mark.parametrize(
    "fault",
    [fault for fault in FAULTS if fault.driven],
    ids=lambda fault: f"{fault.module}: {fault.name}",
)
def test_a_fault_with_a_driver_of_its_own_fits(fault: Fault) -> None:
    assert fault.planted()
    assert (PROJECT / fault.catcher.partition("::")[0]).exists()


def test_no_fault_stands_twice() -> None:
    for key in (
        lambda fault: (fault.module, fault.name),
        lambda fault: (fault.module, fault.old, fault.new, fault.catcher),
    ):
        twice = [what for what, count in Counter(map(key, FAULTS)).items() if count > 1]
        assert not twice


def test_each_row_of_the_promises_has_a_fault() -> None:
    caught = {fault.catcher.partition("[")[0] for fault in FAULTS}
    for module in (test_promises_in, test_promises_out):
        file = f"tests/promises/{Path(str(module.__file__)).name}"
        rows = {f"{file}::{name}" for name in vars(module) if name.startswith("test_")}
        assert rows <= caught, rows - caught


def test_how_many_there_are(record_property: Callable[[str, object], None]) -> None:
    packages = Counter(fault.module.partition("/")[0].removesuffix(".py") for fault in FAULTS)
    lines = [f"{count:6d} {package}" for package, count in sorted(packages.items())]
    record_property("table", "\n".join([*lines, f"{len(FAULTS):6d} together"]))
    assert all(fault.promise for fault in FAULTS)


@pytest.mark.parametrize(
    "block",
    [
        "a.py: no promise\n-x\n? t",
        "# p\n\na.py\n-no name\n? t",
        "# p\n\na.py: nothing replaced\n+x\n? t",
        "# p\n\na.py: no test\n-x\n+y",
        "# p\n\na.py: no mark\n-x\ny\n? t",
    ],
)
def test_what_is_not_a_fault_is_shown(block: str) -> None:
    with pytest.raises(ValueError, match=re.escape(block.rpartition("\n\n")[2])):
        list(read_faults(block))


def test_texts_may_have_several_lines_or_none() -> None:
    (fault,) = read_faults("# a\n# promise\n\na.py: left out: all\n-x\n-\n! t::test[a: b]\n")
    assert fault == Fault("left out: all", "a.py", "x\n", "", "t::test[a: b]", "a promise", True)
