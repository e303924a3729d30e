"""The cast of the demo: auction houses with their offers, bidders with what they want.

The seed and the start time determine everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from random import Random

from tidings.clock import from_timebase
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.fields import Fields, fields_of
from tidings.events.standard_header import utc
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.mapping import MappedConstraint, MappingFilter

CHANNEL = "auction-alert"
DOMAIN = "Auction"
EVENT_NAME = "offer"

OFFERS_PER_HOUSE = 48

# One stamp offer in this many closes within seconds, too early for a bidder who is away.
LAST_CALL = 4
LAST_CALL_SECONDS = 1.2

_FIFO = 1
_BY_PRIORITY = 2

# First word of a title, possible subjects, and the usual start price.
_THINGS = {
    "books": (("Novel", "Atlas", "Diary", "Cookbook"), ("the sea", "Vienna", "bees", "Peru"), 18),
    "clocks": (("Wall clock", "Watch", "Sundial"), ("brass", "oak", "silver"), 400),
    "coins": (("Ducat", "Thaler", "Penny"), ("gold", "silver", "copper"), 90),
    "maps": (("Map", "Chart", "Plan"), ("Vienna", "the Alps", "the Baltic"), 120),
    "prints": (("Etching", "Woodcut", "Poster"), ("Vienna", "a harbour", "a horse"), 60),
    "stamps": (("Stamp", "Block", "First-day cover"), ("blue", "red", "misprinted"), 8),
}
CATEGORIES = tuple(_THINGS)


@dataclass(frozen=True, slots=True)
class House:
    """An auction house: a supplier of some categories."""

    name: str
    categories: tuple[str, ...]

    @property
    def types(self) -> tuple[str, ...]:
        """Return the event types that it offers."""
        return tuple(f"{DOMAIN}::{category}" for category in self.categories)


@dataclass(frozen=True, slots=True)
class Lot:
    """A thing that is offered."""

    item: str
    category: str
    start_price: float
    seller: str
    priority: int | None = None

    def offer(self, closes: datetime) -> StructuredEvent:
        """Return the event that offers it until a time, after which nobody needs it."""
        data = {
            "item": self.item,
            "category": self.category,
            "start_price": self.start_price,
            "closes": utc(closes),
            "seller": self.seller,
        }
        return event(DOMAIN, self.category, EVENT_NAME, data, priority=self.priority, stop=closes)


class Habit(Enum):
    """How a bidder receives alerts."""

    AT_ONCE = "takes alerts as they come"
    SLOWLY = "takes a while over each alert"
    PULLS = "asks for alerts now and then"
    BY_PRIORITY = "most wanted first; pauses after the restart"
    AWAY = "subscribes, leaves, comes back late"


@dataclass(frozen=True, slots=True)
class Bidder:
    """A consumer with a durable subscription.

    One constraint of `wanted` must match; those of `priorities` set the priority of an alert.
    """

    name: str
    habit: Habit
    wanted: tuple[Constraint, ...]
    priorities: tuple[MappedConstraint, ...] = ()

    @property
    def qos(self) -> dict[str, object]:
        """Return the order of delivery as quality of service."""
        return {"OrderPolicy": _BY_PRIORITY if self.priorities else _FIFO}

    def priority(self, fields: Fields) -> int:
        """Return the priority of an alert in this bidder's queue."""
        mapping = MappingFilter(0)
        mapping.add(self.priorities)
        found = mapping.match(fields)[1]
        assert isinstance(found, int)
        return found


def _of(text: str, *categories: str) -> Constraint:
    return constraint(text, [f"{DOMAIN}::{category}" for category in categories])


HOUSES = (
    House("Hartung", ("books", "maps")),
    House("Lindqvist", ("books", "coins")),
    House("Moreau", ("prints", "stamps")),
    House("Okafor", ("clocks", "coins")),
    House("Tanaka", ("clocks", "prints", "stamps")),
)

