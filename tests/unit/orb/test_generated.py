from __future__ import annotations

import pytest

from tidings.orb import generated
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_writer import Writer
from tidings.orb.exceptions import BAD_PARAM, MARSHAL, NO_IMPLEMENT, OMG


def reader(octets: bytes = b"") -> Reader:
    return Reader(octets, little=True)


def test_a_sequence_is_counted_before_its_elements_are_written() -> None:
    writer = Writer(little=True)
    assert generated.counted(writer, (1, 2), "T") == (1, 2)
    assert writer.getvalue() == b"\2\0\0\0"
    with pytest.raises(BAD_PARAM, match="T: 3 elements are more than 2"):
        generated.counted(writer, [1, 2, 3], "T", 2)
    for wrong in ("text", b"octets", {1, 2}, None):
        with pytest.raises(BAD_PARAM, match="is no tuple or list"):
            generated.counted(writer, wrong, "T")
    assert len(writer.getvalue()) == 4


def test_an_array_has_its_length() -> None:
    assert generated.exactly([1, 2], 2, "T") == [1, 2]
    for wrong in ((1,), (1, 2, 3), "ab", None):
        with pytest.raises(BAD_PARAM, match="is no tuple or list of 2 elements"):
            generated.exactly(wrong, 2, "T")


def test_bounds_of_what_is_written() -> None:
    assert generated.at_most("ab", 2, "T") == "ab"
    with pytest.raises(BAD_PARAM, match="T: 3 are more than 2"):
        generated.at_most(b"abc", 2, "T")


def test_bounds_of_what_is_read() -> None:
    assert generated.read_at_most(reader(), "ab", 2, "T") == "ab"
    with pytest.raises(MARSHAL, match="T: 3 are more than 2"):
        generated.read_at_most(reader(), b"abc", 2, "T")
    assert generated.read_count(reader(b"\2\0\0\0ab"), 1, 2, "T") == 2
    with pytest.raises(MARSHAL, match="T: 2 elements are more than 1"):
        generated.read_count(reader(b"\2\0\0\0ab"), 1, 1, "T")


def test_elements_without_octets_are_counted() -> None:
    assert generated.empty_count(reader(), 5) == 5
    with pytest.raises(MARSHAL, match="without octets"):
        generated.empty_count(reader(), 10_000_000)


def test_faults_tell_what_and_how_it_travels() -> None:
    assert generated.no_label("C", "yen").minor == OMG | 25
    assert "C has no label with the number 7" in generated.no_ordinal(reader(), "C", 7).why
    assert "S has 2 members" in generated.no_member("S", 2, ()).why
    assert "use UnionValue" in generated.no_union("U", 5).why
    assert isinstance(generated.too_deep("N"), BAD_PARAM)
    assert isinstance(generated.read_too_deep(reader(), "N"), MARSHAL)
    with pytest.raises(NO_IMPLEMENT, match="int has no push"):
        generated.not_done(5, "push")


def test_nothing_is_written_and_read_as_nothing() -> None:
    writer = Writer()
    generated.write_nothing(writer, ())
    generated.write_void(writer, None)
    assert writer.getvalue() == b""
    assert generated.read_nothing(reader()) == ()
    generated.read_void(reader())
