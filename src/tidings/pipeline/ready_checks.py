"""Common checks, ready to use in checks files.

Checks on one property are constraints, so they mean the same as in filters; a property is named as
in a filter, with or without `$`. Every function takes `event_types`, `severity` and `name` as
`Expectation` does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pyspark.sql import Column, Window
from pyspark.sql import functions as sf

from tidings.clock import duration_us
from tidings.errors import InvalidUsage
from tidings.filters.parse import parse
from tidings.filters.printing import print_tree
from tidings.filters.tree import Boolean, Component, Integer, Node, Real, Text
from tidings.pipeline.expectations import Expectation

# Microseconds per unit.
_UNITS: Final = {"s": 1_000_000, "ms": 1_000, "us": 1}


def not_null(field: str, **more: Any) -> Expectation:  # noqa: ANN401 -- as Expectation takes them
    """Check that the property exists."""
    path = _path(field)
    return _expectation(f"{field} is there", f"exist {path}", f"{field} is missing", more)


def in_range(
    field: str,
    low: float | None = None,
    high: float | None = None,
    **more: Any,  # noqa: ANN401 -- as Expectation takes them
) -> Expectation:
    """Check that the property is a number from `low` to `high`, inclusive; None means no bound.

    Raises:
        InvalidUsage: There is no bound at all.
    """
    path = _path(field)
    bounds = [(">=", low), ("<=", high)]
    tests = [f"{path} {sign} {_literal(bound)}" for sign, bound in bounds if bound is not None]
    if not tests:
        raise InvalidUsage(f"a range of {field} needs a lowest or a highest value")
    told = " ".join(
        f"{word} {bound}" for word, bound in (("from", low), ("to", high)) if bound is not None
    )
    said = f"{field} is not a number {told}"
    return _expectation(f"{field} in range", " and ".join(tests), said, more)


def one_of(
    field: str,
    values: Iterable[str | float | bool],
    **more: Any,  # noqa: ANN401 -- as Expectation takes them
) -> Expectation:
    """Check that the property is one of these values.

    Raises:
        InvalidUsage: There are no values.
    """
    path, allowed = _path(field), list(values)
    if not allowed:
        raise InvalidUsage(f"{field} should be one of some values, and none are given")
    # Comparing a property with a value of another kind is an error, so all must be of one kind.
    if len({isinstance(one, str) for one in allowed}) > 1:
        raise InvalidUsage(f"{field} should be one of texts, or of numbers, not of both")
    text = " or ".join(f"{path} == {_literal(one)}" for one in allowed)
    said = f"{field} is none of {', '.join(str(one) for one in allowed)}"
    return _expectation(f"{field} is known", text, said, more)


def fresh(
    field: str,
    ahead: str = "5m",
    behind: str | None = None,
    unit: str = "s",
    **more: Any,  # noqa: ANN401 -- as Expectation takes them
) -> Expectation:
    """Check that the time in an event fits its arrival time.

    Args:
        field: A data property: a number since 1970, or an ISO 8601 time.
        ahead: How far it may be after the arrival, such as `5m`.
        behind: How far it may be before the arrival; unlimited if None.
        unit: Unit of a number: `s`, `ms` or `us`.
        more: As for `Expectation`.

    Raises:
        InvalidUsage: A duration or the unit is invalid.
    """
    most, least = _length(ahead), None if behind is None else _length(behind)
    if unit not in _UNITS:
        raise InvalidUsage(f"{unit!r} is no unit of time; there are {', '.join(_UNITS)}")
    scale = _UNITS[unit]

    def fits() -> Column:
        name = sf.lit(field.removeprefix("$"))
        number = sf.coalesce(
            sf.element_at("data_int", name).cast("double"), sf.element_at("data_double", name)
        )
        text = sf.try_to_timestamp(sf.element_at("data_string", name))
        told = sf.coalesce(number * scale, sf.unix_micros(text).cast("double"))
        lead = told - sf.col("arrival_us")
        return (lead <= most) & (lead >= -least) if least is not None else lead <= most

    tolerated = f"more than {ahead} after" + (f" or {behind} before" if behind else "")
    said = f"{field} is no time, or lies {tolerated} the arrival"
    return _expectation(f"{field} is fresh", fits, said, more)


def unique(*columns: str, **more: Any) -> Expectation:  # noqa: ANN401 -- as Expectation takes them
    """Check that no two rows have the same values in these columns; the first of them passes.

    The default columns are origin and seq, which identify an event. For batches, not for streams.
    """
    key = columns or ("origin", "seq")

    def first() -> Column:
        return sf.row_number().over(Window.partitionBy(*key).orderBy("position")) == 1

    named = ", ".join(key)
    return _expectation(f"{named} once", first, f"{named} was there before", more)


def _expectation(name: str, check: Any, reason: str, more: dict[str, Any]) -> Expectation:  # noqa: ANN401
    return Expectation(**{"name": name, "check": check, "reason": reason} | more)


def _path(field: str) -> str:
    text = field if field.startswith("$") else f"${field}"
    tree = parse(text)
    if not isinstance(tree, Component):
        raise InvalidUsage(f"{field!r} names no property; write it as a filter would: $rate")
    return str(tree.path)


def _length(text: str) -> int:
    found = duration_us(text)
    if found is None:
        raise InvalidUsage(
            f"{text!r} is no length of time; write a whole number and s, m, h, d or w, such as 30m"
        )
    return found


def _literal(value: str | float | bool) -> str:
    node: Node
    if isinstance(value, bool):
        node = Boolean(value)
    elif isinstance(value, int):
        node = Integer(value)
    elif isinstance(value, float):
        node = Real(value)
    elif isinstance(value, str):
        node = Text(value)
    else:
        raise InvalidUsage(f"{value!r} cannot stand in a check; texts, numbers and booleans can")
    return print_tree(node)
