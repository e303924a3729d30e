"""The tables of this folder, read, and what the properties of channels have to say to them.

No pytest here: the planted faults run it in a process of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tidings.channel import properties
from tidings.channel.property_errors import NOT_NARROWED, TIME_T, Level, Supported
from tidings.channel.qos import QOS_PROPERTIES, QoS
from tidings.channel.qos_check import changed, header_values, validate_event
from tidings.errors import PropertyError, PropertyErrorCode, UnsupportedProperties
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.events.structured import UTC_T

FOLDER = Path(__file__).parent
Pairs: TypeAlias = list[tuple[str, object]]
Errors: TypeAlias = tuple[PropertyError, ...]
METRES = tc.alias("IDL:Metres:1.0", "Metres", tc.SHORT)
SIMPLE = {
    "short": tc.SHORT,
    "Metres": METRES,
    "ushort": tc.USHORT,
    "long": tc.LONG,
    "longlong": tc.LONGLONG,
    "ulonglong": tc.ULONGLONG,
    "TimeT": TIME_T,
}


class Place(NamedTuple):
    """Where a request is made: at a level of QoS, or `administration`."""

    level: str
    now: dict[str, int]
    parent: dict[str, int]
    narrowed: Supported = NOT_NARROWED


class Check(NamedTuple):
    """A request, and the values that hold afterwards or every error."""

    name: str
    place: Place
    request: Pairs
    expected: dict[str, int] | Errors


def typed(kind: str, text: str) -> object:
    """A value of a type named in the tables."""
    if kind in SIMPLE:
        return Any(SIMPLE[kind], int(text))
    makers: dict[str, Callable[[], object]] = {
        "int": lambda: int(text),
        "bool": lambda: text == "1",
        "boolean": lambda: Any(tc.BOOLEAN, text == "1"),
        "UtcT": lambda: Any(UTC_T, (int(text), 3, 2, -60)),
        "double": lambda: float(text),
        "string": lambda: text,
        "any": lambda: Any(tc.ANY, Any(tc.SHORT, int(text))),
        "null": lambda: None,
    }
    return makers[kind]()


def outcome(place: Place, request: Pairs) -> Mapping[str, int] | Errors:
    """The values that hold after a request, or every error."""
    now = QoS(place.now if place.level != "administration" else {})
    try:
        if place.level == "administration":
            return properties.changed(
                properties.AdminProperties(place.now), request, place.narrowed
            )
        if place.level == "event":
            return event_outcome(now, request, place.narrowed)
        parent = None if place.level == "channel" else QoS(place.parent)
        return changed(now, Level(place.level), parent, request, place.narrowed)
    except UnsupportedProperties as error:
        return error.errors


def event_outcome(proxy: QoS, request: Pairs, narrowed: Supported) -> dict[str, int]:
    """What applies to an event whose header is asked about first."""
    validate_event(proxy, request, narrowed)
    return {**proxy, **header_values(dict(request), proxy, narrowed).values}


def complaint(check: Check) -> str | None:
    """What is wrong with the answer to a check."""
    said = outcome(check.place, check.request)
    wanted = check.expected
    if isinstance(said, tuple) or isinstance(wanted, tuple):
        return None if said == wanted else f"{check.name}: {said}"
    wrong = {n: said.get(n) for n, value in wanted.items() if said.get(n) != value}
    return f"{check.name}: {wrong}" if wrong else None


def read_matrix(file: str) -> dict[str, dict[str, str]]:
    """Line to column to cell."""
    lines = (FOLDER / file).read_text(encoding="utf-8").splitlines()
    (_, *head), *rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {name: dict(zip(head, cells, strict=True)) for name, *cells in rows}


def assignments(text: str) -> dict[str, int]:
    """`Priority=5 Timeout=7` as values."""
    return {n: int(v) for n, _, v in (pair.partition("=") for pair in text.split())}


def read_errors(text: str) -> Errors:
    """`BAD_TYPE Timeout; BAD_VALUE OrderPolicy 0 3` as errors."""
    found = []
    for part in text.split(";"):
        code, name, *ends = part.split()
        low, high = map(int, ends) if ends else (None, None)
        found.append(PropertyError(PropertyErrorCode[code], name, low, high))
    return tuple(found)


def read_request(text: str) -> Pairs:
    """`Priority=short:5; Timeout=7` as name and value, in order."""
    pairs: Pairs = []
    for part in text.split(";"):
        name, _, value = part.strip().partition("=")
        kind, _, said = value.rpartition(":")
        pairs.append((name, typed(kind or "int", said)))
    return pairs


def request_checks() -> Iterator[Check]:
    """`requests.cases`."""
    place = Place("", {}, {})
    lines = (FOLDER / "requests.cases").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("at "):
            here, _, above = line.removeprefix("at ").partition("below")
            level, _, now = here.partition(" ")
            place = Place(level, assignments(now), assignments(above))
        elif line and not line.startswith("#"):
            request, _, answer = (part.strip() for part in line.partition("->"))
            good = "=" in answer
            expected = assignments(answer) if good else read_errors(answer)
            yield Check(f"requests:{number}", place, read_request(request), expected)


PERSISTENT = {"ConnectionReliability": 1}
LEVELS = read_matrix("levels.matrix")
RANGES = read_matrix("ranges.matrix")
TYPES = read_matrix("types.matrix")


def places(name: str) -> list[Place]:
    """Where a property may be set, with everything possible there."""
    if name not in LEVELS:
        return [Place("administration", {}, {})]
    return [Place(at, PERSISTENT, PERSISTENT) for at, cell in LEVELS[name].items() if cell == "X"]


def own_type(name: str) -> str:
    """The first column of the types that fits a property."""
    return next(kind for kind, cell in TYPES[name].items() if cell == "X")


def level_checks() -> Iterator[Check]:
    """`levels.matrix`: every property at every level."""
    for name, row in LEVELS.items():
        for level, cell in row.items():
            request: Pairs = [(name, typed(own_type(name), "1"))]
            error = PropertyError(PropertyErrorCode.UNSUPPORTED_PROPERTY, name)
            place = Place(level, PERSISTENT, PERSISTENT)
            expected = {name: 1} if cell == "X" else (error,)
            yield Check(f"levels:{name}:{level}", place, request, expected)


def type_checks() -> Iterator[Check]:
    """`types.matrix`: every property with every type, wherever it may be set."""
    for name, row in TYPES.items():
        for kind, cell in row.items():
            error = PropertyError(PropertyErrorCode.BAD_TYPE, name)
            expected = {name: 1} if cell == "X" else (error,)
            for place in places(name):
                label = f"types:{name}:{kind}:{place.level}"
                yield Check(label, place, [(name, typed(kind, "1"))], expected)


def range_checks() -> Iterator[Check]:
    """`ranges.matrix`: the ends of every range and the values beside them."""
    for name, row in RANGES.items():
        low, high, _, least, most = map(int, row.values())
        boolean = own_type(name) == "boolean"
        narrowed = {name: (least, most)}
        bad = PropertyError(PropertyErrorCode.BAD_VALUE, name, low, high)
        narrow = PropertyError(PropertyErrorCode.UNSUPPORTED_VALUE, name, least, most)
        asked: list[tuple[int, Supported, dict[str, int] | Errors]] = [
            *((value, NOT_NARROWED, {name: value}) for value in (low, high)),
            *((value, narrowed, {name: value}) for value in (least, most)),
            *((v, narrowed, (narrow,)) for v in (least - 1, most + 1) if low <= v <= high),
        ]
        if not boolean:
            # A batch of 0 is read as one of 1; there is no lower end to step over by one.
            below = low - 1 if low != 1 else -1
            asked += [(v, n, (bad,)) for v in (below, high + 1) for n in (NOT_NARROWED, narrowed)]
        for value, supported, expected in asked:
            for place in places(name):
                label = f"ranges:{name}:{value}:{place.level}:{'narrowed' if supported else ''}"
                request: Pairs = [(name, bool(value) if boolean else value)]
                yield Check(label, place._replace(narrowed=supported), request, expected)


def all_checks() -> list[Check]:
    """Every check of every table."""
    return [*request_checks(), *level_checks(), *type_checks(), *range_checks()]


def default_complaints() -> Iterator[str]:
    """Defaults that are not those of `ranges.matrix`."""
    holding = {**QoS(), **properties.AdminProperties()}
    wanted = {name: int(row["default"]) for name, row in RANGES.items()}
    if holding != wanted:
        yield f"the defaults are {holding}"
    if list(QOS_PROPERTIES) != list(LEVELS):
        yield f"the properties are {list(QOS_PROPERTIES)}"


def findings() -> Iterator[str]:
    """All that is wrong."""
    yield from default_complaints()
    yield from filter(None, map(complaint, all_checks()))
