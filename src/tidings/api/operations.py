"""Every operation of the catalogue as one HTTP request: its body, its answer, its call.

What `Call.read` returns is what the same request is answered with inside one process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Final, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from pydantic import Field, TypeAdapter, ValidationError

from tidings.api.forms import (
    Asked,
    ConstraintForm,
    JsonForm,
    SideWord,
    derived_model,
    examples,
    form_of,
    hints_of,
    inside,
    named_form,
)
from tidings.api.frames import MAX_WINDOW
from tidings.api.problems import misfit_of
from tidings.channel.catalogue import OPERATIONS, Named, Operation, Shown
from tidings.channel.commands import Ack, Command, Failed, Reject
from tidings.channel.management import (
    CreateChannel,
    Disconnect,
    ObtainProxy,
    OfferChange,
    SubscriptionChange,
)
from tidings.channel.qos import reliabilities
from tidings.channel.questions import Name, SeeChannel, SeeChannels, SeeProxies, SeeProxy
from tidings.channel.views import FilterInfo, MappingInfo
from tidings.channel.vocabulary import Place, Side
from tidings.channel.wellformed import check_command, is_checked
from tidings.cores import Question
from tidings.errors import ChannelNotFound, InvalidUsage, ProxyNotFound, TidingsError
from tidings.names import is_readable, new_origin

BASE: Final = "/v1"
"""What every path begins with."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Call:
    """A request.

    Attributes:
        method: ``GET``, ``POST``, …
        path: From the root of the service, escaped, with the query if there is one.
        body: What is sent as JSON; None for nothing.
        read: From the parsed answer, None for an empty one, to what was asked for.
    """

    method: str
    path: str
    body: object
    read: Callable[[object], Any]


def _reading(model: type[_T], pick: Callable[[_T], object]) -> Callable[[object], Any]:
    """Read an answer by a model; return the part that `pick` chooses."""
    adapter: TypeAdapter[_T] = TypeAdapter(model)

    def read(plain: object) -> object:
        try:
            return pick(adapter.validate_python(plain))
        except ValidationError as error:
            raise TidingsError(f"the service's answer cannot be read: {_told(error)}") from error

    return read


def _told(error: ValidationError) -> object:
    return misfit_of(error.errors(include_url=False))["detail"]


_SECOND: Final = 1_000_000
# A year: a longer wait or lease is a slip of the pen.
_LONGEST: Final = 366 * 86_400.0

_Seconds: TypeAlias = Annotated[float, Field(ge=0, le=_LONGEST, allow_inf_nan=False)]


class PullForm(Asked):
    """A consumer asks for events."""

    model_config = examples({"most": 100, "wait": 20, "lease": 30})

    most: int = Field(default=1, ge=1, le=1_000, description="At most so many.")
    wait: _Seconds | None = Field(
        default=0,
        description="How long for the first, in seconds; null for as long as the service lets.",
    )
    lease: _Seconds | None = Field(
        default=30,
        description="How long the consumer has to acknowledge, in seconds, until they come "
        "again; null if what it is given counts as delivered.",
    )

    def wait_at_most(self, seconds: float) -> int:
        """How long to wait, in microseconds, where the service lets nobody wait longer."""
        return round(min(seconds, seconds if self.wait is None else self.wait) * _SECOND)

    @property
    def lease_microseconds(self) -> int | None:
        """How long the consumer has to acknowledge, in microseconds; None if it need not."""
        return None if self.lease is None else round(self.lease * _SECOND)


def pull(channel: int, proxy: int, most: int, wait: int, lease: int) -> Call:
    """The request of a pull consumer; times are in microseconds, the answer is plain JSON."""
    path = f"{BASE}/channels/{channel}/proxies/{proxy}/pull"
    body = {"most": most, "wait": wait / _SECOND, "lease": lease / _SECOND}
    return Call("POST", path, body, lambda plain: plain)


# What bodies have beside the fields of their commands.


class Body(Asked):
    """The body of a request.

    Attributes:
        SENT: What our own client sends beside the fields of the command.
    """

    SENT: ClassVar[Mapping[str, object]] = {}


class NewChannel(Body):
    """A channel can be asked for with a short word for its reliability."""

    SENT: ClassVar[Mapping[str, object]] = {"persistent": None}

    persistent: bool | None = Field(
        default=True,
        description="Short for both reliabilities, Persistent or BestEffort, unless `qos` says "
        "otherwise: whether what is accepted survives a crash, and connections do. Null for what "
        "the service gives CORBA clients that ask for nothing (rules.default_qos).",
    )

    def qos_of(self, qos: Mapping[str, object]) -> Mapping[str, object]:
        """The quality of service with both reliabilities, if they were asked for."""
        if self.persistent is None:
            return qos
        return {**reliabilities(persistent=self.persistent), **qos}


class _NewProxy(Body):
    keep: bool = Field(
        default=True,
        description="For a consumer's: events wait from now on, before anybody has connected.",
    )


class _Sided(Body):
    side: SideWord | None = Field(
        default=None,
        description="`supplier` if they are offered, `consumer` if they are asked for, and refused "
        "at an object of the other side; null for what the object does.",
    )


