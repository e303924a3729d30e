"""Errors on the wire: problem documents (RFC 9457), and the very errors they were.

A problem is ``{"type": "urn:tidings:error:<code>", "title": <class>, "status": <number>,
"detail": <message>, "code": <code>}``, and what else the error knows: a constraint's `line`,
`column`, `text`, `position` and `hint`, an event's `where`, every bad property in `errors`, of IDL
`file`, `line`, `column`, `problem` and `hint`, and in `members` those of the standard's exception.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

import msgspec

from tidings import errors
from tidings.idl.faults import InvalidIdl

MEDIA_TYPE: Final = "application/problem+json"
"""The media type of problems."""

MOST_FAULTS: Final = 20
"""How many faults of one request are told; the rest are counted."""

_T = TypeVar("_T")

_CLASSES: Final[Mapping[str, type[errors.TidingsError]]] = {
    found.code: found
    for found in vars(errors).values()
    if isinstance(found, type) and issubclass(found, errors.TidingsError)
} | {InvalidIdl.code: errors.BadInput}  # its place is in a text that only the service has read

# What errors are made of, in the order of their parameters; all others are made of a message.
_OF_CONSTRAINTS: Final = {"problem": str, "text": str, "position": int, "hint": str}
_PARTS: Final[Mapping[type[errors.TidingsError], Mapping[str, type]]] = {
    errors.AdminLimitExceeded: {"name": str, "limit": int},
    errors.InvalidConstraint: _OF_CONSTRAINTS,
    errors.IllegalConstraint: _OF_CONSTRAINTS,
    errors.IllegalPreference: _OF_CONSTRAINTS,
    errors.InvalidEvent: {"problem": str, "where": str},
    errors.MissingExtra: {"what": str, "extra": str},
    errors.RateExceeded: {"message": str, "wait": float},
}

# What other servers on the way answer with, who know nothing of our codes.
_BY_STATUS: Final[Mapping[int, type[errors.TidingsError]]] = {
    400: errors.BadInput,
    401: errors.Unauthenticated,
    403: errors.Forbidden,
    404: errors.NotFound,
    413: errors.LimitExceeded,
    502: errors.Unreachable,
    503: errors.Unreachable,
    504: errors.Unreachable,
}

_LONE_SURROGATES: Final = re.compile("[\ud800-\udfff]")


def problem_of(error: BaseException) -> dict[str, object]:
    """The problem that tells of an error.

    What is no `TidingsError` is a fault of ours: nothing of what it says gets out.
    """
    if not isinstance(error, errors.TidingsError):
        return _problem(
            errors.TidingsError, "the service met an error of its own; its log has more"
        )
    problem = _problem(type(error), str(error))
    for kind, parts in _PARTS.items():
        if isinstance(error, kind):
            problem |= {name: _sendable(getattr(error, name)) for name in parts}
    if isinstance(error, errors.InvalidConstraint):
        problem |= {"line": error.line, "column": error.column}
    if isinstance(error, InvalidIdl):
        told = ("problem", "file", "line", "column", "hint")
        problem |= {name: _sendable(getattr(error, name)) for name in told}
    if isinstance(error, errors.UnsupportedProperties):
        problem["errors"] = [_property_form(one) for one in error.errors]
    members = {name: _sendable(one) for name, one in error.members.items() if type(one) is str}
    if members:
        problem["members"] = members
    return problem


def misfit_of(faults: Iterable[Mapping[str, object]]) -> dict[str, object]:
    """The problem of a request that does not fit its model, from pydantic's errors."""
    found = list(faults)
    told = [(_place(fault.get("loc")), _in_words(fault)) for fault in found[:MOST_FAULTS]]
    lines = [f"{where}: {message}" if where else message for where, message in told]
    if len(found) > MOST_FAULTS:
        lines.append(f"… and {len(found) - MOST_FAULTS} more")
    detail = "\n".join(lines)
    problem = _problem(errors.BadInput, detail or "the request does not fit")
    problem["status"] = 422
    problem["faults"] = [
        {"where": _sendable(where), "message": _sendable(message)} for where, message in told
    ]
    return problem


