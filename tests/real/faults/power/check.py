"""Cuts the power at many places of a recording, and asks each time whether promises were kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.real.faults.power.recording import Recording

__all__ = ["Problem", "Verify", "chosen_cuts", "find_problems"]

Verify = Callable[[Path, bytes], str | None]


class Problem(NamedTuple):
    """A cut after which a promise was broken; `Random(draw)` gives the same disk again."""

    cut: int
    draw: str
    what: str

    def __str__(self) -> str:
        return f"cut {self.cut}, Random({self.draw!r}): {self.what}"


def chosen_cuts(
    recording: Recording, cuts: int, seed: int, *, most_turns: int | None = None
) -> list[int]:
    """Cuts drawn at random, and those around syncs, changes of names and answers.

    Args:
        recording: Where to cut.
        cuts: How many are drawn besides; a place may be drawn again, for another disk.
        seed: The same seed draws the same cuts.
        most_turns: Take so many turning points at most, drawn as well; all if None.
    """
    random = Random(f"{seed} cuts")
    turns = recording.turning_points()
    if most_turns is not None and most_turns < len(turns):
        turns = random.sample(turns, most_turns)
    return sorted(turns + random.choices(recording.cut_points(), k=cuts))


def find_problems(
    recording: Recording,
    cuts: int,
    seed: int,
    verify: Verify,
    scratch: Path,
    *,
    most_turns: int | None = None,
) -> list[Problem]:
    """Rebuilds a disk for each cut, and has it verified.

    Args:
        recording: What the program did.
        cuts: How many cuts are drawn besides the turning points.
        seed: The same seed gives the same disks.
        verify: Gets a folder, which it may change, and the answers given before the cut; says
            what is wrong, or None. An exception it raises is a problem as well.
        scratch: An empty folder for the disks; each is removed when it was verified.
        most_turns: As in `chosen_cuts`.
    """
    problems = []
    for number, cut in enumerate(chosen_cuts(recording, cuts, seed, most_turns=most_turns)):
        draw = f"{seed} {number} {cut}"
        disk = scratch / f"disk{number}"
        recording.disk_at(cut, Random(draw), disk)
        try:
            what = verify(disk, recording.answers_before(cut))
        except Exception as error:  # noqa: BLE001 -- whatever it is, the disk brought it about
            what = f"{type(error).__name__}: {error}"
        shutil.rmtree(disk)
        if what is not None:
            problems.append(Problem(cut, draw, what))
    return problems
