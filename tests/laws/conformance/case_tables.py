"""The case tables of the constraint language, `etcl/*.cases` and `etcl/*.matrix`, read.

A file of cases is a list of answers and constraints::

    # A comment.
    event E                       the event the following cases are asked of
    TRUE     $count == 7          TRUE, FALSE or error (which counts as FALSE)
             tree: $count == 7    what it prints as
    error    $missing == 1
             because: missing     part of what `explain` says is wrong
             warns: …             part of a caution, or `nothing` for no caution at all
    invalid@5    5 + 'al'         no constraint; the caret stands under column 5
             says: numbers        part of the message

A matrix has one table for every operator, with the kinds of the left operand down and those
of the right across; `event kinds` has a field for each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent / "etcl"
ANSWERS = {"TRUE": True, "FALSE": False, "error": None}
NOTES = {"tree", "because", "warns", "says"}


@dataclass(frozen=True)
class Case:
    """A constraint and what it must answer for an event, or where it is wrong."""

    place: str
    event: str
    answer: str
    text: str
    column: int = 0
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def invalid(self) -> bool:
        return self.answer == "invalid"

    @property
    def expected(self) -> bool | None:
        return ANSWERS[self.answer]


def read_cases(name: str, text: str) -> list[Case]:
    """The cases of one file.

    Raises:
        ValueError: A line is none of the forms above.
    """
    cases: list[Case] = []
    event = ""
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("event "):
            event = line.removeprefix("event ").strip()
        elif line.startswith(" "):
            key, _, value = line.strip().partition(": ")
            if key not in NOTES:
                raise ValueError(f"{place}: {key!r} is no note on a case")
            cases[-1].notes[key] = value
        else:
            cases.append(_case(place, event, line))
    return cases


def _case(place: str, event: str, line: str) -> Case:
    head, _, text = line.partition(" ")
    answer, _, column = head.partition("@")
    if answer == "invalid":
        return Case(place, event, answer, text.strip(), int(column))
    if answer not in ANSWERS:
        raise ValueError(f"{place}: {answer!r} is no answer")
    return Case(place, event, answer, text.strip())


def all_cases() -> list[Case]:
    """Every case of every file."""
    found: list[Case] = []
    for path in sorted(FOLDER.glob("*.cases")):
        found += read_cases(path.stem, path.read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True)
class Cell:
    """What an operator answers for two kinds: T, F, ! for an error, or the kind of a number."""

    operator: str
    left: str
    right: str
    answer: str

    def text(self, operands: dict[str, str]) -> str:
        """The constraint that asks for this cell."""
        return f"{operands[self.left]} {self.operator} {operands[self.right]}"


def read_matrix(text: str) -> list[Cell]:
    """All cells of a file of tables; a table's head is its operator and the right kinds."""
    cells: list[Cell] = []
    operator, columns = "", [""]
    for line in text.splitlines():
        row = line.split()
        if not row or line.startswith("#"):
            operator = ""
        elif not operator:
            operator, *columns = row
        else:
            left, *answers = row
            pairs = zip(columns, answers, strict=True)
            cells += [Cell(operator, left, right, answer) for right, answer in pairs]
    return cells


def all_cells() -> list[Cell]:
    """Every cell of every matrix."""
    found: list[Cell] = []
    for path in sorted(FOLDER.glob("*.matrix")):
        found += read_matrix(path.read_text(encoding="utf-8"))
    return found
