"""The location and limits of the archive, and the command that writes it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class ArchivePlan:
    """The location and limits of the archive.

    Attributes:
        folder: Created if missing.
        seal_seconds: The maximum age of unsealed rows.
        seal_octets: The approximate maximum size of a file.
        seal_rows: The maximum rows of a file.
        keep_octets: Above this size the oldest files are deleted; None keeps all.
        keep_microseconds: Older files are deleted; None keeps them whatever their age.
        hold: How many octets of the journal wait for the archive before they go without it.
    """

    folder: Path
    seal_seconds: float = 30.0
    seal_octets: int = 64 * 2**20
    seal_rows: int = 200_000
    keep_octets: int | None = None
    keep_microseconds: int | None = None
    hold: int = 4 * 2**30

    def options(self) -> str:
        """Return the child's options as JSON."""
        told = asdict(self)
        return json.dumps({name: told[name] for name in told if name not in ("folder", "hold")})


Command: TypeAlias = Callable[[ArchivePlan, Path], Sequence[str]]
"""Makes the child's command line from the plan and the journal's folder."""


def archive_command(plan: ArchivePlan, journal: Path) -> list[str]:
    """Return the archiver's command line, with the same Python and packages as this process."""
    # A file of the current folder must not be taken for a module, unless ours come from there.
    safe = [] if {"", str(Path.cwd())} & set(sys.path) else ["-P"]
    folders = [str(journal.absolute()), str(plan.folder.absolute())]
    return [sys.executable, *safe, "-m", "tidings.stores.archive", *folders, plan.options()]


@dataclass(frozen=True, slots=True)
class ArchivingState:
    """The state of the archive; counts are since the start.

    `behind_octets` and `behind_seconds` are the size and age of the unarchived part of the journal;
    `problems` is damage found in the manifest at the start.
    """

    folder: Path
    running: bool
    seals: int
    rows: int
    restarts: int
    error: str
    behind_octets: int
    behind_seconds: float
    manifest_octets: int = 0
    problems: tuple[str, ...] = ()
