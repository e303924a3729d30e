"""Which test runs which branch: a plugin of pytest, ``-p tests.mutants.reach --reach FILE``.

Each process of a run writes a file of its own beside FILE; `coverage combine` makes one of them.
The context of what is noted is the test's node id.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

_note = pytest.StashKey[coverage.Coverage]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reach", type=Path, help="where the branches that tests run are noted")


def pytest_configure(config: pytest.Config) -> None:
    path: Path | None = config.getoption("--reach")
    if path is None or config.getoption("numprocesses", None):
        return
    note = coverage.Coverage(
        data_file=str(path), data_suffix=True, branch=True, source_pkgs=["tidings"], messages=False
    )
    note.start()
    config.stash[_note] = note


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    note = item.config.stash.get(_note, None)
    if note is not None:
        note.switch_context(item.nodeid)
    return (yield)


def pytest_unconfigure(config: pytest.Config) -> None:
    note = config.stash.get(_note, None)
    if note is not None:
        note.stop()
        note.save()
