"""The constraint language against its case tables, through every part that answers."""

from __future__ import annotations

from itertools import product

import pytest

from tests.laws.conformance.case_tables import Case, Cell, all_cases, all_cells, read_cases
from tests.laws.conformance.judge import cell_complaints, complaints, crowd_complaints
from tests.laws.conformance.sample_events import EVENTS
from tidings.filters.tree import ARITHMETIC, COMPARISONS

CASES = all_cases()
CELLS = all_cells()
KINDS = (
    *("integer", "big", "real", "nan", "fixed", "boolean", "char", "'B'", "letter", "string"),
    *("enum", "label", "sequence", "composite", "missing"),
)
BINARY = (*COMPARISONS, *ARITHMETIC, "~", "and", "or")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.place)
def test_case(case: Case) -> None:
    assert complaints(case) == []


def test_all_cases_in_one_index() -> None:
    assert crowd_complaints(CASES) == []


@pytest.mark.parametrize("operator", [*BINARY, "in"])
def test_truth_table(operator: str) -> None:
    cells = [cell for cell in CELLS if cell.operator == operator]
    wrong = [complaint for cell in cells for complaint in cell_complaints(cell)]
    assert wrong == []


@pytest.mark.parametrize("operator", BINARY)
def test_a_truth_table_has_every_pair_of_kinds_once(operator: str) -> None:
    pairs = [(cell.left, cell.right) for cell in CELLS if cell.operator == operator]
    assert sorted(pairs) == sorted(product(KINDS, KINDS))


def test_in_has_every_kind_on_its_left_and_every_sequence_on_its_right() -> None:
    cells = [cell for cell in CELLS if cell.operator == "in"]
    assert {cell.left for cell in cells} == set(KINDS)
    assert len({cell.right for cell in cells}) == 16
    assert len(cells) == 16 * len(KINDS)


def test_the_tables_of_the_specification_are_whole() -> None:
    def count(start: str) -> int:
        return sum(case.place.startswith(start) for case in CASES)

    assert count("7_event_e") >= 50 + 4
    assert count("7_any_events") >= 7
    assert count("7_invalid") >= 7
    assert count("4_numbers") >= 10
    assert count("5_draft_forms") >= 3
    assert {case.event for case in CASES if not case.invalid} <= set(EVENTS)


@pytest.mark.parametrize(
    "lines", ["maybe    $a == 1", "true     $a == 1", "TRUE     $a\n         reason: none"]
)
def test_a_table_with_a_slip_is_refused(lines: str) -> None:
    with pytest.raises(ValueError, match="is no"):
        read_cases("slip", lines)


@pytest.mark.parametrize(
    "line",
    [
        "FALSE    $count == 7",
        "error    $count == 7",
        "TRUE     $missing == 7",
        "TRUE     $count == 7\n         tree: $count==7",
        "TRUE     $count == 7\n         warns: something",
        "error    $missing == 7\n         because: division by zero",
        "TRUE     $count ==",
        "invalid@1    $count ==",
        "invalid@10   $count ==\n         says: something else",
        "invalid@1    $count == 7",
        "error    not $count == 7\n         warns: nothing",
    ],
)
def test_a_wrong_case_is_noticed(line: str) -> None:
    (case,) = read_cases("wrong", f"event E\n{line}")
    assert complaints(case) != []


@pytest.mark.parametrize(
    "cell",
    [
        Cell("==", "integer", "real", "T"),
        Cell("==", "integer", "real", "!"),
        Cell("==", "integer", "real", "-"),
        Cell("+", "integer", "real", "i"),
        Cell("+", "integer", "real", "!"),
    ],
)
def test_a_wrong_cell_is_noticed(cell: Cell) -> None:
    assert cell_complaints(cell) != []
