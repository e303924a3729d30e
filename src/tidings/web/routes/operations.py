"""The routes of the operation catalogue: one function makes them all."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import MISSING, fields, replace
from functools import partial
from inspect import Parameter, Signature
from typing import Annotated, Any, Final, get_args

import msgspec
from fastapi import APIRouter, Body, Response

from tidings.api.forms import form_of
from tidings.api.operations import (
    answer_json,
    answer_of,
    body_fields,
    body_forms,
    body_of,
    constraint_texts,
    request_of,
)
from tidings.channel.catalogue import CATALOGUE, Named, Operation, Shown
from tidings.channel.commands import Ack, Failed, Reject
from tidings.channel.fate import EventCopy, Fate
from tidings.channel.management import CreateChannel, Disconnect, ObtainProxy, SetQoS
from tidings.channel.qos import Reliability
from tidings.channel.questions import (
    SeeAdmins,
    SeeAdvertisement,
    SeeChannels,
    SeeFate,
    SeeProxies,
    question_at,
)
from tidings.channel.views import AdminInfo, Advertisement, ProxyInfo
from tidings.channel.vocabulary import Place, Side
from tidings.engine.door import LocalDoor
from tidings.engine.turns import Turns
from tidings.filters.constraint import EventTypePattern
from tidings.names import new_origin
from tidings.web.bodies import StrictRoute
from tidings.web.looking import admins, channels, in_turns, listed, proxies
from tidings.web.paths import PATH_TYPES, QUERY_TYPES
from tidings.web.security import answer_anyway
from tidings.web.state import Door, State, WebState, made_of

router = APIRouter(route_class=StrictRoute)

_RELIABILITY: Final = "ConnectionReliability"
_CREATED: Final[dict[int | str, dict[str, Any]]] = {
    201: {
        "headers": {
            "Location": {"description": "Where the new object is.", "schema": {"type": "string"}}
        }
    }
}
_NOTES: Final[Mapping[type, str]] = {
    ObtainProxy: """

The proxy comes with its filter and event types, all or nothing. Events wait for a new consumer's \
proxy from now on, until a socket takes them or they are pulled; to take the proxy over, a socket \
connects `again`.

