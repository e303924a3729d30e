"""JSON forms: how each type of a field looks on the wire, said once for each type.

A form has the type that pydantic reads, the way in to the core's value, and the way out to plain
JSON. `form_of` puts the forms of lists, mappings and classes together from those of their parts;
models of bodies and answers are derived from the fields of requests and views.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cache, partial
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    create_model,
    model_validator,
)

from tidings.api.examples import CONSTRAINT, EXAMPLES, MAPPED
from tidings.api.frames import MAX_REASON, MAX_WINDOW
from tidings.api.items import item_from_plain, plain_item, plain_of, type_form
from tidings.api.properties import (
    AdminProperties,
    EventProperties,
    QoSProperties,
    properties_in,
    properties_out,
)
from tidings.changes.requests import FilterContent
from tidings.changes.subscription_xml import read_subscription
from tidings.channel.catalogue import described
from tidings.channel.commands import Reason, Seqs
from tidings.channel.management import AdminRequest, EventRequest, Purpose, QoSRequest
from tidings.channel.questions import Last, Many, Name
from tidings.channel.settings import FilterPart, Settings
from tidings.channel.views import AdminValues, FilterInfo, MappingInfo, QoSValues
from tidings.channel.vocabulary import Item
from tidings.cores import Most
from tidings.errors import InvalidEvent, LimitExceeded
from tidings.events.codecs.json_codec import event_from_plain
from tidings.events.codecs.json_types import type_from_plain, type_to_plain
from tidings.events.codecs.json_values import value_from_plain
from tidings.events.structured import StructuredEvent
from tidings.events.texts import shortened
from tidings.events.typecode import TypeCode
from tidings.federation.requests import Json
from tidings.filters.constraint import (
    Constraint,
    EventTypePattern,
    accepted_constraint,
    constraint,
    event_type,
)
from tidings.filters.mapping import MappedConstraint


class Asked(BaseModel):
    """What a client sends: nothing in it is converted, and nothing unknown is let through."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    # What one list or object may hold: so many faults could be told of it.
    MOST_ITEMS: ClassVar[int] = 1_000

    @model_validator(mode="before")
    @classmethod
    def _check_items(cls, given: object) -> object:
        """Count before anything is looked at."""
        for name, part in given.items() if isinstance(given, dict) else ():
            if isinstance(part, list | dict) and len(part) > cls.MOST_ITEMS:
                raise LimitExceeded(
                    f"{shortened(name)} holds {len(part)} items, more than the {cls.MOST_ITEMS} "
                    "that one request may bring: send several"
                )
        return given


class Answer(BaseModel):
    """What the service answers: a client passes over what a newer service has to say beside."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


def examples(*given: dict[str, Any]) -> ConfigDict:
    """The configuration of a model that shows examples in the API's document."""
    return ConfigDict(json_schema_extra={"examples": list(given)})


def _key(given: object) -> object:
    """The names of JSON objects are texts, also where they are numbers; each has one spelling."""
    if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 20:
        number = int(given)
        return number if str(number) == given else given
    return given


Id: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]
"""The id of an object, or the number of an event."""

Key: TypeAlias = Annotated[
    int, Field(strict=True), BeforeValidator(_key, json_schema_input_type=str)
]
"""An id that is the name in a JSON object."""

SideWord: TypeAlias = Literal["supplier", "consumer"]


class DomainAndType(BaseModel):
    """An event type whose domain has colons of its own, so that no text can stand for it."""

    model_config = Asked.model_config

    domain: str
    type: str


EventType: TypeAlias = Annotated[
    str | DomainAndType,
    Field(description="`Domain::Type`, or `Type` alone; `*` stands for any run of characters."),
]
"""An event-type pattern."""


def _pattern_in(given: str | DomainAndType) -> EventTypePattern:
    if isinstance(given, str):
        return event_type(given)
    return EventTypePattern(given.domain, given.type)


