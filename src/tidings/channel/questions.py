"""What the service is asked beside commands: what there is, and what to do with dead letters.

A question reaches no channel's queue and changes no rules: the shell answers it itself, the same
through every door. `catalogue.py` has a row for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from tidings.channel.constraint_views import (
    CheckedConstraint,
    Explanation,
    MatchCount,
    PropertiesSeen,
)
from tidings.channel.fate import Fate
from tidings.channel.settings import Settings
from tidings.channel.views import (
    AdminInfo,
    Advertisement,
    ChannelInfo,
    DeadLetterInfo,
    FilterInfo,
    MappingInfo,
    ProxyInfo,
    ServiceStatus,
    SettingInfo,
)
from tidings.channel.vocabulary import Item, Place, Side
from tidings.cores import Most, Question
from tidings.filters.constraint import EventTypePattern

Name: TypeAlias = Annotated[int | str, "name"]
"""An id, or a name."""
Many: TypeAlias = Annotated[int, "many"]
"""How many objects a request may be about, 1 to 100,000."""
Last: TypeAlias = Annotated[int, "last"]
"""How many of a channel's latest events a request may be about, 1 to 10,000."""


@dataclass(frozen=True, slots=True)
class SeeChannels(Question[Sequence[ChannelInfo]]):
    """See all channels as they are now."""


@dataclass(frozen=True, slots=True)
class SeeChannel(Question[ChannelInfo]):
    """See one channel as it is now."""

    channel: Name


@dataclass(frozen=True, slots=True)
class SeeAdmins(Question[Sequence[AdminInfo]]):
    """See all admins of a channel as they are now, those for suppliers first."""

    channel: int


@dataclass(frozen=True, slots=True)
class SeeAdmin(Question[AdminInfo]):
    """See one admin as it is now."""

    channel: int
    side: Side
    admin: int


@dataclass(frozen=True, slots=True)
class SeeProxies(Question[Sequence[ProxyInfo]]):
    """See all proxies of a channel as they are now."""

    channel: int


@dataclass(frozen=True, slots=True)
class SeeProxy(Question[ProxyInfo]):
    """See one proxy as it is now: its backlog, what is in flight, what became of the rest."""

    channel: int
    proxy: Name


@dataclass(frozen=True, slots=True)
class SeeFilters(Question[Sequence[FilterInfo | MappingInfo]]):
    """See filters and mapping filters by rising ids; page on with `after`.

    Those with 0 `holders` end when nobody has used them for some time.

    Attributes:
        after: The id of the last one seen before.
        most: At most so many.
    """

    after: int = 0
    most: Most = 100


@dataclass(frozen=True, slots=True)
class SeeFilter(Question[FilterInfo | MappingInfo]):
    """See one filter or mapping filter as it is now; `kind` says which."""

    filter: int


@dataclass(frozen=True, slots=True)
class SeeRules(Question[Settings]):
    """See the settings that decide whether a change of objects is allowed."""


@dataclass(frozen=True, slots=True)
class SeeStatus(Question[ServiceStatus]):
    """See at a glance how the service is, and what its settings should not be."""


@dataclass(frozen=True, slots=True)
class SeeSettings(Question[Sequence[SettingInfo]]):
    """See every setting as it applies, and where it comes from; secrets are not shown.

    A service that a program embeds has none.
    """


@dataclass(frozen=True, slots=True)
class SeeAdvertisement(Question[Advertisement]):
    """See which event types suppliers offer and consumers ask for, and who does."""

    channel: int


@dataclass(frozen=True, slots=True)
class SeeHighestNumber(Question[int | None]):
    """See the highest number a producer's accepted events had: where it goes on after a restart.

    Attributes:
        producer: What the producer calls itself.
    """

    channel: int
    producer: str


@dataclass(frozen=True, slots=True)
class CheckConstraint(Question[CheckedConstraint]):
    """Check whether a constraint is valid, and what seems odd about it.

    Attributes:
        text: The expression; blank text is TRUE.
        known: The kinds of the properties that events have, to find misspelt names; {} for none.
    """

    text: str
    known: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExplainConstraint(Question[Explanation]):
    """Explain why an event matches a constraint, or does not.

    Attributes:
        text: The expression; blank text is TRUE.
        item: An event in typed JSON, or `{"any": value}`.
        types: Of which event types it is asked; [] for all.
        at: What `$curtime` reads, microseconds since 1970; null for now.
    """

    text: str
    item: Item
    types: Sequence[EventTypePattern] = ()
    at: int | None = None


