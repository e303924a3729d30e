from __future__ import annotations

import pytest

from tests.unit.orb.captures import captures
from tidings.events import typecode as tc
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import BAD_PARAM, OMG


def written(type_: object) -> str:
    writer = Writer()
    writer.typecode(type_)  # type: ignore[arg-type]  # one test hands in what is none
    return writer.getvalue().hex()


def test_types_of_a_word_and_of_two() -> None:
    assert written(tc.NULL) == "00000000"
    assert written(tc.ULONGLONG) == "18000000"
    assert written(tc.string(5)) == "1200000005000000"
    assert written(tc.fixed(5, 2)) == "1c00000005000200"


def test_a_recursive_type_points_back_to_itself() -> None:
    again = tc.sequence(tc.recursive("IDL:N:1.0"))
    octets = bytes.fromhex(written(tc.struct("IDL:N:1.0", "N", [("kids", again)])))
    at = octets.index(b"\xff\xff\xff\xff") + 4
    assert int.from_bytes(octets[at : at + 4], "little", signed=True) == -at


def test_the_type_of_a_struct_is_the_same_as_omniorbs_but_for_garbage() -> None:
    color = tc.enum("IDL:T/Color:1.0", "Color", ["red", "green", "blue"])
    ours = bytes.fromhex(written(color))
    theirs = captures("any enum")[0].octets[64:][: len(ours)]
    differing = [a for a, b in zip(ours, theirs, strict=True) if a != b]
    assert differing == [0] * len(differing)


def test_an_inner_type_alone_is_not_complete() -> None:
    with pytest.raises(BAD_PARAM, match="an outer type that is not there") as caught:
        written(tc.sequence(tc.recursive("IDL:N:1.0")))
    assert caught.value.minor == OMG | 13


def test_only_types_are_types() -> None:
    with pytest.raises(BAD_PARAM, match="is no TypeCode"):
        written("long")
