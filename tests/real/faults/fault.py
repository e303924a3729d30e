"""A fault to plant, one piece of source text replaced by another, and what must catch it."""

from __future__ import annotations

import shutil
from importlib.util import cache_from_source
from pathlib import Path
from typing import NamedTuple

import tidings

PROJECT = Path(__file__).parents[3]


class Fault(NamedTuple):
    """What is replaced where; the text stands there exactly once.

    Attributes:
        name: What the program does wrong with it.
        module: The file, inside the package.
        old: The right text.
        new: The wrong one.
    """

    name: str
    module: str
    old: str
    new: str

    def apply(self, package: Path) -> None:
        """Changes the file in a copy of the package.

        Raises:
            ValueError: The text does not stand there exactly once.
        """
        path = package / self.module
        source = path.read_text(encoding="utf-8")
        if source.count(self.old) != 1:
            raise ValueError(f"{self.module} has {source.count(self.old)} times {self.old!r}")
        path.write_text(source.replace(self.old, self.new), encoding="utf-8")
        Path(cache_from_source(str(path))).unlink(missing_ok=True)  # the bytecode of the right one


def copied_package(folder: Path) -> Path:
    """A copy of the package to spoil."""
    return shutil.copytree(Path(tidings.__file__).parent, folder / "tidings")