class JsonForm(NamedTuple):
    """How values of a type look on the wire.

    Attributes:
        kind: What pydantic reads.
        inward: From what it has read to the core's value.
        outward: From the core's value to plain JSON.
        texts: Of what has constraints: those, before they are compiled.
    """

    kind: Any
    inward: Callable[[Any], Any] = lambda read: read
    outward: Callable[[Any], Any] = lambda value: value
    texts: Callable[[Any], Iterable[ConstraintForm | str]] | None = None


class ConstraintForm(Asked):
    """A constraint: of which events it is asked, and the expression."""

    model_config = examples(CONSTRAINT)

    text: str = Field(default="", description="The expression; blank text is TRUE.")
    types: list[EventType] = Field(
        default_factory=list, description="Of which event types it is asked; [] for all."
    )


class MappedForm(ConstraintForm):
    """A constraint, and the value an event gets that matches it."""

    model_config = examples(MAPPED)

    value: Any = Field(description="A value in typed JSON, of the type of the filter's default.")


Constraints: TypeAlias = list[ConstraintForm | str]
"""Constraints, each with its event types or as a text alone."""


def filter_parts(given: Iterable[ConstraintForm | str]) -> list[FilterPart]:
    """What counts of constraints for the size of their filter."""
    return [
        FilterPart(one, 0) if isinstance(one, str) else FilterPart(one.text, len(one.types))
        for one in given
    ]


# Leaves.


def inside(place: str, inward: Callable[[Any], Any], read: object) -> Any:  # noqa: ANN401
    """What a way in makes of something; an InvalidEvent in it is told with its place."""
    try:
        return inward(read)
    except InvalidEvent as error:
        raise error.inside(place) from error.__cause__


def _constraint_in(read: ConstraintForm | str) -> Constraint:
    if isinstance(read, str):
        return constraint(read)
    return constraint(read.text, [_pattern_in(one) for one in read.types])


def _accepted_in(read: ConstraintForm) -> Constraint:
    """One that the service has accepted before."""
    return accepted_constraint(read.text, tuple(_pattern_in(one) for one in read.types))


def _constraint_out(given: Constraint) -> dict[str, Any]:
    return {"text": given.text, "types": [type_form(one) for one in given.event_types]}


def _mapped_in(
    constraint_in: Callable[[MappedForm], Constraint], read: MappedForm
) -> MappedConstraint:
    return MappedConstraint(constraint_in(read), inside("value", value_from_plain, read.value))


def _mapped_out(given: MappedConstraint) -> dict[str, Any]:
    return {**_constraint_out(given.constraint), "value": plain_of(given.value)}


def reason_form(reason: object) -> str:
    """A reason, cut and brought to a form that can be sent."""
    text = reason if isinstance(reason, str) else repr(reason)
    sendable = text[:MAX_REASON].encode("utf-8", "backslashreplace").decode()
    return sendable[:MAX_REASON]


class _Value:
    """Stands for `Value`, a type that is written as a text."""


_WHOLE: Final = (bool, float, int, str, type(None))
_VALUE: Final = JsonForm(Any, value_from_plain, plain_of)
_LEAVES: Final[Mapping[Any, JsonForm]] = {
    _Value: _VALUE,
    Json: JsonForm(Any),
    AdminRequest: JsonForm(AdminProperties, properties_in, properties_out),
    AdminValues: JsonForm(AdminProperties, properties_in, properties_out),
    EventRequest: JsonForm(EventProperties, properties_in, properties_out),
    EventTypePattern: JsonForm(EventType, _pattern_in, type_form),
    Item: JsonForm(dict[str, Any], item_from_plain, plain_item),
    Purpose: JsonForm(Literal["priority", "lifetime"]),
    QoSRequest: JsonForm(QoSProperties, properties_in, properties_out),
    QoSValues: JsonForm(QoSProperties, properties_in, properties_out),
    StructuredEvent: JsonForm(dict[str, Any], event_from_plain, plain_item),
    TypeCode: JsonForm(str | dict[str, Any], type_from_plain, type_to_plain),
}
_ASKED: Final[Mapping[Any, JsonForm]] = {
    Constraint: JsonForm(
        ConstraintForm | str, _constraint_in, _constraint_out, lambda read: [read]
    ),
    MappedConstraint: JsonForm(
        MappedForm, partial(_mapped_in, _constraint_in), _mapped_out, lambda read: [read]
    ),
    Last: JsonForm(Annotated[int, Field(ge=1, le=10_000)]),
    Many: JsonForm(Annotated[int, Field(ge=1, le=100_000)]),
    Most: JsonForm(Annotated[int, Field(ge=1, le=1_000)]),
    Name: JsonForm(Id | str),
    Reason: JsonForm(Annotated[str, Field(max_length=MAX_REASON)], outward=reason_form),
    Seqs: JsonForm(Annotated[list[Id], FailFast(), Field(max_length=MAX_WINDOW)], outward=list),
    int: JsonForm(Id),
}
_SHOWN: Final[Mapping[Any, JsonForm]] = {
    Constraint: JsonForm(ConstraintForm, _accepted_in, _constraint_out),
    MappedConstraint: JsonForm(MappedForm, partial(_mapped_in, _accepted_in), _mapped_out),
}


