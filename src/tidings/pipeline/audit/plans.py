"""Compare the archived plan rows with the archiver's books."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from tidings.pipeline.matching.book import PlanRow
from tidings.stores.archive.rules import chain_digest


class PlanFault(NamedTuple):
    """A plan row that does not follow from the one before."""

    version: int
    problem: str


@dataclass(slots=True)
class PlanHistory:
    """The plan rows of one channel."""

    rows: int = 0
    digest: str = ""  # over all rows, as the archiver computes it
    # Rows that do not follow from the one before. Not faults if the books agree: the archive may
    # have begun later than the channel, or the journal had a gap.
    faults: tuple[PlanFault, ...] = ()

    def is_as_archived(self, rows: int, digest: str) -> bool:
        """Whether the books have the same count and digest."""
        return (self.rows, self.digest) == (rows, digest)


class _Change(msgspec.Struct):
    version: int
    whole: bool = False


_decode = msgspec.json.Decoder(_Change).decode


def plan_histories(rows: Iterable[PlanRow]) -> Mapping[str, PlanHistory]:
    """Return the plan history of each origin; `rows` are sorted by position."""
    found: dict[str, PlanHistory] = {}
    versions: dict[str, int] = {}
    for row in rows:
        history = found.setdefault(row.origin, PlanHistory())
        history.rows += 1
        history.digest = chain_digest(history.digest, row.version, row.change)
        problem = _problem(row, versions.get(row.origin, 0))
        if problem is not None:
            history.faults += (PlanFault(row.version, problem),)
        versions[row.origin] = row.version
    return found


def _problem(row: PlanRow, before: int) -> str | None:
    try:
        change = _decode(row.change)
    except msgspec.DecodeError as error:
        return f"cannot be read: {error}"
    if (change.version, change.whole) != (row.version, row.whole):
        return f"says that it is version {change.version}"
    if not change.whole and before != row.version - 1:
        return f"is made out of version {row.version - 1}, and follows version {before}"
    return None
