from __future__ import annotations

import pytest

from tidings.orb.codesets import ISO_8859_1, OURS, UTF_8, UTF_16, CodeSets
from tidings.orb.contexts import (
    read_code_sets,
    read_listen_points,
    write_code_sets,
    write_listen_points,
)
from tidings.orb.exceptions import BAD_PARAM


def test_code_sets_survive() -> None:
    assert read_code_sets(write_code_sets(OURS)) == OURS
    assert read_code_sets(write_code_sets(CodeSets(UTF_8, None))) == CodeSets(UTF_8, None)


def test_code_sets_as_omniorb_names_them() -> None:
    octets = bytes.fromhex("010000000100010009010100")
    assert read_code_sets(octets) == CodeSets(ISO_8859_1, UTF_16)


def test_listen_points_survive_and_are_bounded() -> None:
    points = (("a", 1), ("::1", 65535))
    assert read_listen_points(write_listen_points(points)) == points
    with pytest.raises(BAD_PARAM, match="65 listen points"):
        read_listen_points(write_listen_points([("a", 1)] * 65))