# What is put together.


@cache
def form_of(hint: Any, *, asked: bool = False) -> JsonForm:  # noqa: ANN401 -- a type
    """The form of a type; what is `asked` for is checked with care, what is answered is not."""
    found = (_ASKED if asked else _SHOWN).get(hint) or _LEAVES.get(hint)
    if found is not None:
        return found
    origin, args = get_origin(hint), get_args(hint)
    if hint in _WHOLE or origin is Literal:
        return JsonForm(hint)
    if origin is Annotated:
        return form_of(args[0], asked=asked)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum_form(hint)
    if origin in (types.UnionType, Union):
        return _union_form(args, asked)
    if origin is Mapping:
        return _mapping_form(Key if args[0] is int else str, form_of(args[1], asked=asked))
    if origin in (list, tuple, Sequence):
        return _list_form(list if origin is list else tuple, form_of(args[0], asked=asked))
    made = _object_form(hint, asked=asked)
    return _document_form(made) if asked and hint is FilterContent else made


def _document_form(form: JsonForm) -> JsonForm:
    """A subscriber's filter can also be a text: an XML document."""
    return JsonForm(
        form.kind | str,
        lambda read: read_subscription(read) if isinstance(read, str) else form.inward(read),
        form.outward,
    )


def _enum_form(kind: type[Enum]) -> JsonForm:
    """Members go by their names in lower case."""
    words = tuple(one.name.lower() for one in kind)
    return JsonForm(
        Literal[words], lambda read: kind[read.upper()], lambda value: value.name.lower()
    )


def _union_form(args: tuple[Any, ...], asked: bool) -> JsonForm:
    if set(args) == {FilterInfo, MappingInfo}:
        return _tagged_form({"filter": FilterInfo, "mapping": MappingInfo})
    forms = [form_of(one, asked=asked) for one in args]
    kind: Any = Union.__getitem__(tuple(form.kind for form in forms))
    if all(one in _WHOLE for one in args):
        return JsonForm(kind)
    (form,) = [form for form in forms if form.kind is not type(None)]
    return JsonForm(
        kind,
        lambda read: None if read is None else form.inward(read),
        lambda value: None if value is None else form.outward(value),
    )


def _tagged_form(kinds: Mapping[str, type]) -> JsonForm:
    """One of several classes; ``kind`` says which."""
    forms = {kind: _object_form(kind, tag) for tag, kind in kinds.items()}
    models: Any = Union.__getitem__(tuple(form.kind for form in forms.values()))
    return JsonForm(
        Annotated[models, Field(discriminator="kind")],
        lambda read: forms[kinds[read.kind]].inward(read),
        lambda value: forms[type(value)].outward(value),
    )


def _list_form(made: Callable[[Any], Any], form: JsonForm) -> JsonForm:
    texts = form.texts
    return JsonForm(
        list[form.kind],  # type: ignore[name-defined]
        lambda read: made(inside(f"[{at}]", form.inward, one) for at, one in enumerate(read)),
        lambda value: [form.outward(one) for one in value],
        None if texts is None else lambda read: read,
    )


