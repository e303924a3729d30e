"""The rows of plans against the archiver's books: whether they are those that were archived."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from tidings.pipeline.matching.book import PlanRow
from tidings.stores.archive.rules import chain_digest


class PlanFault(NamedTuple):
    """A row of a plan that does not follow from the one before."""

    version: int  # of the row
    problem: str  # what is wrong with it


@dataclass(slots=True)
class PlanHistory:
    """The rows of one channel's plans."""

    rows: int = 0  # how many there are
    digest: str = ""  # over all of them, as the archiver makes it
    # Rows that do not follow from the one before. Where the books agree they are no faults: the
    # archive may have begun later than the channel, or the journal had a gap.
    faults: tuple[PlanFault, ...] = ()

    def is_as_archived(self, rows: int, digest: str) -> bool:
        """Whether the books say the same."""
        return (self.rows, self.digest) == (rows, digest)


class _Change(msgspec.Struct):
    version: int
    whole: bool = False


_decode = msgspec.json.Decoder(_Change).decode


def plan_histories(rows: Iterable[PlanRow]) -> Mapping[str, PlanHistory]:
    """What the rows of plans, in the order of their positions, say, by origin."""
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
