"""Result of a lake run."""

from __future__ import annotations

from typing import Final

import msgspec

from tidings.pipeline.lake.loading import LoadedBatch
from tidings.pipeline.lake.log import LakeState
from tidings.pipeline.lake.schemas import KindConflict

_MOST_LISTED: Final = 100


class LakeResult(msgspec.Struct, kw_only=True):
    """Work of a run (fields up to `gaps`) and the state of the lake afterwards."""

    lake: str
    batches: int = 0
    events: int = 0
    outcomes: int = 0
    quarantined: int = 0
    failed_checks: dict[str, int] = {}  # rows that failed or caused a warning, by check
    conflicts: tuple[KindConflict, ...] = ()  # properties of another kind than their column
    # They have no column because their type has too many; they are in `events`.
    properties_left_out: tuple[str, ...] = ()
    types_left_out: dict[str, int] = {}  # events of types without a table; they are in `events`
    gaps: tuple[str, ...] = ()  # what retention removed before it was loaded
    rows_by_table: dict[str, int] = {}
    damaged: dict[str, str] = {}  # segments that are not in the lake, and what is wrong with them
    upto_seal: int = 0
    files: int = 0  # data files of the lake
    # From the arrival of the newest event of the last batch until it was readable.
    latency_us: int | None = None
    notes: tuple[str, ...] = ()  # repairs, and problems of the archive's manifest
    seconds: float = 0.0

    def add(self, loaded: LoadedBatch, now: int) -> None:
        """Add a batch that became visible at `now`."""
        self.batches += 1
        self.events += loaded.rows.get("events", 0)
        self.outcomes += loaded.rows.get("outcomes", 0)
        self.quarantined += loaded.rows.get("quarantine", 0)
        for sums, more in (
            (self.types_left_out, loaded.types_left_out),
            (self.failed_checks, loaded.failed_checks),
        ):
            for key, count in more.items():
                sums[key] = sums.get(key, 0) + count
        conflicts = {msgspec.structs.astuple(one)[:-1]: one for one in self.conflicts}
        for one in loaded.conflicts:
            same = msgspec.structs.astuple(one)[:-1]
            before = conflicts.get(same)
            rows = one.rows + (before.rows if before else 0)
            conflicts[same] = msgspec.structs.replace(one, rows=rows)
        self.conflicts = tuple(conflicts.values())
        left_out = dict.fromkeys((*self.properties_left_out, *loaded.properties_left_out))
        self.properties_left_out = tuple(left_out)[:_MOST_LISTED]
        self.gaps += loaded.batch.gaps
        if loaded.last_us is not None:
            self.latency_us = now - loaded.last_us

    def end(self, state: LakeState, seconds: float) -> None:
        """Record the state of the lake at the end of the run."""
        rows: dict[str, int] = {}
        for file in state.files.values():
            rows[file.table] = rows.get(file.table, 0) + file.rows
        self.rows_by_table = dict(sorted(rows.items()))
        self.damaged, self.upto_seal, self.files = state.damaged, state.upto_seal, len(state.files)
        self.seconds = seconds