# What pydantic says in the words of Python's users; the rest of what it says is plain enough.
_WORDS: Final = {
    "extra_forbidden": "nothing of this name is known here",
    "missing": "it is missing",
    "model_attributes_type": "it must be a JSON object",
    "model_type": "it must be a JSON object",
}


def _in_words(fault: Mapping[str, object]) -> str:
    told = _WORDS.get(str(fault.get("type")))
    return told or str(fault.get("msg", "")).removeprefix("Value error, ")


def error_of(problem: object, status: int) -> errors.TidingsError:
    """The error that a problem tells of: of the same class, with the same message and parts.

    The status decides where there is no code: something between client and service has answered.
    """
    given: Mapping[object, object] = problem if isinstance(problem, Mapping) else {}
    told = given.get("detail") or given.get("title")
    detail = told if isinstance(told, str) else f"the service answered with status {status}"
    if "code" not in given:
        return _BY_STATUS.get(status, errors.TidingsError)(detail)
    if given.get("detail") == "":
        detail = ""
    kind = _CLASSES.get(str(given["code"]), errors.TidingsError)
    error = _made(kind, given) or _plain_class(kind)(detail)
    members = given.get("members")
    if isinstance(members, Mapping) and all(type(one) is str for one in members.values()):
        error.members = dict(members)
    return error


def _problem(kind: type[errors.TidingsError], detail: str) -> dict[str, object]:
    return {
        "type": f"urn:tidings:error:{kind.code}",
        "title": kind.__name__,
        "status": kind.http_status,
        "detail": _sendable(detail),
        "code": kind.code,
    }


def _sendable(value: _T) -> _T:
    """A text without what UTF-8 cannot say, and of the same length; anything else as it is."""
    if isinstance(value, str):
        return _LONE_SURROGATES.sub("\ufffd", value)  # type: ignore[return-value]
    return value


def _place(location: object) -> str:
    """Where in a request: ``body.constraints[2].text``."""
    parts = location if isinstance(location, Sequence) else ()
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.removeprefix(".")


def _property_form(error: errors.PropertyError) -> dict[str, object]:
    return {
        "name": _sendable(str(error.name)),
        "code": error.code.name,
        "low": error.low,
        "high": error.high,
    }


def _made(
    kind: type[errors.TidingsError], given: Mapping[object, object]
) -> errors.TidingsError | None:
    """An error from its parts; None if it is made of a message, or a part is missing."""
    if issubclass(kind, errors.UnsupportedProperties):
        found = _property_errors(given.get("errors"))
        return None if found is None else kind(found)
    parts = _PARTS.get(kind)
    if parts is None or any(type(given.get(name)) is not part for name, part in parts.items()):
        return None
    make: Callable[..., errors.TidingsError] = kind
    return make(*(given[name] for name in parts))


class _BadProperty(msgspec.Struct):
    name: str
    code: str
    low: int | bool | None
    high: int | bool | None


def _property_errors(given: object) -> list[errors.PropertyError] | None:
    try:
        found = msgspec.convert(given, list[_BadProperty])
        return [
            errors.PropertyError(errors.PropertyErrorCode[e.code], e.name, e.low, e.high)
            for e in found
        ]
    except (KeyError, msgspec.ValidationError):
        return None


def _plain_class(kind: type[errors.TidingsError]) -> type[errors.TidingsError]:
    """The class itself, or the nearest above it, that is made of a message alone."""
    made_of_parts = (*_PARTS, errors.UnsupportedProperties)
    return next(
        one
        for one in kind.__mro__
        if issubclass(one, errors.TidingsError) and not issubclass(one, made_of_parts)
    )
