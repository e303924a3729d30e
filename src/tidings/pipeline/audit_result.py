"""What an audit is asked, and what it answers; plain data, ready for JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """What an audit looks at.

    Attributes:
        archive: The folder of the archive, or any place Spark reads.
        channels: Names or origins of channels; empty for all.
        since_us: Events that arrived from this moment on, microseconds since 1970.
        until_us: Events that arrived before this moment.
        sample: At most this many events are named in a finding.
        checksums: Whether the checksums of all segments are compared; it reads them once more.
    """

    archive: str
    channels: tuple[str, ...] = ()
    since_us: int | None = None
    until_us: int | None = None
    sample: int = 20
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
    """An event, or one consumer's copy of it.

    Attributes:
        seq: The event's number in its channel.
        proxy: Whose copy; None for the event itself.
    """

    seq: int
    proxy: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong or worth knowing.

    Attributes:
        kind: Of which kind.
        fault: Whether it is unexplained; otherwise it is only told.
        sentence: What it is, in plain words.
        channel: The channel's name; None where it concerns all, or a file.
        origin: The channel's origin.
        count: How many events or copies it concerns.
        pairs: Some of them, at most the sample.
        version: Of the plan, where one is concerned.
        file: The segment, where one is concerned.
    """

    kind: FindingKind
    fault: bool
    sentence: str
    channel: str | None = None
    origin: str | None = None
    count: int = 1
    pairs: tuple[PairId, ...] = ()
    version: int | None = None
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """What became of the events of one channel; `pairs` is the sum of all that follow it.

    A pair is an event and a consumer it goes to.

    Attributes:
        channel: Its name.
        origin: Its origin.
        events: How many events were looked at.
        pairs: How many pairs plan and events give.
        best_effort: Of consumers that were not durable when the event was accepted: no copies.
        delivered: Were delivered.
        expired: Expired.
        discarded: Were discarded.
        dead_lettered: Became dead letters.
        rejected: Were refused by the consumer for good.
        disconnected: Went with their consumer or their channel.
        lost: Could not be delivered: damage in the journal has cost their content.
        purged: Were dropped while they waited, as somebody asked.
        no_longer_tracked: Waited when their consumer stopped being durable.
        pending: Wait.
        unexplained: None of these.
        redriven: How many of the pairs were dead letters that were delivered again; counted
            above by what became of them then.
    """

    channel: str
    origin: str
    events: int = 0
    pairs: int = 0
    best_effort: int = 0
    delivered: int = 0
    expired: int = 0
    discarded: int = 0
    dead_lettered: int = 0
    rejected: int = 0
    disconnected: int = 0
    lost: int = 0
    purged: int = 0
    no_longer_tracked: int = 0
    pending: int = 0
    unexplained: int = 0
    redriven: int = 0

    @property
    def copies(self) -> int:
        """How many of the pairs are of consumers that were durable when the event was accepted."""
        return self.pairs - self.best_effort

    @property
    def explained(self) -> int:
        """The sum of all explanations and of what has none."""
        return (
            self.best_effort
            + self.delivered
            + self.expired
            + self.discarded
            + self.dead_lettered
            + self.rejected
            + self.disconnected
            + self.lost
            + self.purged
            + self.no_longer_tracked
            + self.pending
            + self.unexplained
        )


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What an audit found.

    Attributes:
        archive: Which archive.
        seal: As of which seal.
        sealed_us: When that was, microseconds since 1970.
        since_us: From when on events were looked at; None for all there are.
        until_us: Until when.
        books_checked: Whether the archiver's own books were compared; not for a part of the time.
        accounts: By channel, in the order of their names.
        findings: What is wrong first, then what is only told.
        lanes: How plan and events were matched.
        seconds: How long it took.
    """

    archive: str
    seal: int
    sealed_us: int | None
    since_us: int | None
    until_us: int | None
    books_checked: bool
    accounts: tuple[Account, ...]
    findings: tuple[Finding, ...]
    lanes: tuple[str, ...] = field(default=())
    seconds: float = 0.0

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What is unexplained."""
        return tuple(finding for finding in self.findings if finding.fault)

    @property
    def status(self) -> int:
        """What the command ends with: 0 if all is explained, 1 if not."""
        return 1 if self.faults else 0
