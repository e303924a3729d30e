"""What is changed at admins and proxies, and what can be known of a channel, on the wire."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Self

from pydantic import Field

from tidings.api.model import (
    Answer,
    Asked,
    EventType,
    Id,
    Key,
    ModeWord,
    SideWord,
    examples,
    pattern_in,
    pattern_out,
)
from tidings.channel import management
from tidings.channel.property_errors import PropertyRange
from tidings.channel.views import Advertisement
from tidings.channel.vocabulary import InfoMode, Place, Side
from tidings.filters.constraint import EventTypePattern


def _in(types: Iterable[EventType]) -> tuple[EventTypePattern, ...]:
    return tuple(pattern_in(one) for one in types)


def _out(patterns: Iterable[EventTypePattern]) -> list[EventType]:
    return [pattern_out(one) for one in patterns]


class RangeForm(Answer):
    """A property that could be set, and to what; null where every value of the type will do."""

    name: str
    low: bool | int | None
    high: bool | int | None


class Ranges(Answer):
    """What else could be set."""

    model_config = examples({"ranges": [{"name": "Priority", "low": -32767, "high": 32767}]})

    ranges: list[RangeForm]

    @classmethod
    def of(cls, ranges: Iterable[PropertyRange]) -> Self:
        """The answer that shows ranges."""
        return cls(ranges=[RangeForm(name=r.name, low=r.low, high=r.high) for r in ranges])

    def info(self) -> tuple[PropertyRange, ...]:
        """The ranges that were shown."""
        return tuple(PropertyRange(one.name, one.low, one.high) for one in self.ranges)


class TypesChange(Asked):
    """Event types that an admin or proxy asks for or offers from now on, and those no more."""

    model_config = examples({"added": ["Auction::books"], "removed": ["Auction::*"]})

    added: list[EventType] = Field(default_factory=list)
    removed: list[EventType] = Field(default_factory=list)
    side: SideWord | None = Field(
        default=None,
        description="`supplier` if they are offered, `consumer` if they are asked for, and refused "
        "at an object of the other side; null for what the object does.",
    )

    @classmethod
    def of(cls, command: management.OfferChange | management.SubscriptionChange) -> Self:
        """The request for a command."""
        offered = isinstance(command, management.OfferChange)
        return cls(
            added=_out(command.added),
            removed=_out(command.removed),
            side="supplier" if offered else "consumer",
        )

    def to_command(
        self, place: Place, side: Side
    ) -> management.OfferChange | management.SubscriptionChange:
        """What is asked of the core.

        Args:
            place: The object.
            side: Whom the object serves.

        Raises:
            InvalidEventType: An event type is outside the rules.
        """
        asked = side if self.side is None else Side(self.side)
        supplier = asked is Side.SUPPLIER
        kind = management.OfferChange if supplier else management.SubscriptionChange
        return kind(place, _in(self.added), _in(self.removed))


class AttachFilter(Asked):
    """A filter to be attached to an admin or proxy."""

    model_config = examples({"filter": 4})

    filter: Id = Field(description="Its id.")

    def to_command(self, place: Place) -> management.AddFilter:
        """What is asked of the core."""
        return management.AddFilter(place, self.filter)


class Attached(Answer):
    """A filter that was attached."""

    model_config = examples({"attachment": 1})

    attachment: int = Field(description="The id of the attachment there.")


class SetMappingForm(Asked):
    """The mapping filter that a consumer's admin or proxy is to have."""

    model_config = examples({"filter": 5})

    filter: Id | None = Field(description="Its id; null for none.")

    def to_command(self, place: Place, purpose: str) -> management.SetMapping:
        """What is asked of the core."""
        return management.SetMapping(place, purpose, self.filter)


class KnownTypesForm(Asked):
    """A question for what is offered (at a consumer's proxy) or wanted (at a supplier's)."""

    model_config = examples({"mode": "all_now_updates_on"})

    mode: ModeWord = Field(
        default="all_now_updates_off",
        description="Whether the types of now are told, and later changes.",
    )

    @classmethod
    def of(cls, command: management.ObtainTypes) -> Self:
        """The request for a command."""
        return cls(mode=_MODE_WORDS[command.mode])

    def to_command(self, channel: int, proxy: int) -> management.ObtainTypes:
        """What is asked of the core."""
        return management.ObtainTypes(channel, proxy, InfoMode[self.mode.upper()])


_MODE_WORDS: Final[dict[InfoMode, ModeWord]] = {
    InfoMode.ALL_NOW_UPDATES_OFF: "all_now_updates_off",
    InfoMode.ALL_NOW_UPDATES_ON: "all_now_updates_on",
    InfoMode.NONE_NOW_UPDATES_OFF: "none_now_updates_off",
    InfoMode.NONE_NOW_UPDATES_ON: "none_now_updates_on",
}


class KnownTypes(Answer):
    """What is offered or wanted."""

    model_config = examples({"types": ["Auction::books"]})

    types: list[EventType]

    @classmethod
    def of(cls, types: Iterable[EventTypePattern]) -> Self:
        """The answer that shows event types."""
        return cls(types=_out(types))

    def info(self) -> tuple[EventTypePattern, ...]:
        """The event types that were shown."""
        return _in(self.types)


class AdvertisementForm(Answer):
    """What is offered in a channel and what is wanted, and by whom."""

    model_config = examples(
        {
            "offered": ["Auction::books"],
            "wanted": ["Auction::*"],
            "offers": {"proxy 3": ["Auction::books"]},
            "wants": {"7": ["Auction::*"]},
        }
    )

    offered: list[EventType] = Field(description="All types suppliers say they will send.")
    wanted: list[EventType] = Field(description="All types consumers ask for.")
    offers: dict[str, list[EventType]] = Field(
        description="For each offering object (`proxy 3`, `admin 0`), its types."
    )
    wants: dict[Key, list[EventType]] = Field(
        description="For each consumer's proxy, by its id, its types."
    )

    @classmethod
    def of(cls, info: Advertisement) -> Self:
        """The answer that shows an advertisement."""
        return cls(
            offered=_out(info.offered),
            wanted=_out(info.wanted),
            offers={who: _out(types) for who, types in info.offers.items()},
            wants={proxy: _out(types) for proxy, types in info.wants.items()},
        )

    def info(self) -> Advertisement:
        """The advertisement that was shown."""
        return Advertisement(
            _in(self.offered),
            _in(self.wanted),
            {who: _in(types) for who, types in self.offers.items()},
            {proxy: _in(types) for proxy, types in self.wants.items()},
        )


class Highest(Answer):
    """The highest number a producer's accepted events had; null if the producer is unknown."""

    model_config = examples({"highest": 41})

    highest: int | None