class _Offered(_Sided):
    SENT: ClassVar[Mapping[str, object]] = {"side": "supplier"}


class _Wanted(_Sided):
    SENT: ClassVar[Mapping[str, object]] = {"side": "consumer"}


class _Numbers(Body):
    MOST_ITEMS = MAX_WINDOW


_BASES: Final[Mapping[type, type[Body]]] = {
    Ack: _Numbers,
    CreateChannel: NewChannel,
    Failed: _Numbers,
    ObtainProxy: _NewProxy,
    OfferChange: _Offered,
    Reject: _Numbers,
    SubscriptionChange: _Wanted,
}


# Bodies.


def body_fields(row: Operation) -> tuple[str, ...]:
    """The fields of a request that are not in its path: in the body, or in the query."""
    elsewhere = {"place", *row.hidden, *re.findall(r"{(\w+)}", row.path)}
    return tuple(name for name in row.fields if name not in elsewhere)


@cache
def body_forms(row: Operation) -> Mapping[str, JsonForm]:
    """The forms of these fields."""
    hints = hints_of(row.request)
    return {name: form_of(hints[name], asked=True) for name in body_fields(row)}


@cache
def body_of(row: Operation) -> Any:  # noqa: ANN401 -- a type
    """What pydantic reads of a request's body; None if it has none."""
    forms = body_forms(row)
    if not forms or row.method == "GET":
        return None
    if row.body:
        return forms[row.body].kind
    base = _BASES.get(row.request, Body)
    return derived_model(row.request, row.request.__name__, forms, base, {}, row.renamed)


def request_of(row: Operation, rest: Mapping[str, Any], body: Any) -> Any:  # noqa: ANN401
    """The command of a body that pydantic has read, if there is one, and of the other fields.

    Errors of constraints, event types and values have their place in the body.
    """
    if body is None:
        return row.request(**rest)
    forms = body_forms(row)
    if row.body:
        return row.request(**rest, **{row.body: forms[row.body].inward(body)})
    found = dict(rest)
    for name, form in forms.items():
        member = row.renamed.get(name, name)
        found[name] = inside(member, form.inward, getattr(body, member))
    if isinstance(body, NewChannel):
        found["qos"] = body.qos_of(found["qos"])
    return row.request(**found)


def constraint_texts(row: Operation, body: Any) -> list[ConstraintForm | str]:  # noqa: ANN401
    """The constraints that a body brings, before they are compiled."""
    found: list[ConstraintForm | str] = []
    for name, form in body_forms(row).items():
        if form.texts is not None:
            found += form.texts(getattr(body, name))
    return found


# Answers.


@cache
def answer_of(row: Operation) -> JsonForm | None:
    """The form of an operation's answer; None if there is none."""
    answer = row.answer
    if answer is None:
        return None
    if isinstance(answer, Named):
        return named_form(*answer)
    return form_of(answer.kind if isinstance(answer, Shown) else answer)


@cache
def _reader(row: Operation) -> Callable[[object], Any]:
    form = answer_of(row)
    if form is None or (isinstance(row.answer, Shown) and row.answer.part):
        return lambda plain: None  # only the status counts
    if isinstance(row.answer, Shown):
        return _reading(form.kind, lambda read: read.id)
    return _reading(form.kind, form.inward)


def view_json(info: object) -> Any:  # noqa: ANN401 -- JSON
    """A view, or part of one, as plain JSON."""
    kind: Any = type(info)
    if isinstance(info, FilterInfo | MappingInfo):
        kind = FilterInfo | MappingInfo
    return form_of(kind).outward(info)


@cache
def _view_reader(kind: Any) -> Callable[[object], Any]:  # noqa: ANN401 -- a type
    form = form_of(kind)
    return _reading(form.kind, form.inward)


def read_view(kind: Any, plain: object) -> Any:  # noqa: ANN401 -- of that type
    """A view of a type from plain JSON; TidingsError if it does not fit."""
    return _view_reader(kind)(plain)


# Requests from names and values.

_PLACE: Final = ("channel", "side", "admin", "proxy")


def request_from(row: Operation, given: Mapping[str, object]) -> Any:  # noqa: ANN401
    """The request that fields in JSON describe; a place is told by its channel, admin or proxy."""
    body = dict(given)
    rest: dict[str, Any] = {}
    hints, below = hints_of(row.request), hints_of(Place)
    in_body = () if row.method == "GET" else body_fields(row)
    for name in (one for one in row.fields if one not in in_body):
        if name == "place":
            parts = {part: body.pop(part) for part in _PLACE if part in body}
            rest[name] = Place(**{part: _value(part, below[part], parts[part]) for part in parts})
        elif name == "origin":
            rest[name] = new_origin()
        elif name in body and name not in row.hidden:
            rest[name] = _value(name, hints[name], body.pop(name))
    if body_of(row) is None and body:
        raise InvalidUsage(f"{row.name} has no field {', '.join(body)}")
    try:
        if body_of(row) is None:
            return row.request(**rest)
        return request_of(row, rest, read_body(row, body))
    except TypeError as error:  # Python says which one
        raise InvalidUsage(f"{row.name}: a field is missing: {error}") from error