A proxy without a name does not outlive the service, and ends some time after its last connection, \
pull or push, unless it is given the ConnectionReliability Persistent."""
}


def _add_routes() -> None:
    """Adds a route for each path of each operation; operations that share one are told apart."""
    shared: dict[tuple[str, str], list[Operation]] = defaultdict(list)
    for row in CATALOGUE:
        for path in row.places if row.http else ():
            shared[row.method, path].append(row)
    for (method, path), rows in shared.items():
        _add_route(method, path, rows)


def _add_route(method: str, path: str, rows: list[Operation]) -> None:
    row = rows[0]
    names = re.findall(r"{(\w+)}", path)
    parameters: dict[str, Any] = {"state": State, "door": Door}
    parameters |= {name: PATH_TYPES[name] for name in names}
    defaults: dict[str, Any] = {}
    if method == "GET":
        parameters |= {name: QUERY_TYPES[name] for name in body_fields(row)}
        defaults = _query_defaults(row)
    elif body_of(row) is not None:
        parameters["asked"] = Annotated[body_of(row), Body()]
    serve = _answer_question if row.is_question else _carry_out
    changes_access = row.tag == "access" and row.is_change

    async def endpoint(state: WebState, door: LocalDoor, **given: Any) -> Response:  # noqa: ANN401
        if changes_access:
            answer_anyway()
        return await serve(state, door, rows, path, given)

    endpoint.__name__ = row.name
    endpoint.__doc__ = row.text + _NOTES.get(row.request, "")
    endpoint.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter(
                name, Parameter.KEYWORD_ONLY, annotation=kind, default=defaults.get(name, _NONE)
            )
            for name, kind in parameters.items()
        ]
    )
    answer, kinds = answer_of(row), ("proxies", "admins")
    router.add_api_route(
        path.replace("{id}", "{id:digits}"),
        endpoint,
        methods=[method],
        summary=row.summary,
        tags=[row.tag or next((one for one in kinds if f"/{one}/" in path), "channels")],
        status_code=row.status,
        responses=_CREATED if row.location else None,
        openapi_extra=_hints(rows),
        **({"response_class": Response} if answer is None else {"response_model": answer.kind}),
    )


_NONE: Final = Parameter.empty


def _hints(rows: list[Operation]) -> dict[str, Any]:
    """What the document says beside OpenAPI, for pages that make forms of it.

    The operation's name and right, whether it destroys something, and the member of the object's
    view that has what it changes.
    """
    row = rows[0]
    told: dict[str, Any] = {
        "x-operation": row.name,
        "x-right": row.right.name.lower(),
        "x-right-text": row.right.value,
        "x-destroys": row.destroys or row.method == "DELETE",
    }
    if isinstance(row.answer, Shown) and row.answer.part:
        told["x-shows"] = row.answer.part
    if len(rows) > 1:
        told["x-by-side"] = {one.side.value: one.name for one in rows if one.side is not None}
    return told


def _query_defaults(row: Operation) -> dict[str, Any]:
    """The defaults of what stands in the query; what is found by a function has none here."""
    found = {one.name: one.default for one in fields(row.request) if one.default is not MISSING}
    return {name: value for name, value in found.items() if name != "channel"}


def _rest(row: Operation, path: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a request that are not in its body."""
    if "place" not in row.fields:
        return dict(given)
    below = {"channel", "side", "admin", "proxy"} & set(re.findall(r"{(\w+)}", path))
    place = Place(**{name: given[name] for name in below})
    return {"place": place, **{name: one for name, one in given.items() if name not in below}}


# Questions.


async def _answer_question(
    state: WebState, door: LocalDoor, rows: list[Operation], path: str, given: dict[str, Any]
) -> Response:
    (row,) = rows
    question = request_of(row, given, given.pop("asked", None))
    answer = row.answer
    if isinstance(answer, Named) and row.request in _LISTS:
        found = _LISTS[row.request](door, question)
    elif isinstance(answer, Named) and isinstance(answer.kind, type(list[int])):
        found = in_turns(await door.request(question))
    elif row.request in _WRITTEN:
        return _json(await _WRITTEN[row.request](await door.request(question)))
    else:
        plain = answer_json(row, await door.request(question))
        return Response(status_code=204) if answer is None else _json(plain)
    return listed(answer.name, found, form_of(get_args(answer.kind)[0]).outward)


# What may be very long is looked at piece by piece.
_LISTS: Final[Mapping[type, Callable[[LocalDoor, Any], AsyncIterator[Any]]]] = {
    SeeAdmins: lambda door, asked: admins(door, asked.channel),
    SeeChannels: lambda door, asked: channels(door),
    SeeProxies: lambda door, asked: proxies(door, asked.channel),
}


async def _fate_in_turns(found: Fate) -> dict[str, Any]:
    """A fate as JSON; copies may be many."""
    turns, out = Turns(), form_of(EventCopy).outward
    plain: dict[str, Any] = form_of(Fate).outward(replace(found, copies=()))
    for copy in found.copies:
        plain["copies"].append(out(copy))
        await turns.give()
    return plain


async def _advertisement_in_turns(found: Advertisement) -> dict[str, Any]:
    """An advertisement as JSON; who offers and wants may be very many."""
    turns, out = Turns(), form_of(tuple[EventTypePattern, ...]).outward
    plain: dict[str, Any] = {"offered": out(found.offered), "wanted": out(found.wanted)}
    for name, whose in (("offers", found.offers), ("wants", found.wants)):
        plain[name] = told = {}
        for who, types in whose.items():
            told[str(who)] = out(types)
            await turns.give()
    return plain


