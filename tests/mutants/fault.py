"""A fault to plant: one piece of source text replaced by another, and the test that catches it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PACKAGE = PROJECT / "src" / "tidings"


class Misfit(ValueError):
    """The text of a fault does not stand in its module exactly once."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """What is replaced where, and who notices.

    Attributes:
        name: What the program does wrong with it.
        module: The file, inside the package.
        old: The right text; it stands there exactly once.
        new: The wrong one.
        catcher: The test that fails with it, as pytest's node id. Without the brackets of a
            parameter it means all cases of that test.
        promise: What is broken; a heading of the ledger.
        driven: Whether the catcher plants the fault itself, with others in one Spark session or in
            a play of several processes, and passes if it is caught.
    """

    name: str
    module: str
    old: str
    new: str
    catcher: str
    promise: str = ""
    driven: bool = False

    def planted(self) -> str:
        """The whole wrong source of the module.

        Raises:
            Misfit: The text does not stand there exactly once.
        """
        source = (PACKAGE / self.module).read_text(encoding="utf-8")
        if source.count(self.old) != 1:
            raise Misfit(f"{self.module} has {source.count(self.old)} times {self.old!r}")
        return source.replace(self.old, self.new)

    def apply(self, package: Path) -> None:
        """Changes the file in a copy of the package; for drivers that start programs with it."""
        (package / self.module).write_text(self.planted(), encoding="utf-8")
