"""Errors as problems, which a client reads as the errors they were."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidings import errors
from tidings.api.problems import MOST_FAULTS, error_of, misfit_of, problem_of
from tidings.errors import BadInput, PropertyError, PropertyErrorCode, TidingsError


def _tree(root: type[TidingsError]) -> list[type[TidingsError]]:
    below = [one for child in root.__subclasses__() for one in _tree(child)]
    return [root, *(one for one in below if one.__module__ == errors.__name__)]


CLASSES = list(dict.fromkeys(_tree(TidingsError)))

MADE_OF_PARTS: dict[type[TidingsError], list[tuple[Any, ...]]] = {
    errors.AdminLimitExceeded: [("MaxConsumers", 3)],
    errors.InvalidConstraint: [
        ("an operand is missing", "$a ==\n  ü and", 11, "write a value"),
        ("empty", ""),
    ],
    errors.IllegalConstraint: [("there is no operator", "cost 5", 5, "write cost == 5")],
    errors.IllegalPreference: [("a number is needed", "max 'a'", 4, "")],
    errors.InvalidEvent: [("must be a text", "data.zones[3]"), ("no event", "")],
    errors.MissingExtra: [("the Arrow codec", "arrow")],
    errors.RateExceeded: [("ann may publish 5 events a second", 0.25)],
}
PROPERTY_ERRORS = [
    PropertyError(PropertyErrorCode.BAD_VALUE, "Priority", -32767, 32767),
    PropertyError(PropertyErrorCode.BAD_PROPERTY, "Prioritäten"),
    PropertyError(PropertyErrorCode.BAD_VALUE, "Timeout", 0, 2**64 - 1),
    PropertyError(PropertyErrorCode.BAD_VALUE, "StopTimeSupported", False, False),
]


def _examples(kind: type[TidingsError]) -> list[TidingsError]:
    if issubclass(kind, errors.UnsupportedProperties):
        return [kind(PROPERTY_ERRORS), kind([])]
    if kind in MADE_OF_PARTS:
        return [kind(*arguments) for arguments in MADE_OF_PARTS[kind]]
    made = kind.__init__ is TidingsError.__init__
    assert made, f"{kind.__name__} has parameters that no test knows"
    return [kind("what is wrong, where: ü \U0001f514"), kind("")]


def _sent(error: TidingsError) -> TidingsError:
    problem = json.loads(json.dumps(problem_of(error), ensure_ascii=False).encode())
    return error_of(problem, type(error).http_status)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_comes_back_as_it_was(kind: type[TidingsError]) -> None:
    for error in _examples(kind):
        found = _sent(error)
        assert type(found) is kind
        assert str(found) == str(error)
        assert vars(found) == vars(error)


def test_members_of_the_standards_exception_come_back() -> None:
    error = errors.UnknownServiceType("there is no service type Printer")
    error.members = {"type": "Printer"}
    found = _sent(error)
    assert (type(found), found.members) == (type(error), {"type": "Printer"})
    assert "members" not in problem_of(errors.UnknownServiceType("no members"))


def test_faults_of_our_own_keep_their_words_inside() -> None:
    problem = problem_of(KeyError("secret"))
    assert (problem["status"], problem["code"]) == (500, "internal")
    assert "secret" not in json.dumps(problem)


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("invalid_constraint", {}),
        ("invalid_constraint", {"problem": 1, "text": "", "position": 0, "hint": ""}),
        ("unsupported_qos", {"errors": [{"name": "a"}]}),
        ("unsupported_qos", {"errors": [{"name": "a", "code": "NEW", "low": 1, "high": 2}]}),
        ("unsupported_qos", {"errors": [{"name": "a", "code": "BAD_TYPE", "low": "1", "high": 2}]}),
    ],
)
def test_an_error_whose_parts_are_missing_is_of_the_nearest_class(
    code: str, parts: dict[str, Any]
) -> None:
    found = error_of({"code": code, "detail": "what is wrong", **parts}, 422)
    assert (type(found), str(found)) == (BadInput, "what is wrong")


def test_a_misfit_says_where_and_what() -> None:
    faults: list[dict[str, object]] = [
        {"loc": ("body", "constraints", 2, "text"), "msg": "Input should be a valid string"},
        {"loc": ("body",), "msg": "Field required \ud800"},
    ]
    problem = misfit_of(faults)
    json.dumps(problem, ensure_ascii=False).encode()
    assert (problem["status"], problem["code"]) == (422, "bad_input")
    assert problem["detail"] == (
        "body.constraints[2].text: Input should be a valid string\nbody: Field required \ufffd"
    )
    assert type(error_of(problem, 422)) is BadInput


def test_of_very_many_faults_the_first_are_told() -> None:
    faults: list[dict[str, object]] = [{"loc": ("a", at), "msg": "wrong"} for at in range(50)]
    problem: Any = misfit_of(faults)
    assert len(problem["faults"]) == MOST_FAULTS == 20
    assert problem["detail"].splitlines()[-1] == "… and 30 more"
    assert len(problem["detail"].splitlines()) == 21
    assert "more" not in str(misfit_of(faults[:MOST_FAULTS])["detail"])
