"""What is written in CDR is read again, in both byte orders, every version, at every offset."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.laws.strategies import (
    all_typecodes,
    references,
    stored_values,
    texts,
    typecodes,
    values_of,
)
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Value, conform, same, unboxed
from tidings.events.reference import Reference
from tidings.events.typecode import TypeCode
from tidings.orb.cdr_reader import Reader, read_value, unbox
from tidings.orb.cdr_writer import Writer, write_value
from tidings.orb.codesets import ISO_8859_1, OURS, UTF_16, CodeSets
from tidings.orb.exceptions import BAD_PARAM, DATA_CONVERSION, MARSHAL, OMG, SystemException


class Setting(NamedTuple):
    """How something is written."""

    little: bool
    minor: int
    codesets: CodeSets
    offset: int

    def writer(self) -> Writer:
        return Writer(
            little=self.little,
            minor=self.minor,
            codesets=self.codesets,
            origin=-self.offset,
        )

    def reader(self, writer: Writer) -> Reader:
        """A reader of what was written, standing behind other octets."""
        return Reader(
            b"\xaa" * self.offset + writer.getvalue(),
            little=self.little,
            at=self.offset,
            minor=self.minor,
            codesets=self.codesets,
        )


settings = st.builds(
    Setting,
    st.booleans(),
    st.integers(0, 2),
    st.sampled_from([OURS, CodeSets(ISO_8859_1, UTF_16)]),
    st.integers(0, 17),
)
PLAIN = Setting(little=True, minor=2, codesets=OURS, offset=0)
_NEGATIVE_ZERO = re.compile(r"Decimal\('-(0(?:\.0*)?(?:E[-+]?\d+)?)'\)")


def alike(one: Value, two: Value) -> bool:
    """Whether two values are the same, but for the sign of a fixed zero, which does not travel."""
    if same(one, two):
        return True
    return _NEGATIVE_ZERO.sub(r"Decimal('\1')", repr(one)) == _NEGATIVE_ZERO.sub(
        r"Decimal('\1')", repr(two)
    )


def excused(error: SystemException, value: object, setting: Setting) -> bool:
    """Whether the wire really cannot carry the value: what is in its way can be seen in it."""
    shown = f"{value!r} {getattr(value, 'type', None)!r}"  # a type's names are not in its value
    if isinstance(error, DATA_CONVERSION):
        return not shown.isascii() or re.search(r"\\[uUx]", shown) is not None
    if isinstance(error, MARSHAL):
        return error.minor == OMG | 5 and not setting.minor
    if error.minor == OMG | 13:
        return "IDL:Lone:1.0" in shown
    return isinstance(error, BAD_PARAM) and "NUL" in error.why and r"\x00" in shown


def written(setting: Setting, value: object, write: Callable[[Writer], None]) -> Reader | None:
    """A reader of what was written; None where the wire cannot carry it."""
    writer, refused = setting.writer(), None
    try:
        write(writer)
    except SystemException as error:
        refused = error
    if refused is None:
        return setting.reader(writer)
    assert excused(refused, value, setting), refused
    return None


@given(typecodes.flatmap(lambda t: st.tuples(st.just(t), values_of(t))), settings)
@example((tc.WCHAR, "\ufeff"), PLAIN)
@example((tc.WSTRING, "\ufeffa"), PLAIN)
@example((tc.WSTRING, "\ufffea"), PLAIN)
@example((tc.WSTRING, "😀"), PLAIN._replace(minor=1))
@example((tc.LONGDOUBLE, 5e-324), PLAIN)
@example((tc.LONGDOUBLE, 1.7976931348623157e308), PLAIN._replace(little=False))
def test_every_value_of_every_type_survives(
    pair: tuple[TypeCode, object], setting: Setting
) -> None:
    type_, value = pair
    stored = conform(type_, value)
    reader = written(setting, pair, lambda writer: write_value(writer, type_, stored))
    if reader is not None:
        assert alike(read_value(reader, type_), stored)
        assert reader.left == 0


@given(stored_values, settings)
@example(Any(tc.ANY, 5), PLAIN)
def test_every_any_survives(value: Value, setting: Setting) -> None:
    reader = written(setting, value, lambda writer: writer.any(value))
    if reader is not None:
        assert alike(reader.any(), value)
        assert reader.left == 0


@given(typecodes.flatmap(lambda t: st.tuples(st.just(t), values_of(t))))
@example((tc.sequence(tc.sequence(tc.LONG)), [[1], []]))
@example((tc.sequence(tc.LONGLONG), [1, 2**40]))
@example((tc.ANY, Any(tc.SHORT, 1)))
@example((tc.ANY, 1))
@example((tc.struct("", "", [("a", tc.ANY)]), [Any(tc.SHORT, 1)]))
def test_a_type_is_told_from_a_value_as_events_tell_it(pair: tuple[TypeCode, object]) -> None:
    type_, value = pair
    stored = conform(type_, value)
    assert same(unbox(type_, stored), unboxed(Any.trusted(type_, stored)))


@given(all_typecodes, settings)
def test_every_type_survives(type_: TypeCode, setting: Setting) -> None:
    for _ in range(2):  # the second time both sides remember it
        reader = written(setting, type_, lambda writer: writer.typecode(type_))
        if reader is not None:
            assert reader.typecode() == type_
            assert reader.left == 0


@given(references, settings)
def test_every_reference_survives(reference: Reference, setting: Setting) -> None:
    writer = setting.writer()
    writer.reference(reference)
    assert setting.reader(writer).reference() == reference


@given(st.lists(st.tuples(st.sampled_from(["octet", "ulonglong", "double"]), texts)), settings)
def test_values_in_a_row_stay_aligned(row: list[tuple[str, str]], setting: Setting) -> None:
    writer = setting.writer()
    wanted: list[object] = []
    for name, text in row:
        getattr(writer, name)(7)
        writer.octets(text.encode())
        wanted += [7, text.encode()]
    reader = setting.reader(writer)
    found: list[object] = []
    for name, _ in row:
        found += [getattr(reader, name)(), reader.octets()]
    assert found == wanted
    assert reader.left == 0


@given(stored_values, settings, st.data())
def test_a_message_cut_short_is_refused(
    value: Value, setting: Setting, data: st.DataObject
) -> None:
    whole = written(setting, value, lambda writer: writer.any(value))
    if whole is None:
        return
    octets = whole.buffer
    cut = data.draw(st.integers(setting.offset, len(octets) - 1))
    reader = Reader(
        octets[:cut],
        little=setting.little,
        at=setting.offset,
        minor=setting.minor,
        codesets=setting.codesets,
    )
    with pytest.raises(SystemException):
        reader.any()
