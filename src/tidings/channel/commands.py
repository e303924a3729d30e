"""Commands of the flow of events; `management.py` has the others.

A docstring says what the answer is, unless it is None. A command that cannot be carried out is
answered with an error from the one tree, and has changed nothing. Objects are named by ids: a
channel's is unique in the factory, an admin's in its channel and side, a proxy's in its channel
(both sides together), a filter's in the host.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple, TypeAlias

from tidings.channel.entries import Entry
from tidings.channel.management import Management
from tidings.channel.vocabulary import Item
from tidings.cores import Request
from tidings.events.envelope import ProducerMark
from tidings.events.structured import StructuredEvent

Seqs: TypeAlias = Annotated[Sequence[int], "seqs"]
"""Numbers of events."""
Reason: TypeAlias = Annotated[str, "reason"]
"""Why a consumer does not take events."""


class Warned(int):
    """The number of an accepted event whose header says something in vain: see `warnings`."""

    warnings: tuple[str, ...]

    @classmethod
    def of(cls, seq: int, warnings: Iterable[str]) -> Warned:
        """A number with warnings."""
        made = cls(seq)
        made.warnings = tuple(warnings)
        return made


class Push(NamedTuple):
    """Events from a supplier. Answer: for each its number, 0 if a filter stopped it, or an error.

    The same mark is answered alike, or with -1 if its number is not known any more.
    A number is a `Warned` if something in the event's header has no effect.

    Attributes:
        items: The events, at most `Limits.batch_events`.
        marks: The producer's marks, one for each; None for none.
        hops: Origins of the channels they have passed.
        trail: Whether each number comes with its decision trail, as a `Traced`.
        whole: Events that are accepted together or not at all: the first one that would be
            refused refuses the command. Of a push in parts the first part has all of them here.
        more: Whether this is a part of a push, and the next part follows soon.
        promised: Whether this is a further part of a push that was accepted as a whole.
    """

    channel: int
    proxy: int
    items: Sequence[Item]
    marks: Sequence[ProducerMark] | None = None
    hops: tuple[str, ...] = ()
    trail: bool = False
    whole: Sequence[Item] = ()
    more: bool = False
    promised: bool = False


class Pull(NamedTuple):
    """A consumer asks; the effect `Pulled` or `PullEnded` follows, now or later.

    Attributes:
        token: The engine's own number, named again in the effect `Pulled`.
        most: At most so many events; 1 for any and structured proxies.
        wait: How long, in microseconds; 0 for not at all, None for ever.
        lease: How long the consumer has to acknowledge, in microseconds; None if the engine
            does so when it hands the events over.
    """

    channel: int
    proxy: int
    token: int
    most: int = 1
    wait: int | None = None
    lease: int | None = None


class CancelPull(NamedTuple):
    """Who asked waits no more."""

    channel: int
    proxy: int
    token: int


class Ack(NamedTuple):
    """Acknowledge events that a consumer was given; unknown numbers are ignored.

    Attributes:
        seqs: Numbers of events.
    """

    channel: int
    proxy: int
    seqs: Seqs


class Lost(NamedTuple):
    """The content of these events is damaged or gone; unknown numbers are ignored."""

    channel: int
    proxy: int
    seqs: Sequence[int]


class Withhold(NamedTuple):
    """Purge events that the consumer may not see any more; unknown numbers are ignored."""

    channel: int
    proxy: int
    seqs: Sequence[int]


class Failed(NamedTuple):
    """Give events back that a consumer could not take; unknown numbers are ignored.

    Attributes:
        seqs: Numbers of events; they are delivered again.
        reason: Why.
        gone: The consumer does not exist any more: its proxy ends.
        behind: Nobody tried: the consumer had just failed with other events. The pause before the
            retry begins anew, but this does not count as another failure.
    """

    channel: int
    proxy: int
    seqs: Seqs
    reason: Reason = ""
    gone: bool = False
    behind: bool = False


class Reject(NamedTuple):
    """Reject events: they become dead letters; unknown numbers are ignored.

    Attributes:
        seqs: Numbers of events.
        reason: Why.
    """

    channel: int
    proxy: int
    seqs: Seqs
    reason: Reason = ""


class Redrive(NamedTuple):
    """Delivers a dead letter again.

    The engine keeps the event again (it gets a `Message`). `entry`, `arrival` (microseconds since
    1970) and `plan` are as when it was first accepted.
    """

    channel: int
    proxy: int
    event: StructuredEvent
    entry: Entry
    arrival: int
    plan: int


class Polled(NamedTuple):
    """What a pull supplier had.

    `reason` is why asking failed, empty if it did not; the proxy of a supplier that is `gone` ends.
    """

    channel: int
    proxy: int
    items: Sequence[Item] = ()
    reason: str = ""
    gone: bool = False


class DryRun(NamedTuple):
    """Trace what would become of an event; nothing is changed and nobody gets it.

    Answer: its `Trail`, each stage with verdict and reason.

    Attributes:
        item: An event in typed JSON, or `{"any": value}`.
        proxy: Through which proxy; null for one without filters.
    """

    channel: int
    item: Item
    proxy: int | None = None


# From the engine itself.


class Bound(NamedTuple):
    """Bounds the content that waits in memory for the consumers of one owner; None for no bound."""

    owner: str
    octets: int | None


class Refilled(NamedTuple):
    """The answer to the effect `Refill`, or what the disk would not take of a `Spill`.

    `left` is how many are on the disk, or on their way there; `asked` whether the entries come
    before all of those, as a `Refill` asks for them.
    """

    channel: int
    proxy: int
    entries: Sequence[Entry]
    left: int
    asked: bool = True


class Revoke(NamedTuple):
    """These events could not be written: they were never accepted, and the marks may come again."""

    channel: int
    seqs: Sequence[int]
    marks: Sequence[ProducerMark] = ()


class Idle(NamedTuple):
    """Puts the waiting entries of a proxy that nothing moves on the disk. Answer: how many."""

    channel: int
    proxy: int


class ClockSet(NamedTuple):
    """The clock of the machine was set: host time plus offset is the time now."""

    offset: int


class RefusePersistent(NamedTuple):
    """Refuses Persistent events from now on, with this reason; empty accepts them."""

    reason: str


class Tick(NamedTuple):
    """Time has passed."""


Command: TypeAlias = (
    Management
    | Ack
    | Bound
    | Lost
    | CancelPull
    | ClockSet
    | DryRun
    | Failed
    | Idle
    | Polled
    | Pull
    | Push
    | Redrive
    | RefusePersistent
    | Refilled
    | Reject
    | Request
    | Revoke
    | Tick
    | Withhold
)
