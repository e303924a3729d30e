"""What a run of the lake has done, counted and in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import msgspec

from tidings.pipeline.lake.loading import LoadedBatch
from tidings.pipeline.lake.log import LakeState
from tidings.pipeline.lake.schemas import KindConflict

_MICROSECONDS: Final = 1_000_000
_MOST_LISTED: Final = 100


class LakeResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a run has done, and how the lake is."""

    lake: str
    batches: int
    """Of this run; what follows up to `rows_by_table` too."""
    events: int
    outcomes: int
    quarantined: int
    failed_checks: dict[str, int]
    """Rows that failed or were warned about, by check."""
    conflicts: tuple[KindConflict, ...]
    """Properties that came with another kind than their column has."""
    properties_left_out: tuple[str, ...]
    """They got no column because their type has too many; they are in `events`."""
    types_left_out: dict[str, int]
    """Events of types without a table of their own; they are in `events`."""
    gaps: tuple[str, ...]
    """What retention had removed from the archive before it could be taken in."""
    rows_by_table: dict[str, int]
    damaged: dict[str, str]
    """Segments that are not in the lake because they are damaged, and how."""
    upto_seal: int
    files: int
    """Data files of the lake."""
    latency_us: int | None
    """From the arrival of the newest event of the last batch until it could be read."""
    notes: tuple[str, ...]
    """What was found and put right, or is wrong with the archive's manifest."""
    seconds: float


@dataclass(slots=True)
class LakeReport:
    """Counts over the batches of a run."""

    batches: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    conflicts: dict[tuple[str, str, str, str, str], KindConflict] = field(default_factory=dict)
    left_out: dict[str, None] = field(default_factory=dict)
    types_left_out: dict[str, int] = field(default_factory=dict)
    failed_checks: dict[str, int] = field(default_factory=dict)
    gaps: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    manifest_problems: tuple[str, ...] = ()
    latency_us: int | None = None
    last: str = ""

    def add(self, loaded: LoadedBatch, now: int, text: str) -> None:
        """Counts a batch.

        Args:
            loaded: The batch.
            now: When it became visible.
            text: What is said of it.
        """
        self.batches += 1
        self.last = text
        _sum_up(self.rows, loaded.rows)
        _sum_up(self.types_left_out, loaded.types_left_out)
        _sum_up(self.failed_checks, loaded.failed_checks)
        for one in loaded.conflicts:
            key = (one.domain, one.type, one.part, one.name, one.kind)
            before = self.conflicts.get(key)
            rows = one.rows + (before.rows if before else 0)
            self.conflicts[key] = msgspec.structs.replace(one, rows=rows)
        self.left_out |= dict.fromkeys(loaded.properties_left_out)
        self.gaps += loaded.batch.gaps
        if loaded.last_us is not None:
            self.latency_us = now - loaded.last_us

    def result(self, lake: str, state: LakeState, seconds: float) -> LakeResult:
        """The result of the run that ends now."""
        rows: dict[str, int] = {}
        for file in state.files.values():
            rows[file.table] = rows.get(file.table, 0) + file.rows
        return LakeResult(
            lake=lake,
            batches=self.batches,
            events=self.rows.get("events", 0),
            outcomes=self.rows.get("outcomes", 0),
            quarantined=self.rows.get("quarantine", 0),
            failed_checks=self.failed_checks,
            conflicts=tuple(self.conflicts.values()),
            properties_left_out=tuple(self.left_out)[:_MOST_LISTED],
            types_left_out=self.types_left_out,
            gaps=tuple(self.gaps),
            rows_by_table=dict(sorted(rows.items())),
            damaged=state.damaged,
            upto_seal=state.upto_seal,
            files=len(state.files),
            latency_us=self.latency_us,
            notes=(*self.notes, *self.manifest_problems),
            seconds=seconds,
        )


def batch_text(loaded: LoadedBatch, now: int, seconds: float) -> str:
    """One line about a batch."""
    rows = loaded.rows
    text = (
        f"batch {loaded.batch.batch}: {rows.get('events', 0):,} events, "
        f"{rows.get('outcomes', 0):,} outcomes in {seconds:.1f} s"
    )
    if loaded.rows.get("quarantine"):
        text += f", {rows['quarantine']:,} set aside"
    if loaded.batch.damaged:
        text += f", {len(loaded.batch.damaged)} damaged segments left out"
    if loaded.last_us is not None and loaded.first_us is not None:
        newest = (now - loaded.last_us) / _MICROSECONDS
        oldest = (now - loaded.first_us) / _MICROSECONDS
        text += f"; visible {newest:.1f} to {oldest:.1f} s after arrival"
    return text


def _sum_up(sums: dict[str, int], more: dict[str, int]) -> None:
    for key, count in more.items():
        sums[key] = sums.get(key, 0) + count
