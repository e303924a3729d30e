"""The unit tests of IDL, run without pytest's own machinery, so that they start quickly.

Runs in a process of its own, on whichever `tidings` comes first on the path; prints what it
caught and exits 1, or exits 0.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tidings
from tests.faults.probe import CAUGHT

MODULES = [
    *("scan", "preprocess", "parse", "resolve", "constants", "typecodes", "names", "loading"),
]


def checks() -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Every test that needs no folder: its name, the function, its arguments."""
    for name in MODULES:
        module = importlib.import_module(f"tests.unit.idl.test_{name}")
        shared: dict[str, Any] = {}
        if name == "loading":
            from tidings.idl.loading import load_idl

            shared["bank"] = load_idl(module.BANK)
        for word, function in inspect.getmembers(module, inspect.isfunction):
            if word.startswith("test_"):
                yield from _cases(word, function, shared)


def _cases(
    word: str, function: Any, shared: dict[str, Any]
) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    rows: list[dict[str, Any]] = [{}]
    for mark in getattr(function, "pytestmark", []):
        names = [mark.args[0]] if isinstance(mark.args[0], str) else list(mark.args[0])
        values = [row if len(names) > 1 else (row,) for row in mark.args[1]]
        rows = [dict(zip(names, row, strict=True)) for row in values]
    wanted = set(inspect.signature(function).parameters)
    for row in rows:
        arguments = {name: value for name, value in (shared | row).items() if name in wanted}
        if set(arguments) == wanted:
            yield word, function, arguments


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    count = 0
    word = "importing"
    try:
        for word, function, arguments in checks():  # noqa: B007 - named when it fails
            function(**arguments)
            count += 1
    except BaseException as error:  # noqa: BLE001 - pytest's own failures are no exceptions
        sys.stdout.write(f"{CAUGHT} {word}: {type(error).__name__}\n")
        return 1
    assert count > 250, f"only {count} checks were run"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
