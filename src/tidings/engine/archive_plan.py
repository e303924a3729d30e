"""Where the archive is, how it is kept, and what writes it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class ArchivePlan:
    """Where the archive is and how it is kept.

    Attributes:
        folder: Where it is; made if it is missing.
        seal_seconds: How old what is not sealed yet may become.
        seal_octets: How long a file may become, about.
        seal_rows: How many rows a file may have.
        keep_octets: When the archive is longer, its oldest files go; None keeps all.
        keep_microseconds: Older files go; None keeps them whatever their age.
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
        """What the child is told, as JSON."""
        told = asdict(self)
        return json.dumps({name: told[name] for name in told if name not in ("folder", "hold")})


Command: TypeAlias = Callable[[ArchivePlan, Path], Sequence[str]]
"""What starts a child, of the plan and the journal's folder."""


def archive_command(plan: ArchivePlan, journal: Path) -> list[str]:
    """The program that writes the archive, with the same Python and packages as this one."""
    # A file of the current folder must not be taken for a module, unless ours come from there.
    safe = [] if {"", str(Path.cwd())} & set(sys.path) else ["-P"]
    folders = [str(journal.absolute()), str(plan.folder.absolute())]
    return [sys.executable, *safe, "-m", "tidings.stores.archive", *folders, plan.options()]


@dataclass(frozen=True, slots=True)
class ArchivingState:
    """How the archive is.

    Attributes:
        folder: Where it is.
        running: Whether the child runs.
        seals: How often something was sealed since the start.
        rows: How many rows that were.
        restarts: How often a child was started again.
        error: Why the archive does not go on; empty if it does.
        behind_octets: How much of the journal is not in the archive.
        behind_seconds: For how long the oldest of that has been in the journal.
        manifest_octets: How long the manifest was after the last seal; 0 before the first.
        problems: What was damaged in the manifest at the start, in words.
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
