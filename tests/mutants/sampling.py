"""How many changes drawn at random do the tests notice? ``python -m tests.mutants.sampling``.

First the tests run once, and each line's tests are noted (`reach`). Then changes to functions are
drawn (`changes`), the same ones for the same seed, and each is tried on the tests that run its
line. What no test runs counts as missed.
"""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

import coverage

from tests.mutants.changes import Change, changes_of
from tests.mutants.fault import PACKAGE, PROJECT
from tests.mutants.runner import Runner

# How many of a hundred changes the tests should notice.
AIMS: Final = {
    **dict.fromkeys(("filters", "channel", "stores", "engine"), 85),
    **dict.fromkeys(("orb", "cos", "servants", "web", "client", "api", "pipeline"), 70),
    **dict.fromkeys(("cli", "server"), 60),
}
TESTS: Final = ("tests/edges", "tests/laws", "tests/promises", "tests/real/pipeline")
# A change is tried on so many tests at the most, those first that run least besides.
_MOST_TESTS: Final = 250
_PATIENCE: Final = 30.0
_WORKERS: Final = 2


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    module: str
    change: Change

    @property
    def package(self) -> str:
        return self.module.partition("/")[0]

    @property
    def source(self) -> str:
        return self.change.applied((PACKAGE / self.module).read_text(encoding="utf-8"))

    def __str__(self) -> str:
        text = (PACKAGE / self.module).read_text(encoding="utf-8")
        old = text[self.change.start : self.change.end]
        where = f"{self.module}:{self.change.line}"
        return f"{where} {self.change.kind}: {_short(old)} -> {_short(self.change.new)}"


class Reach:
    """Which tests run a line."""

    def __init__(self, path: Path) -> None:
        self._data = coverage.CoverageData(str(path))
        self._data.read()
        if not any(self._data.measured_contexts()):
            raise SystemExit(f"{path} names no test: run pytest with -p tests.mutants.reach")
        self._lines: dict[str, dict[int, list[str]]] = {}
        self._breadth: dict[str, int] = defaultdict(int)
        for file in self._data.measured_files():
            for tests in self._contexts(file).values():
                for test in tests:
                    self._breadth[test] += 1

    def tests(self, mutant: Mutant) -> list[str]:
        """The tests that run a change, first those that run little besides."""
        tests = self._contexts(str(PACKAGE / mutant.module)).get(mutant.change.line, [])
        return sorted(filter(None, tests), key=lambda test: (self._breadth[test], test))

    def _contexts(self, file: str) -> dict[int, list[str]]:
        if file not in self._lines:
            self._lines[file] = self._data.contexts_by_lineno(file)
        return self._lines[file]


def drawn(package: str, count: int, seed: int) -> list[Mutant]:
    """Changes to a package, drawn at random."""
    modules = sorted((PACKAGE / package).rglob("*.py"))
    mutants = [
        Mutant(str(path.relative_to(PACKAGE)), change)
        for path in modules
        if not path.name.endswith("_auto.py")
        for change in changes_of(path.read_text(encoding="utf-8"))
    ]
    return Random(f"{seed} {package}").sample(mutants, min(count, len(mutants)))


def missed(mutants: Sequence[Mutant], reach: Reach) -> list[Mutant]:
    """The changes that no test notices."""
    idle: SimpleQueue[Runner] = SimpleQueue()
    runners = [Runner() for _ in range(_WORKERS)]
    for runner in runners:
        idle.put(runner)

    def noticed(mutant: Mutant) -> bool:
        tests = reach.tests(mutant)[:_MOST_TESTS]
        if not tests:
            return False
        runner = idle.get()
        try:
            return runner.try_source(
                mutant.module, mutant.source, tests, _PATIENCE, first=True, sure=False
            ).caught
        finally:
            idle.put(runner)

    try:
        with ThreadPoolExecutor(_WORKERS) as pool:
            verdicts = list(pool.map(noticed, mutants))
    finally:
        for runner in runners:
            runner.close()
    return [mutant for mutant, caught in zip(mutants, verdicts, strict=True) if not caught]


def noted(folder: Path) -> Path:
    """Runs the tests once, and notes the branches that each runs."""
    reach = folder / "reach"
    plugin = ("-p", "tests.mutants.reach", "--reach", str(reach))
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", str(_WORKERS), *plugin, *TESTS],
        cwd=PROJECT,
        check=True,
    )
    combined = coverage.Coverage(data_file=str(reach))
    combined.combine([str(folder)])
    combined.save()
    return reach


def main() -> None:
    """Prints a score per package, and what was missed."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", default=list(AIMS), help="all if none is named")
    parser.add_argument("--count", type=int, default=60, help="changes per package")
    parser.add_argument("--seed", type=int, default=Random().randrange(10**6))
    parser.add_argument("--reach", type=Path, help="what an earlier run has noted")
    asked = parser.parse_args()
    _say(f"seed {asked.seed}, {asked.count} changes per package")
    with TemporaryDirectory() as folder:
        reach = Reach(asked.reach or noted(Path(folder)))
        for package in asked.packages:
            _report(package, drawn(package, asked.count, asked.seed), reach)


def _report(package: str, mutants: Sequence[Mutant], reach: Reach) -> None:
    survivors = missed(mutants, reach)
    score = 100 * (1 - len(survivors) / len(mutants))
    aim = f" (aim {AIMS[package]} %)" if package in AIMS else ""
    _say(f"{package}: {score:.0f} % of {len(mutants)}{aim}")
    for mutant in survivors:
        _say(f"  missed, {len(reach.tests(mutant))} tests run it: {mutant}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _short(text: str) -> str:
    return repr(" ".join(text.split())[:70])


if __name__ == "__main__":
    main()
