from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

from tidings import errors
from tidings.api.problems import MOST_FAULTS, error_of, misfit_of, problem_of
from tidings.channel.property_errors import Level
from tidings.channel.qos import QoS
from tidings.channel.qos_check import changed
from tidings.errors import (
    AdminLimitExceeded,
    BadInput,
    DiskFull,
    InvalidConstraint,
    InvalidEvent,
    MissingExtra,
    PropertyError,
    PropertyErrorCode,
    TidingsError,
    Unauthenticated,
    Unreachable,
    UnsupportedProperties,
    UnsupportedQoS,
)


def _tree(root: type[TidingsError]) -> list[type[TidingsError]]:
    below = [one for child in root.__subclasses__() for one in _tree(child)]
    return [root, *(one for one in below if one.__module__ == errors.__name__)]


CLASSES = list(dict.fromkeys(_tree(TidingsError)))

MADE_OF_PARTS: dict[type[TidingsError], list[tuple[Any, ...]]] = {
    AdminLimitExceeded: [("MaxConsumers", 3)],
    InvalidConstraint: [
        ("an operand is missing", "$a ==\n  ü and", 11, "write a value"),
        ("empty", ""),
    ],
    InvalidEvent: [("must be a text", "data.zones[3]"), ("no event", "")],
    MissingExtra: [("the Arrow codec", "arrow")],
}
PROPERTY_ERRORS = [
    PropertyError(PropertyErrorCode.BAD_VALUE, "Priority", -32767, 32767),
    PropertyError(PropertyErrorCode.BAD_PROPERTY, "Prioritäten"),
    PropertyError(PropertyErrorCode.BAD_VALUE, "Timeout", 0, 2**64 - 1),
]


def _examples(kind: type[TidingsError]) -> list[TidingsError]:
    made = kind.__init__ is TidingsError.__init__
    if issubclass(kind, UnsupportedProperties):
        return [kind(PROPERTY_ERRORS), kind([])]
    if kind in MADE_OF_PARTS:
        return [kind(*arguments) for arguments in MADE_OF_PARTS[kind]]
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


def test_all_classes_of_the_tree_are_known() -> None:
    public = {one for _, one in inspect.getmembers(errors, inspect.isclass)}
    assert {one for one in public if issubclass(one, TidingsError)} == set(CLASSES)
    assert len({kind.code for kind in CLASSES}) == len(CLASSES)


def test_a_problem_says_what_the_standard_wants() -> None:
    problem = problem_of(DiskFull("no room on /data"))
    assert problem == {
        "type": "urn:tidings:error:disk_full",
        "title": "DiskFull",
        "status": 507,
        "detail": "no room on /data",
        "code": "disk_full",
    }


def test_a_problem_names_the_place_in_a_constraint() -> None:
    problem = problem_of(InvalidConstraint("no value", "$a ==\n and", 7, "write one"))
    assert (problem["line"], problem["column"], problem["position"]) == (2, 2, 7)
    assert (problem["text"], problem["hint"]) == ("$a ==\n and", "write one")


def test_every_bad_property_is_listed() -> None:
    with pytest.raises(UnsupportedQoS) as caught:
        changed(QoS(), Level.CHANNEL, None, {"Priority": "high", "Colour": 3, "OrderPolicy": 9})
    assert problem_of(caught.value)["errors"] == [
        {"name": "Priority", "code": "BAD_TYPE", "low": None, "high": None},
        {"name": "Colour", "code": "BAD_PROPERTY", "low": None, "high": None},
        {"name": "OrderPolicy", "code": "BAD_VALUE", "low": 0, "high": 3},
    ]
    assert _sent(caught.value).args == caught.value.args


def test_faults_of_our_own_keep_their_words_inside() -> None:
    problem = problem_of(KeyError("secret"))
    assert (problem["status"], problem["code"]) == (500, "internal")
    assert "secret" not in json.dumps(problem)


def test_what_utf8_cannot_say_is_replaced_in_its_place() -> None:
    problem = problem_of(InvalidConstraint("odd \ud800", "a\udfffb ==", 3, "\ud800"))
    json.dumps(problem, ensure_ascii=False).encode()
    assert problem["text"] == "a\ufffdb =="


def test_an_error_of_a_class_nobody_knows_is_known_by_its_parent() -> None:
    class Newer(InvalidEvent):
        pass

    found = _sent(Newer("no event", "data"))
    assert (type(found), vars(found)) == (InvalidEvent, {"problem": "no event", "where": "data"})


def test_a_code_nobody_knows_is_an_error_still() -> None:
    found = error_of({"code": "from_the_future", "detail": "what is wrong"}, 422)
    assert (type(found), str(found)) == (TidingsError, "what is wrong")


@pytest.mark.parametrize(
    "problem",
    [
        {"code": "invalid_constraint", "detail": "what is wrong"},
        {
            "code": "invalid_constraint",
            "detail": "what is wrong",
            "problem": 1,
            "text": "",
            "position": 0,
            "hint": "",
        },
        {"code": "unsupported_qos", "detail": "what is wrong", "errors": [{"name": "a"}]},
        {
            "code": "unsupported_qos",
            "detail": "what is wrong",
            "errors": [{"name": "a", "code": "NEW", "low": 1, "high": 2}],
        },
        {
            "code": "unsupported_qos",
            "detail": "what is wrong",
            "errors": [{"name": "a", "code": "BAD_TYPE", "low": "1", "high": 2}],
        },
    ],
)
def test_an_error_whose_parts_are_missing_is_of_the_nearest_class(problem: dict[str, Any]) -> None:
    found = error_of(problem, 422)
    assert (type(found), str(found)) == (BadInput, "what is wrong")


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, Unauthenticated), (503, Unreachable), (502, Unreachable), (418, TidingsError)],
)
def test_what_is_no_problem_of_ours_goes_by_its_status(status: int, kind: type) -> None:
    answers: list[object] = [None, "<html>", [], {"title": "Bad Gateway"}]
    for answer in answers:
        assert type(error_of(answer, status)) is kind
    assert str(error_of(None, 418)) == "the service answered with status 418"


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


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"type": "extra_forbidden", "msg": "Extra"}, "a: nothing of this name is known here"),
        ({"type": "missing", "msg": "Field required"}, "a: it is missing"),
        ({"type": "model_attributes_type", "msg": "dictionary"}, "a: it must be a JSON object"),
        ({"type": "value_error", "msg": "Value error, so not"}, "a: so not"),
    ],
)
def test_a_misfit_is_told_in_plain_words(fault: dict[str, object], words: str) -> None:
    assert misfit_of([{"loc": ("a",), **fault}])["detail"] == words


def test_of_very_many_faults_the_first_are_told() -> None:
    problem = misfit_of([{"loc": ("a", at), "msg": "wrong"} for at in range(50)])
    faults, detail = problem["faults"], problem["detail"]
    assert isinstance(faults, list)
    assert isinstance(detail, str)
    assert len(faults) == MOST_FAULTS == 20
    assert detail.splitlines()[-1] == "… and 30 more"
    assert len(detail.splitlines()) == 21
