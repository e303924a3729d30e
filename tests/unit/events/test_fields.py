from __future__ import annotations

import pickle
from decimal import Decimal

import pytest

from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Reference, UnionValue, Value
from tidings.events.build import event
from tidings.events.fields import (
    ANY_EVENT_TYPE,
    COMPOSITE,
    RESERVED_NAMES,
    AnyFields,
    Char,
    EnumLabel,
    Fields,
    Plain,
    StructuredFields,
    fields_of,
    plain,
)
from tidings.events.paths import MISSING, Name, Path, Position
from tidings.events.structured import StructuredEvent

SEVERITY = tc.enum("IDL:S:1.0", "Severity", ["minor", "major"])
ADDRESS = tc.struct("IDL:A:1.0", "Address", [("street", tc.STRING)])

KINDS: list[tuple[Value, Plain]] = [
    (7, 7),
    (7.5, 7.5),
    (True, True),
    ("a", "a"),
    (Decimal("1.5"), Decimal("1.5")),
    (b"ab", b"ab"),
    (None, COMPOSITE),
    ((), ()),
    ((1, 2), (1, 2)),
    ((1, "a", {"x": 1}), (1, "a", COMPOSITE)),
    ({"a": 1}, COMPOSITE),
    (tc.LONG, COMPOSITE),
    (Reference(), COMPOSITE),
    (Any(tc.SHORT, 7), 7),
    (Any(tc.OCTET, 7), 7),
    (Any(tc.FLOAT, 0.5), 0.5),
    (Any(tc.CHAR, "B"), Char("B")),
    (Any(tc.WCHAR, "ж"), Char("ж")),
    (Any(tc.wstring(), "wide"), "wide"),
    (Any(SEVERITY, "major"), EnumLabel("major")),
    (Any(tc.alias("IDL:N:1.0", "N", tc.CHAR), "B"), Char("B")),
    (Any(tc.ANY, Any(tc.ANY, Any(tc.CHAR, "B"))), Char("B")),
    (Any(tc.sequence(tc.CHAR), ["a"]), (Char("a"),)),
    (Any(tc.sequence(tc.SHORT), [1]), (1,)),
    (Any(tc.array(tc.OCTET, 1), b"a"), b"a"),
    (Any(tc.sequence(tc.sequence(SEVERITY)), [["minor"]]), ((EnumLabel("minor"),),)),
    (Any(tc.sequence(ADDRESS), [("Main",)]), (COMPOSITE,)),
    (Any(tc.sequence(tc.ANY), [1, 2]), (1, 2)),
    (Any(ADDRESS, ("Main",)), COMPOSITE),
    (Any(tc.union("", "", tc.LONG, []), UnionValue(1, None)), COMPOSITE),
    (Any(tc.VOID, None), COMPOSITE),
]


@pytest.mark.parametrize(("value", "expected"), KINDS, ids=repr)
def test_the_python_type_is_the_kind(value: Value, expected: Plain) -> None:
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)
    if isinstance(found, tuple) and isinstance(expected, tuple):
        assert list(map(type, found)) == list(map(type, expected))


def test_missing_stays_missing() -> None:
    assert plain(MISSING) is MISSING


class Counting(StructuredFields):
    __slots__ = ("asked",)

    def __init__(self, event: StructuredEvent) -> None:
        super().__init__(event)
        self.asked: list[Path] = []

    def resolve(self, path: Path) -> Plain:
        self.asked.append(path)
        return super().resolve(path)


def test_every_path_is_resolved_once() -> None:
    fields = Counting(event("A", "B", data={"x": 1}))
    for _ in range(3):
        assert fields[Path("x")] == 1
        assert fields[Path("y")] is MISSING
    assert fields.asked == ["$x", "$y"]


def test_names_and_types() -> None:
    fields = fields_of(event("A", "B", data={"x": 1}, header={"Priority": 1}))
    assert fields.event_type == ("A", "B")
    assert list(fields.names() or ()) == ["Priority", "x"]


def test_a_header_property_has_the_standards_type() -> None:
    fields = fields_of(event("A", "B", priority=4, header={"mine": 4}))
    for path, name in [("Priority", "short"), ("mine", "long")]:
        assert fields[_type_of(path)] == name


def _type_of(name: str) -> Path:
    from tidings.events.paths import TypeId

    return Path(name, [TypeId()])


def test_reserved_names_go_first() -> None:
    fields = fields_of(event("A", "B", "c", data=dict.fromkeys(RESERVED_NAMES, "shadowed")))
    assert fields[Path("domain_name")] == "A"
    assert fields[Path("type_name")] == "B"
    assert fields[Path("event_name")] == "c"
    for name in RESERVED_NAMES - {"domain_name", "type_name", "event_name", "remainder_of_body"}:
        assert fields[Path(name)] != "shadowed"


def test_the_time_is_the_time_of_judgement() -> None:
    time = Path("curtime", [Name("time")])
    assert fields_of(event("A", "B"), 1)[time] == 122_192_928_000_000_010
    assert fields_of(5, 1)[time] == 122_192_928_000_000_010
    assert fields_of(5)[Path("curtime")] is COMPOSITE


def test_an_event_inside_an_any_is_that_event() -> None:
    fields = fields_of(event("A", "B", data={"x": 1}).as_any())
    assert isinstance(fields, StructuredFields)
    assert fields[Path("x")] == 1


def test_other_values_have_the_type_any() -> None:
    fields: Fields = fields_of({"x": 1})
    assert fields.names() is None
    assert isinstance(fields, AnyFields)
    assert fields.event_type == ANY_EVENT_TYPE
    assert fields[Path("x")] == 1
    assert fields[Path(None, [Position(0)])] == 1
    assert fields[Path("type_name")] == "%ANY"
    assert fields[Path("domain_name")] == ""
    assert fields[Path("event_name")] is MISSING


def test_of_an_any_a_member_goes_before_a_pair() -> None:
    pairs: Value = ({"name": "x", "value": 8},)
    assert fields_of(pairs)[Path("x")] == 8
    assert fields_of({"type_name": "mine"})[Path("type_name")] == "mine"


def test_bare_fields_say_nothing() -> None:
    fields = Fields()
    with pytest.raises(NotImplementedError):
        fields[Path("x")]
    with pytest.raises(NotImplementedError):
        _ = fields.event_type
    with pytest.raises(NotImplementedError):
        fields.names()


def test_marks_stay_themselves_between_processes() -> None:
    assert pickle.loads(pickle.dumps((MISSING, COMPOSITE))) == (MISSING, COMPOSITE)
    assert repr((MISSING, COMPOSITE)) == "(missing, composite)"
    assert not MISSING


def test_a_bare_value_is_taken_as_users_write_it() -> None:
    fields = fields_of({"zones": [3, 17], "name": "x"})
    assert fields[Path("zones")] == (3, 17)
    assert fields[Path("name")] == "x"
