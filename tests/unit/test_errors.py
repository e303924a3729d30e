from __future__ import annotations

import pickle
import re

import pytest

from tidings import errors
from tidings.errors import (
    BadInput,
    InvalidConstraint,
    InvalidEvent,
    MissingExtra,
    PropertyError,
    PropertyErrorCode,
    TidingsError,
    UnsupportedAdmin,
    UnsupportedQoS,
)
from tidings.errors.carets import caret_report, line_and_column

CLASSES = [cls for cls in vars(errors).values() if isinstance(cls, type)]
TREE = [cls for cls in CLASSES if issubclass(cls, TidingsError)]


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    assert errors.__doc__ is not None
    drawn = re.findall(r"^ {4}([│ ├└─]*)(\w+)", errors.__doc__, re.MULTILINE)
    parents: list[str] = []
    edges = []
    for lead, name in drawn:
        depth = len(lead) // 4
        del parents[depth:]
        edges.append((name, parents[-1] if parents else "Exception"))
        parents.append(name)
    assert sorted(edges) == sorted((cls.__name__, cls.__bases__[0].__name__) for cls in TREE)


def test_every_error_is_public_and_has_its_own_code() -> None:
    carried = ["PropertyError", "PropertyErrorCode"]
    assert sorted(errors.__all__) == sorted([*carried, *(cls.__name__ for cls in TREE)])
    codes = [cls.code for cls in TREE]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("cls", TREE)
def test_every_error_has_a_status_and_a_corba_exception(cls: type[TidingsError]) -> None:
    assert 400 <= cls.http_status < 600
    assert re.fullmatch(r"IDL:omg\.org/\w+/\w+:1\.0", cls.corba_id)


@pytest.mark.parametrize("cls", [cls for cls in TREE if issubclass(cls, BadInput)])
def test_bad_input_is_the_callers_fault(cls: type[TidingsError]) -> None:
    assert 400 <= cls.http_status < 500


def test_invalid_event_names_the_place() -> None:
    assert str(InvalidEvent("is no short", "data.zones[3]")) == "data.zones[3]: is no short"
    assert str(InvalidEvent("is no JSON")) == "is no JSON"


def test_invalid_event_seen_from_outside() -> None:
    error = InvalidEvent("is no short")
    assert error.inside("[3]").where == "[3]"
    assert error.inside("zones").where == "zones[3]"
    assert str(error.inside("data")) == "data.zones[3]: is no short"


@pytest.mark.parametrize(
    "error",
    [
        InvalidEvent("is no short", "data.x").inside("event"),
        InvalidConstraint("no operator", "$a ? 1", 3, "use =="),
        MissingExtra("pyarrow", "arrow"),
        BadInput("wrong"),
        UnsupportedQoS([PropertyError(PropertyErrorCode.BAD_VALUE, "Priority", -32767, 32767)]),
        UnsupportedAdmin([PropertyError(PropertyErrorCode.BAD_TYPE, "MaxConsumers")]),
    ],
)
def test_errors_survive_the_way_to_another_process(error: TidingsError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_unsupported_properties_are_all_named_with_what_would_do() -> None:
    error = UnsupportedQoS(
        [
            PropertyError(PropertyErrorCode.BAD_VALUE, "Priority", -32767, 32767),
            PropertyError(PropertyErrorCode.BAD_PROPERTY, "Prioritty"),
        ]
    )
    assert str(error).splitlines() == [
        "Priority: this value is outside the legal range; use -32767 to 32767",
        "Prioritty: no property has this name",
    ]


@pytest.mark.parametrize("code", PropertyErrorCode)
def test_every_code_of_a_property_has_its_own_words(code: PropertyErrorCode) -> None:
    others = {str(PropertyError(c, "X")) for c in PropertyErrorCode if c is not code}
    assert str(PropertyError(code, "X")) not in others


def test_a_missing_extra_says_what_to_install() -> None:
    assert "pip install tidings[arrow]" in str(MissingExtra("pyarrow", "arrow"))


@pytest.mark.parametrize(
    ("text", "position", "expected"),
    [("abc", 0, (1, 1)), ("abc", 3, (1, 4)), ("a\nbc", 2, (2, 1)), ("a\nbc\n", 5, (3, 1))],
)
def test_line_and_column(text: str, position: int, expected: tuple[int, int]) -> None:
    assert line_and_column(text, position) == expected


def test_the_caret_stands_under_the_fault() -> None:
    error = InvalidConstraint("no operator", "$a == 1 and\n$b ? 2", 15, "use ==")
    assert (error.line, error.column) == (2, 4)
    assert str(error).splitlines() == [
        "line 2, column 4: no operator",
        "  $b ? 2",
        "     ^",
        "  hint: use ==",
    ]


def test_the_caret_is_right_under_tabs() -> None:
    assert caret_report("x", "\t\t?", 2).splitlines()[1:] == ["    ?", "    ^"]


@pytest.mark.parametrize("position", [0, 100, 199])
def test_long_lines_are_shown_as_a_window(position: int) -> None:
    text = "a" * position + "?" + "b" * (199 - position)
    _, line, caret = caret_report("x", text, position).splitlines()
    assert len(line) <= 76
    assert line[caret.index("^")] == "?"
