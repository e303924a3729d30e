"""What an audit is asked, and what it answers; plain data, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Final


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """What an audit looks at."""

    archive: str  # the folder of the archive
    channels: tuple[str, ...] = ()  # names or origins of channels; empty for all
    since_us: int | None = None  # events that arrived from this moment on, microseconds since 1970
    until_us: int | None = None  # events that arrived before this moment
    sample: int = 20  # at most this many events are named in a finding
    # Whether the checksums of all segments are compared; it reads them once more
    checksums: bool = True

    @property
    def is_part(self) -> bool:
        """Whether a time is given, so that the books cannot be checked."""
        return self.since_us is not None or self.until_us is not None


class FindingKind(StrEnum):
    """What is wrong, or worth knowing."""

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

    seq: int  # the event's number in its channel
    proxy: int | None = None  # whose copy; None for the event itself


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong or worth knowing."""

    kind: FindingKind  # of which kind
    fault: bool  # whether it is unexplained; otherwise it is only told
    sentence: str  # what it is, in plain words
    channel: str | None = None  # the channel's name; None where it concerns all, or a file
    origin: str | None = None  # the channel's origin
    count: int = 1  # how many events or copies it concerns
    pairs: tuple[PairId, ...] = ()  # some of them, at most the sample
    version: int | None = None  # of the plan, where one is concerned
    file: str | None = None  # the segment, where one is concerned


@dataclass(frozen=True, slots=True)
class Account:
    """What became of the events of one channel; `pairs` is the sum of all that follow it.

    A pair is an event and a consumer it goes to.
    """

    channel: str  # its name
    origin: str  # its origin
    events: int = 0  # how many events were looked at
    pairs: int = 0  # how many pairs plan and events give
    # Of consumers that were not durable when the event was accepted: no copies
    best_effort: int = 0
    delivered: int = 0
    expired: int = 0
    discarded: int = 0
    dead_lettered: int = 0
    rejected: int = 0  # were refused by the consumer for good
    disconnected: int = 0  # went with their consumer or their channel
    lost: int = 0  # could not be delivered: damage in the journal has cost their content
    purged: int = 0  # were dropped while they waited, as somebody asked
    no_longer_tracked: int = 0  # waited when their consumer stopped being durable
    pending: int = 0
    unexplained: int = 0  # none of these
    # How many of the pairs were dead letters that were delivered again; counted above by what
    # became of them then
    redriven: int = 0

    @property
    def copies(self) -> int:
        """How many of the pairs are of consumers that were durable when the event was accepted."""
        return self.pairs - self.best_effort


EXPLANATIONS: Final = tuple(one.name for one in fields(Account))[4:-2]
"""The fields of an account that explain pairs."""
ACCOUNTED: Final = {
    "dead-lettered" if name == "dead_lettered" else name.replace("_", " "): name
    for name in EXPLANATIONS
}
"""What a pair counts under, by its state. A new outcome is a new field of `Account`."""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What an audit found."""

    archive: str  # which archive
    seal: int  # as of which seal
    sealed_us: int | None  # when that was, microseconds since 1970
    since_us: int | None  # from when on events were looked at; None for all there are
    until_us: int | None  # until when
    # Whether the archiver's own books were compared; not for a part of the time
    books_checked: bool
    accounts: tuple[Account, ...]  # by channel, in the order of their names
    findings: tuple[Finding, ...]  # what is wrong first, then what is only told
    lanes: tuple[str, ...] = field(default=())  # how plan and events were matched
    seconds: float = 0.0  # how long it took

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What is unexplained."""
        return tuple(finding for finding in self.findings if finding.fault)

    @property
    def status(self) -> int:
        """What the command ends with: 0 if all is explained, 1 if not."""
        return 1 if self.faults else 0
