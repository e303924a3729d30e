from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.orb.quad import quad_number, quad_octets


@pytest.mark.parametrize(
    ("number", "octets"),
    [
        (1.0, "3fff" + "00" * 14),
        (-2.0, "c000" + "00" * 14),
        (0.0, "00" * 16),
        (-0.0, "80" + "00" * 15),
        (math.inf, "7fff" + "00" * 14),
        (3.25, "4000a" + "0" * 27),
    ],
)
def test_numbers_as_they_are_on_paper(number: float, octets: str) -> None:
    assert quad_octets(number).hex() == octets
    assert str(quad_number(bytes.fromhex(octets))) == str(number)


@given(st.floats(allow_nan=False))
def test_every_double_survives(number: float) -> None:
    found = quad_number(quad_octets(number))
    assert repr(found) == repr(number)


def test_a_nan_stays_one() -> None:
    found = quad_number(quad_octets(math.nan))
    assert found is not None
    assert math.isnan(found)


@given(st.binary(min_size=16, max_size=16))
def test_other_octets_are_no_double_or_that_one_exactly(octets: bytes) -> None:
    found = quad_number(octets)
    assert found is None or math.isnan(found) or quad_octets(found) == octets


@pytest.mark.parametrize(
    "octets", ["7ffe" + "ff" * 14, "0001" + "00" * 14, "3fff" + "00" * 13 + "01"]
)
def test_numbers_beyond_a_double(octets: str) -> None:
    assert quad_number(bytes.fromhex(octets)) is None
