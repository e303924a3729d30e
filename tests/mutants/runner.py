"""Runs tests on a Tidings with a fault in it, many faults a second where it can.

    with Runner() as runner:
        verdict = runner.try_source(
            "channel/offers.py",                                   # inside src/tidings
            source.replace("if not owners:", "if owners:"),        # the whole wrong source
            ["tests/edges/channel/test_routing.py::test_who_leaves"],  # node ids, files or tests
            patience=20,
        )
    verdict.caught_by   # node ids of the tests that failed

A runner is one process (`server`) that forks a child per fault; it does one at a time, so have one
runner per worker. Where only bodies of functions differ, the child exchanges them and imports
nothing; where that finds nothing, or more differs, a child imports everything anew, the faulty
module among it. Programs that a test starts have the fault, too. With `sure=False` what the
quick way misses is not tried the other way. Without a source the tests run on the package as it is.
A fault in a file of the console changes no Python: the tests' browser gets the wrong file
(`tests/real/console/browsing.py`), and one child with one browser tries all of them, until one
makes it stuck.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Final, Self

from tests.mutants.fault import PROJECT, Fault

PATIENCE: Final = 10.0
"""A fault may make a test wait for ever; then this many seconds catch it."""
_OF_PAGES: Final = 16.0
"""The same for a fault in a page: a browser may be slow, and that must not count as caught."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What became of the tests.

    Attributes:
        caught_by: The tests that failed, the one that is stuck among them.
        broken: Those that failed because a name or a module is missing, which is no fault.
        passed: Those that passed.
        stuck: Whether they had to be ended.
        missing: What could not be collected, or is no test.
        way: How the fault was planted, "swap" or "import".
        seconds: How long it took.
        output: What was printed, its end.
    """

    caught_by: tuple[str, ...]
    broken: tuple[str, ...]
    passed: tuple[str, ...]
    stuck: bool
    missing: tuple[str, ...]
    way: str
    seconds: float
    output: str

    @property
    def caught(self) -> bool:
        """Whether a test noticed."""
        return bool(self.caught_by)


class Runner:
    """Tries faults, one after another. Close it, or use it in a `with` statement."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.mutants.server"],
            cwd=PROJECT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def try_fault(self, fault: Fault) -> Verdict:
        """Plants a fault of the ledger and runs its catcher."""
        patience = PATIENCE if fault.module.endswith(".py") else _OF_PAGES
        return self.try_source(fault.module, fault.planted(), [fault.catcher], patience, first=True)

    def try_source(
        self,
        module: str,
        source: str | None,
        tests: Sequence[str],
        patience: float = PATIENCE,
        *,
        first: bool = False,
        sure: bool = True,
    ) -> Verdict:
        """Runs tests with a wrong source of one module.

        Args:
            module: The file, inside the package.
            source: Its whole text; None for the right one.
            tests: Node ids of files, functions or cases.
            patience: A test that takes so many seconds is stuck.
            first: Whether the first test that fails is enough.
            sure: Whether what the quick way misses is tried the other way as well.

        Raises:
            SyntaxError: The source cannot be read.
        """
        if source is not None and module.endswith(".py"):
            compile(source, module, "exec")
        request = {
            "module": module,
            "source": source,
            "tests": list(tests),
            "patience": patience,
            "first": first,
            "sure": sure,
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        answer = self._server.stdout.readline()
        assert answer, "the server has ended"
        return _verdict(json.loads(answer))

    def close(self) -> None:
        """Ends the server."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.close()
        self._server.wait()
        self._server.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _verdict(answer: dict[str, Any]) -> Verdict:
    def names(kind: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(answer.get(kind, ())))

    return Verdict(
        caught_by=names("failed"),
        broken=names("broken"),
        passed=names("passed"),
        stuck=answer["stuck"],
        missing=names("uncollected"),
        way=answer["way"],
        seconds=answer["seconds"],
        output=answer.get("output", ""),
    )
