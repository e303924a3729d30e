from __future__ import annotations

from enum import StrEnum

import pytest

from tidings.events import typecode as tc
from tidings.events.anyvalue import UnionValue
from tidings.events.typecode import TypeCode
from tidings.orb.cdr_values import write_value
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import BAD_PARAM, OMG, SystemException
from tidings.orb.limits import Limits


class Color(StrEnum):
    RED = "red"
    GREEN = "green"


COLOR = tc.enum("IDL:Color:1.0", "Color", ["red", "green"])
CHOICE = tc.union("", "U", COLOR, [("green", "x", tc.OCTET), (None, "y", tc.SHORT)])
CLOSED = tc.union("", "U", tc.BOOLEAN, [(True, "x", tc.OCTET)])


def written(type_: TypeCode, value: object) -> str:
    writer = Writer()
    write_value(writer, type_, value)
    return writer.getvalue().hex()


def test_lists_tuples_and_octets_are_taken() -> None:
    assert written(tc.sequence(tc.SHORT), [1, 2]) == written(tc.sequence(tc.SHORT), (1, 2))
    assert written(tc.OCTETS, [97]) == written(tc.OCTETS, b"a") == "0100000061"
    assert written(tc.array(tc.OCTET, 1), (97,)) == written(tc.array(tc.OCTET, 1), b"a") == "61"


def test_a_struct_may_be_given_by_names() -> None:
    type_ = tc.struct("", "P", [("a", tc.OCTET), ("b", tc.OCTET)])
    assert written(type_, {"b": 2, "a": 1}) == written(type_, [1, 2]) == "0102"


def test_enums_of_python_are_labels() -> None:
    assert written(COLOR, Color.GREEN) == written(COLOR, "green") == "01000000"
    assert written(CHOICE, UnionValue(Color.GREEN, 7)) == "0100000007"
    assert written(CHOICE, UnionValue("red", 7)) == "000000000700"


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (tc.NULL, 1),
        (tc.struct("", "P", [("a", tc.OCTET)]), (1, 2)),
        (tc.struct("", "P", [("a", tc.OCTET)]), {"b": 1}),
        (tc.struct("", "P", [("a", tc.OCTET)]), "a"),
        (COLOR, "blue"),
        (COLOR, 1),
        (CHOICE, 5),
        (CLOSED, UnionValue(False, 1)),
        (tc.sequence(tc.LONG), "text"),
        (tc.sequence(tc.LONG), b"octets"),
        (tc.sequence(tc.LONG, 1), [1, 2]),
        (tc.array(tc.LONG, 2), [1]),
        (tc.array(tc.OCTET, 2), b"a"),
        (tc.string(1), "ab"),
        (tc.TYPECODE, "long"),
        (tc.objref(), "IOR:"),
        (tc.ANY, object()),
        (tc.ANY, 2**64),
    ],
)
def test_values_that_do_not_fit_are_refused(type_: TypeCode, value: object) -> None:
    with pytest.raises(BAD_PARAM):
        written(type_, value)


def test_a_wrong_label_has_its_own_minor_code() -> None:
    with pytest.raises(BAD_PARAM) as caught:
        written(COLOR, "blue")
    assert caught.value.minor == OMG | 25


def test_a_list_inside_itself_ends_at_the_limit() -> None:
    endless: list[object] = [1]
    endless.append([endless])
    node = tc.struct(
        "IDL:N:1.0", "N", [("v", tc.LONG), ("kids", tc.sequence(tc.recursive("IDL:N:1.0")))]
    )
    for type_ in (node, tc.ANY):
        with pytest.raises(BAD_PARAM, match="nest deeper"):
            written(type_, endless)


def test_anys_nest_up_to_the_limit() -> None:
    writer = Writer(limits=Limits(value_depth=5))
    writer.any(((1, "x"), "y"))
    with pytest.raises(BAD_PARAM, match="nest deeper than 5"):
        writer.any((((1, "x"), "y"), "z"))


def test_an_any_takes_what_an_event_takes() -> None:
    writer, plain = Writer(), Writer()
    writer.any([1, 2])
    plain.any((1, 2))
    assert writer.getvalue() == plain.getvalue()


@pytest.mark.parametrize(
    "type_", [tc.recursive("IDL:N:1.0"), tc.sequence(tc.recursive("IDL:N:1.0"))]
)
def test_an_incomplete_type_has_no_values(type_: TypeCode) -> None:
    with pytest.raises(SystemException) as caught:
        written(type_, [])
    assert caught.value.minor == OMG | 13
