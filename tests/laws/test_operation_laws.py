"""Every row of the operation catalogue says the same as JSON as inside one process."""

from __future__ import annotations

import json
import re
from dataclasses import is_dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.laws.request_strategies import answers_of, requests_of
from tidings.api.operations import (
    answer_json,
    body_fields,
    body_of,
    call_of,
    read_body,
    request_of,
)
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.catalogue import CATALOGUE, Operation, Right, Shown, checked
from tidings.channel.factory import Factory
from tidings.channel.vocabulary import Place, Side
from tidings.channel.wellformed import is_checked
from tidings.cos import CosNotification_auto as notification
from tidings.cos import CosNotifyChannelAdmin_auto as admin
from tidings.cos import CosNotifyComm_auto as comm
from tidings.cos import CosNotifyFilter_auto as filters
from tidings.cos.operations import bound_to
from tidings.events.anyvalue import same
from tidings.filters.mapping import MappedConstraint
from tidings.server.cores import service_cores

# For each of about sixty rows: their parts have laws of their own.
EXAMPLES = 12

ROWS = [row for row in CATALOGUE if row.http]
_ASKED = [row for row in ROWS if row.method != "GET"]
_ANSWERED = [row for row in ROWS if row.answer is not None]


def _alike(left: Any, right: Any) -> bool:
    """Whether two values are the same, down to the types of values of events."""
    if isinstance(left, MappedConstraint):
        return left.constraint == right.constraint and same(left.value, right.value)
    if is_dataclass(left) or hasattr(left, "_fields"):
        names = left.__match_args__
        return type(left) is type(right) and all(
            _alike(getattr(left, name), getattr(right, name)) for name in names
        )
    if isinstance(left, dict):
        return list(left) == list(right) and all(_alike(left[key], right[key]) for key in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(_alike, left, right))
    try:
        return left == right or bool(same(left, right))
    except Exception:  # noqa: BLE001 -- not values of events
        return False


def _read_path(row: Operation, path: str) -> dict[str, Any]:
    """The fields that the service finds in a path."""
    for template in row.places:
        pattern = re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", "/v1" + template)
        found = re.fullmatch(pattern, path)
        if found is not None:
            parts = {name: unquote(word) for name, word in found.groupdict().items()}
            break
    else:
        raise AssertionError(f"{path} is none of {row.places}")
    texts = {"name", "principal", "producer", "purpose", "gateway", "probe"}
    texts |= {"type", "offer", "link", "interface", "object"}
    texts |= {"subscriber", "evolver", "proxy_id", "filter_id"}
    read: dict[str, Any] = {
        name: Side(word) if name == "side" else word if name in texts else int(word)
        for name, word in parts.items()
    }
    if "place" in row.fields:
        below = {name for name in ("channel", "side", "admin", "proxy") if name in read}
        read["place"] = Place(**{name: read.pop(name) for name in below})
    return read


@pytest.mark.parametrize("row", _ASKED, ids=lambda row: row.name)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_a_request_is_understood_as_it_was_meant(row: Operation, data: st.DataObject) -> None:
    request = data.draw(requests_of(row))
    call = call_of(request)
    assert call.method == row.method
    rest = _read_path(row, call.path)
    body = None
    if body_of(row) is None:
        assert call.body is None
    else:
        body = read_body(row, json.loads(json.dumps(call.body)))
    if "origin" in row.hidden:
        rest["origin"] = request.origin
    found = request_of(row, rest, body)
    if "owner" in row.hidden:  # who asks becomes the owner
        found = replace(found, owner=request.owner)
    if "principal" in row.hidden and "digest" in row.hidden:
        found = replace(found, principal=request.principal, digest=request.digest)
    if "created_by" in row.hidden:
        found = replace(found, created_by=request.created_by)
    assert _alike(found, request), (found, request)


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.method == "GET"], ids=lambda row: row.name
)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_a_question_is_a_path_and_a_query(row: Operation, data: st.DataObject) -> None:
    request = data.draw(requests_of(row))
    call = call_of(request)
    parts = urlsplit(call.path)
    given_ = dict(parse_qsl(parts.query, keep_blank_values=True))
    asked = {name: getattr(request, name) for name in body_fields(row)}
    assert given_ == {name: str(value) for name, value in asked.items() if value is not None}
    assert (call.method, call.body) == ("GET", None)


@pytest.mark.parametrize("row", _ANSWERED, ids=lambda row: row.name)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_an_answer_comes_back_as_it_was(row: Operation, data: st.DataObject) -> None:
    answer = data.draw(answers_of(row))
    request = next(
        one for one in (data.draw(requests_of(row)) for _ in range(9)) if _is_simple(one)
    )
    told = json.loads(json.dumps(answer_json(row, answer)))
    if isinstance(told, dict) and not isinstance(row.answer, Shown):
        told["what newer services say"] = 1
    found = call_of(request).read(told)
    if not isinstance(row.answer, Shown):
        assert _alike(found, answer), (found, answer)
        assert repr(type(found)) == repr(type(answer))
    else:
        assert found == (None if row.answer.part else answer.id)


def _is_simple(request: Any) -> bool:
    """Whether a request names what it is about in its path."""
    return not (isinstance(request, c.Failed) and request.gone)


# The catalogue itself.


def _interfaces() -> dict[str, Any]:
    return {
        name.removesuffix("_INTERFACE"): found
        for module in (admin, comm, filters, notification)
        for name, found in vars(module).items()
        if name.endswith("_INTERFACE")
    }


def test_every_command_has_a_row() -> None:
    others = {request for core in service_cores() for request in core.requests}
    found = {row.request for row in CATALOGUE if not row.is_question or row.request in others}
    assert found == {*Factory().requests, *others}
    assert all(is_checked(row.request) for row in CATALOGUE if row.lasts)


@pytest.mark.parametrize("row", [row for row in CATALOGUE if row.corba], ids=lambda row: row.name)
def test_the_standard_has_the_operation_that_a_row_names(row: Operation) -> None:
    bound = [one for kind in _interfaces().values() for one in bound_to(kind).values()]
    assert any(one.row is row for one in bound)
    for name, _ in row.corba_operations:
        assert [one for one in _interfaces() if re.fullmatch(name.replace("*", r"\w*"), one)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (Operation(m.Suspend, "fly"), "suspend needs a right"),  # type: ignore[arg-type]
        (Operation(m.Suspend, Right.USE_PROXY, "POST /{admin}"), "suspend has {admin} in its path"),
        (Operation(m.Suspend, Right.USE_PROXY, "SEND /x"), "suspend has no method and path"),
        (Operation(m.Suspend, Right.USE_PROXY, body="x"), "suspend speaks of x"),
        (Operation(m.Resume, Right.USE_PROXY, "POST /a/{proxy}"), "resume is on the path of x"),
        (Operation(c.Push, Right.USE_PROXY), "push has two rows"),
    ],
)
def test_a_wrong_row_is_named(wrong: Operation, message: str) -> None:
    class X:
        """Something."""

        __match_args__ = ("channel",)

    rows = (
        Operation(X, Right.MANAGE, "POST /a/{channel}"),
        Operation(c.Push, Right.USE_PROXY),
        wrong,
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        checked(rows)