@dataclass(frozen=True, slots=True)
class CountMatching(Question[MatchCount]):
    """Count how many of a channel's latest events match a constraint.

    Only events that the journal keeps are judged, each as of its arrival.

    Attributes:
        text: The expression; blank text is TRUE.
        types: Of which event types it is asked; [] for all.
        last: Of the latest so many numbers, at most 10,000.
        most: How many events are listed of those that match, and of the others.
    """

    channel: int
    text: str
    types: Sequence[EventTypePattern] = ()
    last: Last = 1_000
    most: Most = 20


@dataclass(frozen=True, slots=True)
class SeeProperties(Question[PropertiesSeen]):
    """See which properties a channel's latest events have, as far as the journal keeps them.

    Attributes:
        last: Of the latest so many numbers, at most 10,000.
    """

    channel: int
    last: Last = 200


@dataclass(frozen=True, slots=True)
class SeeFate(Question[Fate]):
    """See what became of an event: who it was for, and the state of each copy.

    It comes from the journal, and from what waits now. If the answer is not `complete`, the same
    request reads on.

    Attributes:
        number: The event's number.
        after: The id of the last proxy seen before.
        most: At most so many copies.
    """

    channel: int
    number: int
    after: int = 0
    most: Most = 100


@dataclass(frozen=True, slots=True)
class SeeDeadLetters(Question[Sequence[DeadLetterInfo]]):
    """See dead letters in the order they came, with the causes; page on with `after`.

    Attributes:
        channel: Of one channel, by its id or name.
        proxy: Of one proxy, by its id.
        after: The id of the last one seen before.
        most: At most so many.
        matching: A constraint their events match; blank text is TRUE.
    """

    channel: int | None = None
    proxy: int | None = None
    after: int = 0
    most: Most = 100
    matching: str = ""


@dataclass(frozen=True, slots=True)
class CountDeadLetters(Question[int]):
    """Count dead letters: all, or those that a channel, a proxy or a constraint selects.

    Attributes:
        channel: Of one channel, by its id or name.
        proxy: Of one proxy, by its id.
        matching: A constraint their events match; blank text is TRUE.
    """

    channel: int | None = None
    proxy: int | None = None
    matching: str = ""


@dataclass(frozen=True, slots=True)
class RedriveDeadLetter(Question[None]):
    """Deliver a dead letter again to the consumer it was for."""

    id: int


@dataclass(frozen=True, slots=True)
class RedriveDeadLetters(Question[int]):
    """Deliver the dead letters of a channel, or all, again whose events match a constraint.

    Letters whose consumer is gone or not connected stay.

    Attributes:
        channel: Of one channel, by id or name; null: all.
        matching: A constraint their events match; blank text is TRUE.
        most: At most so many.
        proxy: Of one proxy, by its id; null: all.
    """

    channel: Name | None = None
    matching: str = ""
    most: Many = 1_000
    proxy: int | None = None


@dataclass(frozen=True, slots=True)
class DropDeadLetter(Question[None]):
    """Drop a dead letter: nobody gets its event any more."""

    id: int


@dataclass(frozen=True, slots=True)
class DropDeadLetters(Question[int]):
    """Drop the dead letters of a channel, or all, whose events match a constraint.

    Attributes:
        channel: Of one channel, by id or name; null: all.
        matching: A constraint their events match; blank text is TRUE.
        most: At most so many, the oldest first.
        proxy: Of one proxy, by its id; null: all.
    """

    channel: Name | None = None
    matching: str = ""
    most: Many = 1_000
    proxy: int | None = None


def question_at(place: Place) -> Question[ChannelInfo] | Question[AdminInfo] | Question[ProxyInfo]:
    """The question for the object at a place."""
    if place.proxy is not None:
        return SeeProxy(place.channel, place.proxy)
    if place.admin is not None and place.side is not None:
        return SeeAdmin(place.channel, place.side, place.admin)
    return SeeChannel(place.channel)