def _value(name: str, hint: Any, plain: object) -> Any:  # noqa: ANN401 -- a type, and its value
    form = form_of(hint, asked=True)
    try:
        return inside(name, form.inward, TypeAdapter(form.kind).validate_python(plain))
    except ValidationError as error:
        raise InvalidUsage(f"{name}: {_told(error)}") from error


# Calls.


def call_of(request: Command | Question[Any]) -> Call:
    """The HTTP request that has a command or question carried out.

    InvalidUsage if it is not a request of its own: events and connections go over a line.
    """
    kind = type(request)
    row = OPERATIONS.get(kind)
    if row is None or not row.http:
        raise InvalidUsage(f"a {kind.__name__} is no request of its own over HTTP")
    if isinstance(request, Failed) and request.gone:
        # The consumer exists no more: its proxy ends, and with it all it waits for.
        return call_of(Disconnect(request.channel, request.proxy))
    if is_checked(kind):
        check_command(request)
    path, read = _path_of(row, request), _reader(row)
    if path is None:
        return _found_by_name(request)
    return Call(row.method, BASE + path, _body_out(row, request), read)


def _body_out(row: Operation, request: Any) -> Any:  # noqa: ANN401 -- JSON
    model = body_of(row)
    if model is None:
        return None
    try:
        forms = body_forms(row)
        if row.body:
            return forms[row.body].outward(getattr(request, row.body))
        body = {
            row.renamed.get(name, name): form.outward(getattr(request, name))
            for name, form in forms.items()
        }
        body |= model.SENT
        model.model_validate(body)
    except ValidationError as error:
        raise InvalidUsage(f"{row.request.__name__}: {_told(error)}") from error
    except (AttributeError, TypeError, ValueError) as error:
        raise InvalidUsage(f"{row.request.__name__}: {error}") from error
    return body


def _path_of(row: Operation, request: Any) -> str | None:  # noqa: ANN401
    """The path of a request; None if a name in it would be taken for something else there."""
    path = row.path
    if "place" in row.fields:
        prefix = _place_path(request.place, holder="{holder}" in path)
        path = path.replace("{place}", prefix).replace("{holder}", prefix)
    either = _names_or_ids(row.request)
    parts = {
        name: _part(getattr(request, name), either=name in either)
        for name in re.findall(r"{(\w+)}", path)
    }
    if None in parts.values():
        return None
    if row.method == "GET":
        asked = {name: getattr(request, name) for name in body_fields(row)}
        given = {name: value for name, value in asked.items() if value is not None}
        path += f"?{urlencode(given)}" if given else ""
    return path.format(**parts)


def _place_path(place: Place, *, holder: bool) -> str:
    channel = f"/channels/{place.channel}"
    if place.proxy is not None:
        return f"{channel}/proxies/{place.proxy}"
    if place.admin is not None and place.side is not None:
        return f"{channel}/admins/{place.side.value}/{place.admin}"
    if holder or place.admin is not None:
        raise InvalidUsage(f"{place} has no filters and no event types; its admins have")
    return channel


@cache
def _names_or_ids(kind: type) -> frozenset[str]:
    """The fields that are a name or an id; other texts are names, whatever they look like."""
    return frozenset(name for name, hint in hints_of(kind).items() if hint == Name)


def _part(value: Any, *, either: bool) -> str | None:  # noqa: ANN401
    """A field as a part of a path; None for a name that would be taken for something else."""
    if isinstance(value, Side):
        return value.value
    if not isinstance(value, str):
        return str(value)
    if not either:
        # A client that tidies paths up would take these dots for a way to another place.
        return quote(value, safe="") if value.strip(".") else value.replace(".", "%2E")
    if not (value.strip(".") and is_readable(value)) or (value.isascii() and value.isdigit()):
        return None
    return quote(value, safe="")


def _found_by_name(request: Any) -> Call:  # noqa: ANN401
    """Finds an object by a name that no path can have, among all."""
    if isinstance(request, SeeChannel):
        name, among = request.channel, call_of(SeeChannels())
        missing: Exception = ChannelNotFound(f"there is no channel named {name!r:.60}")
    else:
        assert isinstance(request, SeeProxy)
        name, among = request.proxy, call_of(SeeProxies(request.channel))
        missing = ProxyNotFound(f"channel {request.channel} has no proxy named {name!r:.60}")
    if not is_readable(str(name)):
        raise missing

    def picked(plain: object) -> object:
        for info in among.read(plain):
            if name and info.name == name:
                return info
        raise missing

    return Call(among.method, among.path, None, picked)


def answer_json(row: Operation, answer: Any) -> Any:  # noqa: ANN401 -- JSON
    """An answer as plain JSON; None if there is nothing to tell."""
    form = answer_of(row)
    return None if form is None else form.outward(answer)


def read_body(row: Operation, plain: object) -> Any:  # noqa: ANN401 -- what pydantic reads
    """A body from plain JSON; an error names each place that does not fit."""
    try:
        return TypeAdapter(body_of(row)).validate_python(plain)
    except ValidationError as error:
        raise InvalidUsage(str(_told(error))) from error
