"""What all models have in common: their bases, and the types of their members."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from tidings.errors import InvalidEventType, LimitExceeded
from tidings.events.texts import shortened
from tidings.filters.constraint import EventTypePattern, event_type


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


def pattern_in(given: EventType) -> EventTypePattern:
    """The pattern that was sent."""
    if isinstance(given, str):
        return event_type(given)
    return EventTypePattern(given.domain, given.type)


def pattern_out(pattern: EventTypePattern) -> EventType:
    """A pattern as it goes over the wire."""
    text = f"{pattern.domain}::{pattern.type}"
    try:
        same = event_type(text) == pattern
    except InvalidEventType:
        same = False
    return text if same else DomainAndType(domain=pattern.domain, type=pattern.type)
