"""The choices the standard leaves open, and the limits of this server, by name.

`docs/settings.md` lists them with their reasons; each has a test.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import cache
from typing import Final, NamedTuple, Self, get_type_hints

from tidings.channel import properties, qos_check
from tidings.channel.properties import ADMIN_PROPERTIES, AdminProperties
from tidings.channel.property_errors import NOT_NARROWED, Level, Supported
from tidings.channel.qos import QOS_PROPERTIES, DiscardPolicy, OrderPolicy, QoS
from tidings.errors import InvalidUsage, LimitExceeded, TooManyObjects, UnsupportedProperties
from tidings.events.texts import shortened
from tidings.filters.constraint import Constraint
from tidings.filters.plan import Operator

_SECOND: Final = 1_000_000


class Inheritance(Enum):
    """How an admin or proxy comes by what was never set at it."""

    COPIED = "copied"
    FOLLOWED = "followed"


@dataclass(frozen=True, slots=True)
class Limits:
    """What the server keeps in memory, whatever the quality of service says; each at least 1.

    Attributes:
        entries_per_consumer: Waiting events of one consumer.
        octets_per_consumer: Their content, as far as it is in memory only.
        octets_in_all: The content of all waiting events that is in memory only.
        event_octets: One event.
        event_values: Values in one event or request that comes as JSON, an object or list
            counted as ten; values in one CORBA message. Reading at the limit takes about 20 ms.
        batch_events: Events in one push.
        filter_constraints: Constraints of one filter.
        filter_types: Event types that the constraints of one filter name, in all.
        filter_octets: Their texts in all. Asking the longest filter takes about 15 ms.
        filter_searches: How often `~` stands in them. Each looks through a text of 3 MB in about
            3 ms.
        producers: Producers whose marks a channel remembers.
        producer_runs: Runs of numbers of one producer whose sequence numbers are remembered, and
            gaps that are remembered below them: a number with more gaps above it cannot be judged
            any more, and is refused.
        producer_runs_in_all: The same of all producers of a channel, 24 octets each.
        dead_letters: Dead letters kept in all; beyond, the oldest go.
        channels: Channels of the service.
        admins: Admins of one channel.
        proxies: Proxies of one channel, for suppliers and consumers together.
        named_proxies: Subscriptions and other proxies with a name of all channels: they last
            until they are deleted.
        filters: Filters and mapping filters of the service, private ones among them.
    """

    entries_per_consumer: int = 100_000
    octets_per_consumer: int = 64 * 1024 * 1024
    octets_in_all: int = 1024 * 1024 * 1024
    event_octets: int = 10_000_000
    event_values: int = 100_000
    batch_events: int = 10_000
    filter_constraints: int = 1_000
    filter_types: int = 10_000
    filter_octets: int = 128 * 1024
    filter_searches: int = 20
    producers: int = 100_000
    producer_runs: int = 1_024
    producer_runs_in_all: int = 1_000_000
    dead_letters: int = 10_000
    channels: int = 10_000
    admins: int = 10_000
    proxies: int = 1_000_000
    named_proxies: int = 200_000
    filters: int = 1_000_000

    def __post_init__(self) -> None:
        for one in fields(self):
            _check_number(f"limits.{one.name}", getattr(self, one.name), 1)

    def check_filter(self, constraints: Iterable[FilterPart]) -> int:
        """Return the octets of a filter's constraints, or raise LimitExceeded."""
        found = list(constraints)
        octets = sum(len(one.text) for one in found)
        for count, most, what in (
            (len(found), self.filter_constraints, "constraints"),
            (sum(one.types for one in found), self.filter_types, "event types"),
            (octets, self.filter_octets, "characters"),
            (sum(one.text.count("~") for one in found), self.filter_searches, "times ~"),
        ):
            if count > most:
                raise LimitExceeded(
                    f"{count} {what} are more than the {most} that one filter may have: use "
                    "several filters"
                )
        return octets


class FilterPart(NamedTuple):
    """What counts of one constraint for the size of its filter."""

    text: str
    types: int

    @classmethod
    def of(cls, constraint: Constraint) -> Self:
        """That of a constraint."""
        return cls(constraint.text, len(constraint.event_types))


