"""The properties of channels against the tables of this folder."""

from __future__ import annotations

import pytest

from tests.laws.conformance.qos.qos_judge import (
    LEVELS,
    RANGES,
    TYPES,
    Check,
    all_checks,
    complaint,
    default_complaints,
    outcome,
)
from tidings.errors import PropertyErrorCode

CHECKS = all_checks()
# Only what an event's header says can depend on whether times are supported.
ONLY_EVENTS = PropertyErrorCode.UNAVAILABLE_PROPERTY


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_request_has_the_outcome_of_the_table(check: Check) -> None:
    assert complaint(check) is None


def test_the_defaults_are_those_of_the_table() -> None:
    assert list(default_complaints()) == []


def test_every_code_is_met_at_every_level_where_it_can_be() -> None:
    met: dict[str, set[PropertyErrorCode]] = {}
    for check in CHECKS:
        if isinstance(check.expected, tuple):
            met.setdefault(check.place.level, set()).update(e.code for e in check.expected)
    every = set(PropertyErrorCode)
    by_level = {level: every - {ONLY_EVENTS} for level in ("channel", "admin", "proxy")}
    codes = PropertyErrorCode
    plain = {codes.BAD_PROPERTY, codes.BAD_TYPE, codes.BAD_VALUE, codes.UNSUPPORTED_VALUE}
    assert met == {**by_level, "event": every, "administration": plain}


def test_every_property_is_in_every_table() -> None:
    assert len(LEVELS) == 13
    assert len(TYPES) == 17
    assert TYPES.keys() - RANGES.keys() == {"StartTime", "StopTime"}
    assert LEVELS.keys() < TYPES.keys()


def test_a_wrong_expectation_is_noticed() -> None:
    good = next(c for c in CHECKS if isinstance(c.expected, dict))
    bad = next(c for c in CHECKS if isinstance(c.expected, tuple))
    assert complaint(good._replace(expected=())) is not None
    assert complaint(good._replace(expected={"Priority": 7_000})) is not None
    assert complaint(bad._replace(expected={})) is not None
    assert outcome(bad.place, bad.request) == bad.expected