BIDDERS = (
    Bidder("Ada", Habit.AT_ONCE, (_of("$category == 'books' and $start_price < 20", "books"),)),
    Bidder("Bruno", Habit.SLOWLY, (_of("'gold' ~ $item or $start_price > 120", "coins"),)),
    Bidder(
        "Chiara",
        Habit.AT_ONCE,
        (_of("'Vienna' ~ $item", "maps", "prints"), _of("$seller == 'Hartung'", "books")),
    ),
    Bidder("Dora", Habit.PULLS, (_of("$start_price < 450", "clocks"),)),
    Bidder(
        "Emil",
        Habit.BY_PRIORITY,
        (_of("$start_price >= 40", "books", "clocks", "coins", "maps", "prints"),),
        (
            MappedConstraint(_of("$category == 'maps'"), 9),
            MappedConstraint(_of("$start_price < 100"), 5),
            MappedConstraint(_of("exist $Priority"), 3),
        ),
    ),
    Bidder("Otto", Habit.AWAY, (_of("", "stamps"),)),
)


@dataclass(frozen=True, slots=True)
class Scene:
    """One evening; `begins` is in microseconds since 1970."""

    seed: int
    begins: int
    per_house: int = OFFERS_PER_HOUSE
    houses: Sequence[House] = field(default=HOUSES, init=False)
    bidders: Sequence[Bidder] = field(default=BIDDERS, init=False)

    @property
    def total(self) -> int:
        """Total number of offers."""
        return self.per_house * len(self.houses)

    @property
    def killed_after(self) -> int:
        """Number of acknowledged offers after which the demo kills the service."""
        return Random(self.seed).randrange(self.total * 35 // 100, self.total * 50 // 100)

    @property
    def before_kill(self) -> int:
        """Most offers that a house makes while it waits for the kill."""
        return self.per_house * 7 // 10

    @property
    def last_call_closed(self) -> int:
        """Time when all short offers have closed, microseconds since 1970."""
        return self.begins + int(LAST_CALL_SECONDS * 1_000_000)

    def offers(self, house: House) -> list[StructuredEvent]:
        """Return the offers of a house in order; deterministic for a seed and start time."""
        began = datetime.fromtimestamp(self.begins / 1_000_000, UTC)
        return [lot.offer(began + open_for) for lot, open_for in self._drawn(house)]

    def lots(self, house: House) -> list[Lot]:
        """Return what a house offers, in order; deterministic for a seed."""
        return [lot for lot, _ in self._drawn(house)]

    def _drawn(self, house: House) -> list[tuple[Lot, timedelta]]:
        random = Random(f"{self.seed} {house.name}")
        return [_lot(random, house) for _ in range(self.per_house)]


def _lot(random: Random, house: House) -> tuple[Lot, timedelta]:
    """Draw a lot, and how long it is open."""
    category = random.choice(house.categories)
    things, subjects, usual = _THINGS[category]
    last_call = category == "stamps" and random.randrange(LAST_CALL) == 0
    shown = round(LAST_CALL_SECONDS * random.uniform(0.2, 1), 3)
    open_for = timedelta(seconds=shown) if last_call else timedelta(hours=random.randint(24, 240))
    item = f"{random.choice(things)}, {random.choice(subjects)}"
    price = round(random.lognormvariate(0, 0.8) * usual, 2)
    urgent = random.randrange(8) == 0
    priority = random.randint(1, 9) if urgent else None
    return Lot(item, category, price, house.name, priority), open_for


def wants(bidder: Bidder, offer: StructuredEvent) -> bool:
    """Evaluate the bidder's constraints one by one, without index or service."""
    fields = fields_of(offer)
    return any(asked.matches(fields) for asked in bidder.wanted)


def closing(offer: StructuredEvent) -> int:
    """Return when an offer closes, microseconds since 1970."""
    stop = offer.header["StopTime"]
    assert isinstance(stop, Any)
    assert isinstance(stop.value, tuple)
    units = stop.value[0]
    assert isinstance(units, int)
    return from_timebase(units)
