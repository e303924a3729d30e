from __future__ import annotations

import pytest

from tidings.filters.parse import parse
from tidings.filters.to_spark.native import native_names, native_reason, reads_event


@pytest.mark.parametrize(
    "text",
    [
        "$rate > 30",
        "not ($a == $b) or $c * 2 < 7 % $d",
        "'x' ~ $host and 7 in $nums",
        "exist $addr and exist $remainder_of_body and exist $header",
        "$domain_name == 'Telecom' and $curtime.time > 0",
        "$.header.variable_header(Priority) == 4",
        "$ == 1",
    ],
)
def test_what_is_native(text: str) -> None:
    assert native_reason(parse(text)) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("$a == 1 and $addr.street == 'x'", "$addr.street lies inside a value"),
        ("exist $tags[0]", "$tags[0] lies inside a value"),
        ("1 in $props(k)", "$props(k) lies inside a value"),
        ("default $u._d", "default $u._d asks for a union, which no column holds"),
        ("'x' ~ $.remainder_of_body", "$.remainder_of_body is the body, which no column holds"),
        ("1 in $remainder_of_body", "$remainder_of_body is the body, which no column holds"),
        ("1 in $filterable_data", "$filterable_data is a sequence of pairs, which no column holds"),
        (" or ".join(["$a == $b"] * 200), "the constraint is too large for one expression"),
    ],
)
def test_what_is_not_and_why(text: str, reason: str) -> None:
    assert native_reason(parse(text)) == reason


def test_names_whose_values_are_asked_for() -> None:
    tree = parse("$a == 1 and 2 in $b and exist $c and $domain_name == $.filterable_data(d)")
    assert native_names(tree) == {"a", "b", "d"}


def test_what_asks_nothing_of_the_event() -> None:
    assert not reads_event(parse("1 < 2"))
    assert reads_event(parse("exist $a"))
