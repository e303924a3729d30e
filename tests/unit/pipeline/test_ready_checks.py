"""Ready checks: the constraints they are, judged by the reference."""

from __future__ import annotations

from typing import Any

import pytest

from tidings import event
from tidings.errors import InvalidConstraint, InvalidUsage
from tidings.events.fields import fields_of
from tidings.pipeline.expectations import Expectation, Severity
from tidings.pipeline.ready_checks import fresh, in_range, not_null, one_of, unique


def passes(check: Expectation, **data: Any) -> bool:
    return check.constraint().matches(fields_of(event("Traffic", "Speed", data=data)))


def test_a_property_is_there() -> None:
    assert passes(not_null("rate"), rate=0)
    assert passes(not_null("$rate"), rate="")
    assert not passes(not_null("rate"), speed=1)


def test_a_number_is_in_range() -> None:
    check = in_range("rate", 0, 400)
    assert passes(check, rate=0)
    assert passes(check, rate=400.0)
    assert not passes(check, rate=400.5)
    assert not passes(check, rate=-1)
    assert not passes(check, speed=1)
    assert not passes(check, rate="fast")
    assert passes(in_range("rate", low=-5), rate=-5)
    assert not passes(in_range("rate", high=-5.5), rate=-5)
    with pytest.raises(InvalidUsage, match="needs a lowest or a highest"):
        in_range("rate")


def test_a_value_is_one_of_some() -> None:
    check = one_of("road", ["A1", "it's", "back\\slash"])
    assert passes(check, road="A1")
    assert passes(check, road="it's")
    assert passes(check, road="back\\slash")
    assert not passes(check, road="A2")
    assert not passes(check)
    assert passes(one_of("lane", [1, 2]), lane=2)
    assert not passes(one_of("lane", [1, 2]), lane=3)
    with pytest.raises(InvalidUsage, match="none are given"):
        one_of("lane", [])
    with pytest.raises(InvalidUsage, match="texts, or of numbers"):
        one_of("lane", [1, "2"])


def test_options_are_those_of_an_expectation() -> None:
    check = not_null("rate", event_types=["Traffic::*"], severity=Severity.WARNING, name="rated")
    assert (check.name, check.event_types) == ("rated", ["Traffic::*"])
    assert check.severity is Severity.WARNING
    assert not_null("rate").told == "rate is there: rate is missing"
    assert in_range("rate", 0, 9).told == "rate in range: rate is not a number from 0 to 9"


def test_what_names_no_property() -> None:
    with pytest.raises(InvalidUsage, match="names no property"):
        not_null("rate + 1")
    with pytest.raises(InvalidConstraint):
        not_null("two words")


def test_lengths_and_units_are_checked() -> None:
    assert callable(fresh("measured").check)
    assert callable(unique().check)
    with pytest.raises(InvalidUsage, match="no length of time"):
        fresh("measured", ahead="soon")
    with pytest.raises(InvalidUsage, match="no unit of time; there are s, ms, us"):
        fresh("measured", unit="minutes")
