"""The events that the case tables speak of, by name."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache

from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, UnionValue, Value
from tidings.events.build import event
from tidings.events.fields import Fields, fields_of
from tidings.events.reference import Reference
from tidings.events.structured import PROPERTY_SEQ, StructuredEvent

# 1 January 2024 as the time of judgement: what `$curtime` reads, in microseconds.
NOW = 1_704_067_200_000_000

SEVERITY = tc.enum("IDL:test/Severity:1.0", "Severity", ["minor", "major", "critical"])
ADDRESS = tc.struct("IDL:test/Address:1.0", "Address", [("street", tc.STRING), ("no", tc.LONG)])
PERSON = tc.struct("IDL:test/Person:1.0", "Person", [("first_name", tc.STRING), ("age", tc.LONG)])
CHOICE = tc.union(
    "IDL:test/Choice:1.0",
    "Choice",
    tc.LONG,
    [(1, "s", tc.STRING), (2, "s", tc.STRING), (3, "n", tc.LONG), (None, "d", tc.DOUBLE)],
)
FAULT = tc.exception("IDL:test/Fault:1.0", "Fault", [("why", tc.STRING), ("code", tc.LONG)])
METRES = tc.alias("IDL:test/Metres:1.0", "Metres", tc.DOUBLE)
PLACE = tc.alias("IDL:test/Place:1.0", "Place", ADDRESS)


def _enum_union() -> tc.TypeCode:
    branches = [("minor", "low", tc.LONG), ("critical", "high", tc.LONG)]
    return tc.union("IDL:test/BySeverity:1.0", "BySeverity", SEVERITY, branches)


def _flag_union() -> tc.TypeCode:
    branches = [(True, "yes", tc.LONG), (False, "no", tc.STRING)]
    return tc.union("IDL:test/ByFlag:1.0", "ByFlag", tc.BOOLEAN, branches)


def _char_union() -> tc.TypeCode:
    branches = [("a", "first", tc.LONG), ("'", "quote", tc.LONG), (None, "rest", tc.STRING)]
    return tc.union("IDL:test/ByChar:1.0", "ByChar", tc.CHAR, branches)


def alarm() -> StructuredEvent:
    """Event E of the specification, section 7."""
    return event(
        "Telecom",
        "CommunicationsAlarm",
        "lost_packet",
        {
            "count": 7,
            "rate": 2.5,
            "host": "node-17",
            "up": True,
            "grade": Any(tc.CHAR, "B"),
            "sev": Any(SEVERITY, "major"),
            "tags": ["a", "bb"],
            "nums": [1, 2, 3],
            "addr": Any(ADDRESS, ("Main", 12)),
            "u": Any(CHOICE, UnionValue(1, "hi")),
            "props": Any(PROPERTY_SEQ, (("k1", 5),)),
        },
        header={"Priority": 4, "Timeout": 100_000_000},
        body="free text",
    )


def numbers() -> StructuredEvent:
    """Section 4.1: the numbers where implementations differ."""
    return event(
        "Test",
        "Numbers",
        data={
            "big": Any(tc.LONGLONG, 9007199254740993),
            "nan": float("nan"),
            "inf": float("inf"),
            "minus_inf": float("-inf"),
            "zero": 0.0,
            "neg0": -0.0,
            "none": 0,
            "lowest": -(2**63),
            "highest": Any(tc.ULONGLONG, 2**64 - 1),
            "two53": 2.0**53,
            "seven": 7,
            "minus_seven": -7,
            "half": 0.5,
            "price": Decimal("19.90"),
            "cent": Decimal("0.01"),
            "nothing": Decimal("0.00"),
            "rich": Decimal(10) ** 30,
            "octet": Any(tc.OCTET, 200),
            "single": Any(tc.FLOAT, 0.1),
            "yes": True,
            "letter": Any(tc.CHAR, "A"),
            # One number twice, but not to an integer beyond the doubles.
            "twice": [2**53, 2.0**53],
        },
    )


def kinds() -> StructuredEvent:
    """One field of every kind: the operands of the truth tables."""
    return event(
        "Test",
        "Kinds",
        data={
            "integer": 7,
            "big": 2**63 + 1,
            "real": 7.5,
            "nan": float("nan"),
            "fixed": Decimal("7.50"),
            "boolean": True,
            "char": Any(tc.CHAR, "B"),
            "string": "node",
            "letter": "B",
            "enum": Any(SEVERITY, "major"),
            "sequence": [7, 66],
            "composite": Any(ADDRESS, ("Main", 12)),
            # What `in` looks into, one sequence for each kind of element.
            "of_integers": [7, 1],
            "of_bigs": [2**63 + 1],
            "of_reals": [7.5, float("nan")],
            "of_fixed": [Decimal("7.50")],
            "of_booleans": [True],
            "of_chars": Any(tc.sequence(tc.CHAR), ["B"]),
            "of_strings": ["node", "B"],
            "of_enums": Any(tc.sequence(SEVERITY), ["major"]),
            "of_sequences": [[7]],
            "of_composites": Any(tc.sequence(ADDRESS), [("Main", 12)]),
            "octets": b"\x07\x42",
            "empty": [],
        },
    )


def steps() -> StructuredEvent:
    """Section 3: something for every step of a path."""
    by_severity, by_flag, by_char = _enum_union(), _flag_union(), _char_union()
    return event(
        "Test",
        "Steps",
        "steps-1",
        {
            "addr": Any(ADDRESS, ("Main", 12)),
            "place": Any(PLACE, ("Hill", 3)),
            "fault": Any(FAULT, ("broken", 5)),
            "record": {"inner": {"deep": 1}, "in": 2},
            "length": Any(METRES, 2.5),
            "s": "text",
            "empty": [],
            "octets": b"\x01\xff",
            "grid": Any(tc.array(tc.array(tc.LONG, 2), 2), ((1, 2), (3, 4))),
            "mixed": [1, "two", 3.0, Any(tc.CHAR, "c")],
            "boxed": Any(tc.ANY, Any(tc.ANY, Any(ADDRESS, ("Far", 9)))),
            "pairs": Any(PROPERTY_SEQ, (("k", 5), ("k", 6), ("other", "x"))),
            "no_pairs": [{"name": 1, "value": 2}],
            "by_hand": [{"name": "k", "value": 8}, {"label": "z", "worth": 9}],
            "three": [{"name": "k", "value": 8, "more": 9}],
            "u1": Any(CHOICE, UnionValue(1, "hi")),
            "u3": Any(CHOICE, UnionValue(3, 30)),
            "u9": Any(CHOICE, UnionValue(9, 1.5)),
            "low": Any(by_severity, UnionValue("minor", 1)),
            "none": Any(by_severity, UnionValue("major", None)),
            "flag": Any(by_flag, UnionValue(True, 1)),
            "first": Any(by_char, UnionValue("a", 1)),
            "quote": Any(by_char, UnionValue("'", 2)),
            "reference": Reference("IDL:test/Thing:1.0"),
            "type": tc.LONG,
            "nothing": None,
            "wide": Any(tc.wstring(), "wide"),
            "wchar": Any(tc.WCHAR, "ж"),
        },
    )


def names() -> StructuredEvent:
    """Section 3.1: one name in several places."""
    return event(
        "Test",
        "Names",
        "names-1",
        {
            "both": "data",
            "data_only": "data",
            "domain_name": "shadowed",
            "curtime": "shadowed",
            "header": "shadowed",
            "_length": "shadowed",
            "in": "keyword",
            "Priority": 99,
        },
        header={"both": "header", "header_only": "header", "Priority": 3},
        body={"both": "body", "body_only": 1},
    )


def typed() -> Value:
    """What a typed event is to a filter: a PropertySeq that begins with the operation."""
    return Any(PROPERTY_SEQ, (("operation", "Lamp::switch"), ("on", True), ("level", 3)))


EVENTS: dict[str, Callable[[], StructuredEvent | Value]] = {
    "E": alarm,
    "numbers": numbers,
    "kinds": kinds,
    "steps": steps,
    "names": names,
    "person": lambda: Any(PERSON, ("Ann", 29)),
    "ten": lambda: Any(tc.LONG, 10),
    "boxed E": lambda: Any(tc.ANY, alarm().as_any()),
    "typed": typed,
    "own names": lambda: {"domain_name": "mine", "event_name": "own", "curtime": 1},
    "list": lambda: (1, 2, 3),
    "text": lambda: "free text",
    "union": lambda: Any(CHOICE, UnionValue(3, 30)),
    "empty": lambda: event("", ""),
}


@lru_cache
def _sample(name: str) -> StructuredEvent | Value:
    return EVENTS[name]()


def fields(name: str) -> Fields:
    """The fields of a sample event, with nothing looked up yet."""
    return fields_of(_sample(name), NOW)
