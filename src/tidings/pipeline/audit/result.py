"""Options and results of an audit, as plain data for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Final

from tidings.pipeline.archive import Selection


@dataclass(frozen=True, slots=True)
class AuditOptions(Selection):
    """What an audit covers."""

    sample: int = 20  # most events named in a finding
    checksums: bool = True  # whether to verify those of all segments, which reads them once more

    @property
    def is_part(self) -> bool:
        """Whether a time range is given, in which case the books cannot be checked."""
        return self.since_us is not None or self.until_us is not None


class FindingKind(StrEnum):
    """Kind of a finding."""

    MISSING_OUTCOME = "missing outcome"
    DOUBLED_OUTCOME = "doubled outcome"
    WRONG_PROXY = "wrong proxy"
    PLAN_DISAGREES = "plan disagrees"
    PLAN_CHANGED = "plan changed"
    EVENT_MISSING = "event missing"
    EVENT_DOUBLED = "event doubled"
    EVENT_CHANGED = "event changed"
    BOOKS_DISAGREE = "books disagree"
    SEGMENT_CHANGED = "segment changed"
    SEGMENT_LOST = "segment lost"
    MANIFEST_DAMAGED = "manifest damaged"
    GAP = "gap"
    SUM_WRONG = "sum wrong"
    RETENTION = "retention"
    CLOCK_SKEW = "clock skew"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class PairId:
    """An event, or one consumer's copy of it."""

    seq: int  # sequence number
    proxy: int | None = None  # consumer of the copy; None for the event itself


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault or a note."""

    kind: FindingKind
    fault: bool  # whether it is unexplained; otherwise it is a note
    sentence: str  # the finding in words
    channel: str | None = None  # channel name; None if it concerns all channels or a file
    origin: str | None = None
    count: int = 1  # number of events or copies
    pairs: tuple[PairId, ...] = ()  # some of them, at most `AuditOptions.sample`
    version: int | None = None  # version of the plan, if one is concerned
    file: str | None = None  # segment, if one is concerned


@dataclass(frozen=True, slots=True)
class Account:
    """Outcomes of one channel.

    A pair is an event and a consumer that should receive it; `pairs` is the sum of the fields from
    `best_effort` to `unexplained`.
    """

    channel: str  # channel name
    origin: str
    events: int = 0  # number of events audited
    pairs: int = 0  # number of pairs according to the plan
    # Of consumers that were not durable when the event was accepted; they have no copies
    best_effort: int = 0
    delivered: int = 0
    expired: int = 0
    discarded: int = 0
    dead_lettered: int = 0
    rejected: int = 0  # refused by the consumer for good
    disconnected: int = 0  # deleted with their consumer or channel
    lost: int = 0  # not deliverable because damage in the journal destroyed the content
    purged: int = 0  # dropped on request while they waited
    no_longer_tracked: int = 0  # waiting when their consumer stopped being durable
    pending: int = 0
    unexplained: int = 0  # none of the above
    # Dead letters that were delivered again; also counted above under their final outcome
    redriven: int = 0

    @property
    def copies(self) -> int:
        """Number of pairs whose consumer was durable when the event was accepted."""
        return self.pairs - self.best_effort


EXPLANATIONS: Final = tuple(one.name for one in fields(Account))[4:-2]
"""Fields of an account that explain pairs."""
ACCOUNTED: Final = {
    "dead-lettered" if name == "dead_lettered" else name.replace("_", " "): name
    for name in EXPLANATIONS
}
"""Field of `Account` by state of a pair. A new outcome needs a new field."""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """Result of an audit."""

    archive: str
    seal: int  # last seal covered
    sealed_us: int | None  # time of that seal, microseconds since 1970
    since_us: int | None  # start of the audited time; None for everything in the archive
    until_us: int | None
    # Whether the archiver's books were compared; never for a time range
    books_checked: bool
    accounts: tuple[Account, ...]  # sorted by channel name
    findings: tuple[Finding, ...]  # faults first, then notes
    lanes: tuple[str, ...] = field(default=())  # how plans and events were matched
    seconds: float = 0.0  # duration of the audit

    @property
    def faults(self) -> tuple[Finding, ...]:
        """Findings that are unexplained."""
        return tuple(finding for finding in self.findings if finding.fault)

    @property
    def status(self) -> int:
        """Exit status of the command: 0 if everything is explained, else 1."""
        return 1 if self.faults else 0
