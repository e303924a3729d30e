"""The laws of IDL: printing keeps the tree; generated code marshals as TypeCodes say."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.idl_texts import compile_text, parse_text
from tests.laws.idl_worlds import specifications, typed_files
from tests.laws.strategies import values_of
from tidings.errors import TidingsError
from tidings.events.anyvalue import UnionValue, conform, same
from tidings.events.typecode import Kind, TypeCode
from tidings.idl.compile import load_idl
from tidings.idl.printing import printed
from tidings.idl.tree import Specification
from tidings.orb.cdr_reader import Reader, read_value
from tidings.orb.cdr_writer import Writer, write_value
from tidings.orb.codesets import CodeSets
from tidings.orb.exceptions import SystemException

UTF = CodeSets(0x05010001, 0x00010109)


@given(specifications)
def test_print_and_parse_gives_the_same_tree(tree: Specification) -> None:
    assert parse_text(printed(tree)) == tree


@given(specifications)
def test_what_is_printed_again_is_the_same_text(tree: Specification) -> None:
    text = printed(tree)
    assert printed(parse_text(text)) == text


def refused_or_not(text: str) -> str | None:
    """The message of the fault in a text, or None if there is none."""
    try:
        compile_text(text)
    except TidingsError as error:
        return str(error)
    return None


@given(st.text(max_size=40) | st.binary(max_size=40).map(lambda b: b.decode("latin-1")))
def test_any_text_is_either_idl_or_refused_on_purpose(text: str) -> None:
    assert refused_or_not(text) != ""


@given(typed_files(), st.data())
def test_damaged_idl_is_refused_on_purpose(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    size = data.draw(st.integers(0, 3))
    put = data.draw(st.sampled_from(["", "{", "}", ";", "<", ">", "::", "module ", "9", "'", "#"]))
    assert refused_or_not(text[:at] + put + text[at + size :]) != ""


def plain(value: Any) -> Any:
    """A value with the classes of generated code taken off, to compare with one without."""
    if isinstance(value, UnionValue):
        return UnionValue(plain(value.discriminator), plain(value.value))
    if isinstance(value, tuple):
        return tuple(plain(one) for one in value)
    if isinstance(value, str):
        return str(value)
    return value


def written(write: Any, value: object, little: bool) -> bytes | type[SystemException]:
    writer = Writer(little=little, codesets=UTF)
    try:
        write(writer, value)
    except SystemException as error:
        return type(error)
    return writer.getvalue()


def types_of(module: ModuleType) -> list[str]:
    """The names of all types of a generated module, as they stand there."""
    return [
        name.removesuffix("_TYPE")
        for name, type_ in vars(module).items()
        if isinstance(type_, TypeCode) and type_.kind is not Kind.OBJREF
    ]


def check_marshalling(module: ModuleType, name: str, value: object, little: bool) -> None:
    """Writes and reads a value both ways."""
    type_: TypeCode = getattr(module, f"{name}_TYPE")
    write, read = getattr(module, f"write_{name}"), getattr(module, f"read_{name}")
    octets = written(write, value, little)
    expected = written(lambda w, v: write_value(w, type_, v), value, little)
    assert octets == expected
    if not isinstance(octets, bytes):
        return
    one = Reader(octets, little=little, codesets=UTF)
    other = Reader(octets, little=little, codesets=UTF)
    found = read(one)
    assert same(plain(found), read_value(other, type_))
    assert one.left == other.left == 0
    assert written(write, found, little) == octets


@settings(max_examples=40)
@given(typed_files(), st.data(), st.booleans())
def test_generated_code_marshals_as_the_typecode_says(
    text: str, data: st.DataObject, little: bool
) -> None:
    module = load_idl(text)
    for name in types_of(module):
        type_: TypeCode = getattr(module, f"{name}_TYPE")
        value = conform(type_, data.draw(values_of(type_)))
        check_marshalling(module, name, value, little)


@settings(max_examples=40)
@given(typed_files(), st.data())
def test_generated_code_reads_damaged_octets_as_the_typecode_does(
    text: str, data: st.DataObject
) -> None:
    module = load_idl(text)
    name = types_of(module)[-1]
    type_: TypeCode = getattr(module, f"{name}_TYPE")
    octets = written(getattr(module, f"write_{name}"), data.draw(values_of(type_)), True)
    if not isinstance(octets, bytes):
        return
    damaged = bytearray(octets[: data.draw(st.integers(0, len(octets)))])
    if damaged:
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(0, 255))
    outcomes = []
    for read in (getattr(module, f"read_{name}"), lambda r: read_value(r, type_)):
        reader = Reader(bytes(damaged), little=True, codesets=UTF)
        try:
            outcomes.append(("value", repr(plain(read(reader))), reader.at))
        except SystemException as error:
            outcomes.append(("fault", type(error).__name__, 0))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("depth", [100, 5000])
def test_a_value_that_contains_itself_is_read_and_written_only_so_deep(depth: int) -> None:
    module = load_idl("struct Node { sequence<Node> kids; };")
    value: tuple[Any, ...] = ((),)
    for _ in range(depth):
        value = ((value,),)
    writer = Writer(little=True)
    if depth < writer.limits.value_depth:
        module.write_Node(writer, value)
        assert plain(module.read_Node(Reader(writer.getvalue(), little=True))) == value
        return
    with pytest.raises(SystemException, match="nest deeper than 130"):
        module.write_Node(writer, value)
    octets = (1).to_bytes(4, "little") * depth + bytes(4)
    with pytest.raises(SystemException, match="nest deeper than 130"):
        module.read_Node(Reader(octets, little=True))