@dataclass(frozen=True, slots=True)
class Settings:
    """How this installation reads the standard where it is silent. Times in microseconds.

    Attributes:
        default_operator: How the default admins join their filters with their proxies'.
        empty_filter_passes: Whether a filter without constraints lets every event pass.
        empty_group_is_neutral: Under OR, whether a group without filters leaves the decision
            to the other group; otherwise it lets every event pass.
        default_qos: What a new channel starts with where nothing is asked for. HTTP, the Python
            client, the command line and `apply` ask for both reliabilities.
        default_admin: The admin properties a new channel starts with.
        any_order: The order kept for OrderPolicy AnyOrder.
        any_discard: The policy followed for DiscardPolicy AnyOrder.
        inheritance: Whether later changes at a parent reach what was never set at the child.
        narrowed: Properties of which less is supported than is legal.
        call_back_on_disconnect: Whether a client that disconnects itself is told so once.
        mapping_default_always: Whether a mapping filter's default goes before the event's own
            property.
        retry_first: Pause after the first failed delivery; it doubles with each further one.
        retry_longest: The longest pause.
        retry_limit: The failure in a row with which a BestEffort connection is given up; 0 is the
            same as 1.
        poll_interval: How often a pull supplier is asked.
        sweep_interval: How often expired events are cleared away.
        unused_filter_lifetime: How long a filter that no admin or proxy holds lasts after it was
            last used. A CORBA client may keep no more than its reference, so it is long.
        unused_proxy_lifetime: How long a proxy without a name, whose client cannot be called, lasts
            after it was last used: such as that of a CORBA supplier that gave no reference, and
            crashed. Those of Persistent connections for consumers stay.
        limits: What is kept in memory.
    """

    default_operator: Operator = Operator.AND
    empty_filter_passes: bool = True
    empty_group_is_neutral: bool = True
    default_qos: QoS = field(default_factory=QoS)
    default_admin: AdminProperties = field(default_factory=AdminProperties)
    any_order: OrderPolicy = OrderPolicy.PRIORITY
    any_discard: DiscardPolicy = DiscardPolicy.FIFO
    inheritance: Inheritance = Inheritance.COPIED
    narrowed: Supported = field(default_factory=lambda: NOT_NARROWED)
    call_back_on_disconnect: bool = True
    mapping_default_always: bool = False
    retry_first: int = 1 * _SECOND
    retry_longest: int = 30 * _SECOND
    retry_limit: int = 5
    poll_interval: int = 1 * _SECOND
    sweep_interval: int = 10 * _SECOND
    unused_filter_lifetime: int = 24 * 3600 * _SECOND
    unused_proxy_lifetime: int = 7 * 24 * 3600 * _SECOND
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        for name, kind in _kinds().items():
            value = getattr(self, name)
            if kind is int:
                _check_number(name, value, 0 if name == "retry_limit" else 1)
            elif not isinstance(value, kind):
                raise _wrong(name, value, _values_of(kind))
        _check_number("retry_longest", self.retry_longest, self.retry_first)
        for name in ("any_order", "any_discard"):
            if not getattr(self, name):
                raise _wrong(name, "ANY", "one of the other policies: it says what ANY stands for")
        self._check_narrowed()
        self._check_defaults()

    def _check_narrowed(self) -> None:
        for name, (low, high) in self.narrowed.items():
            known = QOS_PROPERTIES.get(name) or ADMIN_PROPERTIES.get(name)
            if known is None or known.low is None or known.high is None:
                raise _wrong("narrowed", name, "a property that has a range")
            if not known.low <= low <= high <= known.high:
                within = f"a range within {known.low} to {known.high}"
                raise _wrong(f"narrowed[{name!r}]", (low, high), within)

    def _check_defaults(self) -> None:
        """What a new channel starts with could also be asked for, and is read like that."""
        name = "default_qos"
        try:
            qos = qos_check.changed(QoS(), Level.CHANNEL, None, self.default_qos, self.narrowed)
            object.__setattr__(self, name, qos)
            name = "default_admin"
            properties.changed(AdminProperties(), self.default_admin, self.narrowed)
        except UnsupportedProperties as error:
            raise InvalidUsage(f"the setting {name} could be had by no channel: {error}") from error


def room_for_one(there: int, most: int, name: str, place: str) -> None:
    """Raise TooManyObjects if there are as many objects as a limit allows."""
    if there >= most:
        raise TooManyObjects(
            f"{place} has {there} {name.replace('_', ' ')}, as many as it may (limits.{name}); "
            "delete those that nobody needs"
        )


@cache
def _kinds() -> dict[str, type]:
    """The settings whose values belong to a class, with their classes."""
    hints = get_type_hints(Settings).items()
    return {name: hint for name, hint in hints if isinstance(hint, type)}


def _values_of(kind: type) -> str:
    if issubclass(kind, Enum):
        return f"one of {', '.join(f'{kind.__name__}.{one.name}' for one in kind)}"
    return "True or False" if kind is bool else f"a value of {kind.__name__}(…)"


def _check_number(name: str, value: object, least: int) -> None:
    if type(value) is not int or value < least:
        raise _wrong(name, value, f"a whole number from {least} on")


def _wrong(name: str, value: object, right: str) -> InvalidUsage:
    return InvalidUsage(f"the setting {name} is {right}, not {shortened(value)}")


DEFAULT_SETTINGS: Final = Settings()
