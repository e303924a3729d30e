"""Events for the laws of filters: a fixed vocabulary of fields, of every kind and its edges.

Everything is drawn from a `random.Random`, so that a seed gives the same events again, and
Hypothesis, which can hand one in, can shrink them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import TypeVar

from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, UnionValue
from tidings.events.build import event
from tidings.events.fields import Char, Composite, EnumLabel, Fields, Plain, fields_of
from tidings.events.paths import Missing, Path
from tidings.events.structured import PROPERTY_SEQ, StructuredEvent
from tidings.filters.limits import DEFAULT_LIMITS
from tidings.filters.scan import scan

T = TypeVar("T")
NOW = 1_704_067_200_000_000

SEVERITY = tc.enum("IDL:test/Severity:1.0", "Severity", ["minor", "major", "critical"])
ADDRESS = tc.struct("IDL:test/Address:1.0", "Address", [("street", tc.STRING), ("no", tc.LONG)])
CHOICE = tc.union(
    "IDL:test/Choice:1.0",
    "Choice",
    tc.LONG,
    [(1, "s", tc.STRING), (2, "s", tc.STRING), (3, "n", tc.LONG), (None, "d", tc.DOUBLE)],
)
BY_SEVERITY = tc.union(
    "IDL:test/BySeverity:1.0",
    "BySeverity",
    SEVERITY,
    [("minor", "low", tc.LONG), ("critical", "high", tc.BOOLEAN)],
)

INTEGERS = (0, 1, 2, 3, 7, -1, -7, 65, 66, 100, 255, 256)
EDGES = (
    *(2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**63, 2**63 + 1),
    *(-(2**63), 2**64 - 1, 2**31, -(2**31)),
)
REALS = (
    *(0.0, -0.0, 1.0, 2.5, -2.5, 7.0, 0.5, 1e308, 5e-324, 2.0**53, 2.0**63, -(2.0**63)),
    *(math.inf, -math.inf, math.nan, math.nan, 66.0, 3.0, math.nextafter(1.0, 2.0)),
)
FINITE = tuple(value for value in REALS if math.isfinite(value))
DECIMALS = tuple(map(Decimal, ("0", "0.00", "1", "2.50", "-7", "19.90", "0.01", "66.0", "1E+30")))
TEXTS = ("", "a", "B", "bb", "node", "node-17", "Node", "é", "😀", "minor", "it's", "\\", "7")
LONG_TEXTS = ("the quick node-17 jumps over", "jumps over the lazy node", "abcabcabcabd")
LETTERS = ("", "a", "B", "b", "é", "7")
CHARACTERS = ("A", "B", "a", "7", "ÿ", "'")
LABELS = ("minor", "major", "critical")


def _sequence(
    values: tuple[T, ...], type_: tc.TypeCode | None = None
) -> Callable[[Random], object]:
    def draw(rng: Random) -> object:
        drawn = [rng.choice(values) for _ in range(rng.choice((0, 1, 2, 2, 3, 4)))]
        return drawn if type_ is None else Any(tc.sequence(type_), drawn)

    return draw


def _one_of(values: tuple[T, ...]) -> Callable[[Random], object]:
    return lambda rng: rng.choice(values)


def _choice(rng: Random) -> object:
    label = rng.choice((1, 2, 3, 9))
    if label == 3:
        return Any(CHOICE, UnionValue(label, rng.choice(INTEGERS)))
    return Any(CHOICE, UnionValue(label, rng.choice(REALS if label == 9 else TEXTS)))


def _by_severity(rng: Random) -> object:
    label = rng.choice(LABELS)
    value = {"minor": rng.choice(INTEGERS), "critical": rng.random() < 0.5}.get(label)
    return Any(BY_SEVERITY, UnionValue(label, value))


def _props(rng: Random) -> object:
    keys = rng.sample(("k", "k", "other", "in"), rng.randrange(4))
    return Any(PROPERTY_SEQ, tuple((key, rng.choice((*INTEGERS, *TEXTS))) for key in keys))


DATA: dict[str, Callable[[Random], object]] = {
    "count": _one_of(INTEGERS),
    "big": _one_of(EDGES),
    "rate": _one_of(REALS),
    "price": _one_of(DECIMALS),
    "up": _one_of((True, False)),
    "open": _one_of((True, False)),
    "grade": lambda rng: Any(tc.CHAR, rng.choice(CHARACTERS)),
    "host": _one_of((*TEXTS, *LONG_TEXTS * 4)),
    "letter": _one_of(LETTERS),
    "sev": lambda rng: Any(SEVERITY, rng.choice(LABELS)),
    "tags": _sequence(TEXTS),
    "nums": _sequence((*INTEGERS, 2**53 + 1)),
    "reals": _sequence(REALS),
    "mixed": _sequence((1, "bb", "bb", True, 2.5, "node", "node", Decimal("2.50"), 1.0, "B")),
    "large": _sequence((2**53, 2.0**53, 2**53 + 1, 2**63, 2.0**63, 2.0**64, 2**64 - 1, -0.0, 0)),
    "sevs": _sequence(LABELS, SEVERITY),
    "grades": _sequence(CHARACTERS, tc.CHAR),
    "octets": lambda rng: bytes(rng.choices((0, 1, 7, 66, 255), k=rng.randrange(4))),
    "addr": lambda rng: Any(ADDRESS, (rng.choice(TEXTS), rng.choice(INTEGERS))),
    "u": _choice,
    "by": _by_severity,
    "props": _props,
    "record": lambda rng: {"a": {"b": rng.choice(INTEGERS)}, "in": rng.choice(TEXTS)},
    "nothing": _one_of((None,)),
}
HEADER: dict[str, Callable[[Random], object]] = {
    "Priority": _one_of((-3, 0, 4, 7)),
    "up": _one_of((True, False)),
}
DOMAINS = ("Telecom", "Traffic", "")
TYPES = ("Alarm", "Speed", "Alarm2", "A", "")

_COMPONENTS = """
$count $big $rate $price $up $open $grade $host $letter $sev $tags $nums $reals $mixed $large $sevs
$grades $octets $addr $u $by $props $record $nothing $missing $Priority
$tags[0] $tags[1] $tags[7] $tags._length $nums[0] $reals[0] $mixed[0] $mixed[1] $sevs[0]
$grades[0] $octets[0] $octets._length $addr.street $addr.no $addr.0 $addr.2 $host.street
$u.s $u.n $u.d $u.(1) $u.(2) $u.(3) $u.(9) $u.() $u._d $by.low $by.(minor) $by.(critical) $by._d
$props(k) $props(other) $props(in) $record.a.b $record.in $record.a $record.0.0
$domain_name $type_name $event_name $curtime $curtime.time $_type_id $count._type_id
$.filterable_data(count) $.header.variable_header(Priority) $.header $missing.deep[3](x)
$filterable_data(up) $up.x $sev._repos_id $sev[0]
"""
PATHS: tuple[Path, ...] = tuple(
    token.value for token in scan(_COMPONENTS, DEFAULT_LIMITS) if isinstance(token.value, Path)
)

KINDS: dict[type, str] = {
    int: "integer",
    float: "real",
    Decimal: "fixed",
    bool: "boolean",
    str: "string",
    Char: "char",
    EnumLabel: "enum",
    tuple: "sequence",
    bytes: "sequence",
    Composite: "composite",
    Missing: "missing",
}
KIND_NAMES = tuple(dict.fromkeys(KINDS.values()))


def kind_of(value: Plain) -> str:
    """The kind of a plain value; a literal of one character is a string."""
    return KINDS.get(type(value), "string")


def draw_event(rng: Random) -> StructuredEvent:
    """An event: most fields as they should be, some missing, some of a wrong kind."""
    data: dict[str, object] = {}
    for name, draw in DATA.items():
        roll = rng.random()
        if roll < 0.83:
            data[name] = draw(rng)
        elif roll < 0.92:
            data[name] = rng.choice(tuple(DATA.values()))(rng)
    header = {name: draw(rng) for name, draw in HEADER.items() if rng.random() < 0.5}
    names = rng.choice(DOMAINS), rng.choice(TYPES), rng.choice(TEXTS)
    return event(*names, data, header=header)


class Scene:
    """An event with its fields, and where to find a value of a given kind."""

    def __init__(self, event: StructuredEvent) -> None:
        self.event = event
        self.fields: Fields = fields_of(event, NOW)
        self.places: dict[str, list[Path]] = {kind: [] for kind in KIND_NAMES}
        for path in PATHS:
            self.places[kind_of(self.fields[path])].append(path)

    def fresh(self) -> Fields:
        """The fields with nothing looked up yet."""
        return fields_of(self.event, NOW)

    def place(self, rng: Random, kind: str) -> Path:
        """A path to a value of this kind, or to any if there is none."""
        return rng.choice(self.places[kind] or PATHS)


def draw_scene(rng: Random) -> Scene:
    """An event, ready to be asked."""
    return Scene(draw_event(rng))
