from __future__ import annotations

from tidings.events.kinds import DISCRIMINATORS, INTEGER_RANGES, KEYWORDS, UNNAMED, Kind


def test_kinds_are_numbered_as_on_the_wire() -> None:
    assert [kind.value for kind in Kind] == [*range(13), *range(14, 29), 0xFFFFFFFF]


def test_every_kind_can_be_called_something() -> None:
    assert set(UNNAMED) == set(Kind)


def test_keywords_are_unique() -> None:
    assert len(set(KEYWORDS.values())) == len(KEYWORDS)


def test_ranges_are_those_of_the_octets() -> None:
    sizes = {(high - low + 1).bit_length() - 1 for low, high in INTEGER_RANGES.values()}
    assert sizes == {8, 16, 32, 64}


def test_an_octet_selects_no_branch() -> None:
    assert Kind.OCTET not in DISCRIMINATORS
    assert {Kind.LONG, Kind.ENUM, Kind.BOOLEAN, Kind.CHAR} <= DISCRIMINATORS