_WRITTEN: Final[Mapping[type, Callable[[Any], Awaitable[dict[str, Any]]]]] = {
    SeeAdvertisement: _advertisement_in_turns,
    SeeFate: _fate_in_turns,
}


def _json(plain: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(plain), status, media_type="application/json")


# Commands.


async def _carry_out(
    state: WebState, door: LocalDoor, rows: list[Operation], path: str, given: dict[str, Any]
) -> Response:
    body = given.pop("asked", None)
    rest = _rest(rows[0], path, given)
    row = rows[0] if len(rows) == 1 else await _by_side(door, rows, rest["place"], body)
    if row.request is CreateChannel:
        rest["origin"] = new_origin()
    make = partial(request_of, row, rest, body)
    if any(form.texts is not None for form in body_forms(row).values()):
        command = await made_of(state, constraint_texts(row, body), make)
    else:
        command = make()
    if row.request in (Ack, Failed, Reject):
        state.lifetimes.touch(command.channel, command.proxy)
    if row.request is ObtainProxy:
        answer: Any = await make_proxy(state, door, command)
    else:
        answer = await door.ask(command)
    shown = answer
    if isinstance(row.answer, Shown):
        found = await door.request(row.answer.question(command, answer))
        shown = getattr(found, row.answer.part) if row.answer.part else found
    _note_lifetime(state, command, shown)
    if row.answer is None:
        return Response(status_code=row.status)
    response = _json(answer_json(row, shown), row.status)
    if row.location:
        response.headers["Location"] = _location(row, path, given, command, answer)
    return response


async def _by_side(
    door: LocalDoor,
    rows: list[Operation],
    place: Place,
    body: Any,  # noqa: ANN401
) -> Operation:
    """Which of two operations is meant: the body says it, or the object's side."""
    found: Any = await door.request(question_at(place))
    assert isinstance(found, AdminInfo | ProxyInfo)
    side = found.side if body.side is None else Side(body.side)
    return next(row for row in rows if row.side is side)


def _note_lifetime(state: WebState, command: object, shown: Any) -> None:  # noqa: ANN401
    """A proxy without a name ends some time after its last use, unless it was made to last."""
    if isinstance(command, Disconnect):
        state.lifetimes.forget(command.channel, command.proxy)
    elif isinstance(command, SetQoS) and command.place.proxy is not None:
        lasts = shown[_RELIABILITY] == Reliability.PERSISTENT
        if lasts and _RELIABILITY in dict(command.properties):
            state.lifetimes.forget(command.place.channel, command.place.proxy)


def _location(
    row: Operation,
    path: str,
    given: Mapping[str, Any],
    command: object,
    answer: Any,  # noqa: ANN401
) -> str:
    """Where the object is that was made."""
    holder = path.partition("/filters")[0]
    template = row.location.replace("{holder}", holder)
    names = {name: given.get(name, getattr(command, name, None)) for name in PATH_TYPES}
    words = {name: one.value if isinstance(one, Side) else one for name, one in names.items()}
    return "/v1" + template.format(**{**words, "id": getattr(answer, "id", answer)})


async def make_proxy(state: WebState, door: LocalDoor, command: ObtainProxy) -> int:
    """Makes a proxy as the web door does: one without a name not for ever; its id."""
    command, lasts = _with_reliability(command)
    proxy: int = await door.ask(command)
    if not (command.name or lasts):
        state.lifetimes.begin(command.channel, proxy)
    return proxy


def _with_reliability(command: ObtainProxy) -> tuple[ObtainProxy, bool]:
    """What is asked for, and whether it was asked to last."""
    qos: dict[str, Any] = dict(command.qos)
    given = qos.get(_RELIABILITY)
    lasts = getattr(given, "value", given) == Reliability.PERSISTENT
    if command.name or command.bare or _RELIABILITY in qos:
        return command, lasts
    qos[_RELIABILITY] = Reliability.BEST_EFFORT.value
    return replace(command, qos=qos), lasts


_add_routes()