def _mapping_form(key: Any, form: JsonForm) -> JsonForm:  # noqa: ANN401 -- a type
    return JsonForm(
        dict[key, form.kind],  # type: ignore[name-defined]
        lambda read: {name: inside(f"[{name}]", form.inward, one) for name, one in read.items()},
        lambda value: {str(name): form.outward(one) for name, one in value.items()},
        None if form.texts is None else lambda read: read.values(),
    )


# The part of a class that is answered; all of it unless it stands here.
_PARTS: Final[Mapping[type, tuple[str, ...]]] = {
    Settings: ("narrowed", "default_operator", "inheritance")
}


def hints_of(kind: type) -> dict[str, Any]:
    """The types of a class's fields."""
    return get_type_hints(kind, localns={"Value": _Value}, include_extras=True)


def _object_form(kind: type, tag: str = "", *, asked: bool = False) -> JsonForm:
    """A dataclass or named tuple: an object with a member for each field."""
    hints = hints_of(kind)
    names = _PARTS.get(kind) or tuple(getattr(kind, "__match_args__", ()))
    forms = {name: form_of(hints[name], asked=asked) for name in names}
    title = "Rules" if kind is Settings else kind.__name__.removesuffix("Info")
    base = Asked if asked else Answer
    model = derived_model(kind, title, forms, base, {"kind": tag} if tag else {})
    start = {"kind": tag} if tag else {}
    return JsonForm(
        model,
        lambda read: kind(
            **{name: inside(name, form.inward, getattr(read, name)) for name, form in forms.items()}
        ),
        lambda value: (
            start | {name: form.outward(getattr(value, name)) for name, form in forms.items()}
        ),
    )


_named: Final[dict[tuple[str, Any], JsonForm]] = {}


def named_form(name: str, kind: Any, example: object) -> JsonForm:  # noqa: ANN401 -- a type
    """An object with one member; the same one each time."""
    if (name, kind) not in _named:
        form = form_of(kind)
        example = list(example) if isinstance(example, tuple) else example
        shown: Any = [] if example is None else [{name: example}]
        member: Any = {name: (form.kind, ...)}
        model = create_model(name.title().replace("_", ""), __base__=Answer, **member)
        model.model_config["json_schema_extra"] = {"examples": shown} if shown else {}
        _named[name, kind] = JsonForm(
            model,
            lambda read: form.inward(getattr(read, name)),
            lambda value: {name: form.outward(value)},
        )
    return _named[name, kind]


def derived_model(
    kind: type,
    title: str,
    forms: Mapping[str, JsonForm],
    base: type[Asked] | type[Answer],
    fixed: Mapping[str, str],
    renamed: Mapping[str, str] = types.MappingProxyType({}),
) -> Any:  # noqa: ANN401 -- a model
    """The model of an object with members like the fields of a class, whose docstring has texts.

    A member that the base has stays as it is there; `fixed` ones always have the same text;
    `renamed` has the fields whose members are called otherwise.
    """
    text, told = described(kind)
    defaults = _defaults(kind)
    members: dict[str, Any] = {name: (Literal[word], word) for name, word in fixed.items()}
    for name, form in forms.items():
        description = told.get(name)
        if name in base.model_fields:
            continue
        if name not in defaults:
            info = Field(description=description)
        else:
            default = form.outward(defaults[name])
            if isinstance(default, list | dict):
                nested = hasattr(form.kind, "model_fields")
                empty = form.kind if nested else type(default)
                info = Field(default_factory=empty, description=description)
            else:
                info = Field(default=default, description=description)
        members[renamed.get(name, name)] = (form.kind, info)
    made = create_model(title, __base__=base, __doc__=text, **members)
    if kind in EXAMPLES:
        made.model_config["json_schema_extra"] = {"examples": list(EXAMPLES[kind])}
    return made


def _defaults(kind: type) -> dict[str, Any]:
    """The defaults of a class's fields."""
    if not dataclasses.is_dataclass(kind):
        return dict(getattr(kind, "_field_defaults", {}))
    found: dict[str, Any] = {}
    for one in dataclasses.fields(kind):
        if one.default is not dataclasses.MISSING:
            found[one.name] = one.default
        elif one.default_factory is not dataclasses.MISSING:
            found[one.name] = one.default_factory()
    return found
