"""Checks as code, and files of them; what becomes of rows is tested with Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tidings.errors import InvalidConstraint, InvalidEventType, InvalidUsage
from tidings.pipeline.expectations import Expectation, Severity, load_expectations


def test_an_expectation_is_checked_when_it_is_made() -> None:
    with pytest.raises(InvalidUsage, match="a check needs a name"):
        Expectation("", "TRUE")
    with pytest.raises(InvalidConstraint):
        Expectation("odd", "$price <")
    with pytest.raises(InvalidEventType):
        Expectation("odd", "TRUE", event_types=["%ODD"])
    wrong: Any = 7
    with pytest.raises(InvalidUsage, match="should be a constraint, or a function"):
        Expectation("odd", wrong)


def test_what_is_said_of_a_row() -> None:
    assert Expectation("cheap", "$price < 10").told == "cheap: $price < 10 does not hold"
    assert Expectation("cheap", "$price < 10", reason="too dear").told == "cheap: too dear"


def test_a_file_of_checks(tmp_path: Path) -> None:
    file = tmp_path / "checks.py"
    file.write_text(
        "from tidings.pipeline.expectations import Expectation, Severity\n"
        "EXPECTATIONS = [Expectation('a', 'exist $a'),\n"
        "                Expectation('b', 'exist $b', severity=Severity.WARNING)]\n"
    )
    first, second = load_expectations(file)
    assert (first.name, first.severity) == ("a", Severity.ERROR)
    assert (second.name, second.severity) == ("b", Severity.WARNING)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no list EXPECTATIONS"),
        ("EXPECTATIONS = 7", "has no list EXPECTATIONS"),
        ("EXPECTATIONS = ['exist $a']", "has no list EXPECTATIONS"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def", "SyntaxError"),
        ("from tidings.pipeline.expectations import *\nExpectation('a', '$a <')", "column 5"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "checks.py"
    file.write_text(text)
    with pytest.raises(InvalidUsage, match=told) as raised:
        load_expectations(file)
    assert str(file) in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidUsage, match="FileNotFoundError"):
        load_expectations(tmp_path / "none.py")
