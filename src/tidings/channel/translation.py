"""The forms of events: pushed events get one form, consumers take the form they asked for.

Inside the core an event is always a StructuredEvent; a bare value is one of type ``%ANY`` whose
body is the value.
"""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from sys import getsizeof
from typing import Final

from msgspec.structs import force_setattr

from tidings.channel.vocabulary import Form, Item
from tidings.errors import InvalidEvent
from tidings.events.anyvalue import Any, UnionValue, infer, pack
from tidings.events.fields import ANY_EVENT_TYPE, is_any
from tidings.events.reference import Reference
from tidings.events.structured import StructuredEvent, event_in_any
from tidings.events.typecode import Member, TypeCode

_ANY_DOMAIN, _ANY_TYPE = ANY_EVENT_TYPE


def entered(item: Item, unwrap: bool) -> StructuredEvent:
    """Return what a supplier pushed, as the core keeps it, or raise InvalidEvent.

    With `unwrap`, an any that holds a structured event is that event, and a structured event of
    type ``%ANY`` with nothing but a body is the any in it, at any depth.
    """
    if isinstance(item, StructuredEvent):
        return _unwrapped(item) if unwrap else item
    if not isinstance(item, Any):
        raise InvalidEvent(
            f"a {type(item).__name__} is no event; push event(domain, type, …) for a structured "
            "event, or Any(type, value) for a bare value"
        )
    inside = event_in_any(item) if unwrap else None
    if inside is not None:
        return _unwrapped(inside)
    return StructuredEvent(_ANY_DOMAIN, _ANY_TYPE, body=pack(item, "body"))


def _unwrapped(event: StructuredEvent) -> StructuredEvent:
    while is_any(event):
        inside = event_in_any(event.body)
        if inside is None:
            break
        event = inside
    return event


def left_as(event: StructuredEvent, form: Form) -> StructuredEvent | Any:
    """Return the event in a consumer's form; one of a sequence is a structured event.

    Consumers of anys get only the body of an event of type ``%ANY``.
    """
    if form is not Form.ANY:
        return event
    if event.type != _ANY_TYPE:
        return event.as_any()
    body = event.body
    return body if isinstance(body, Any) else Any(infer(body), body)


# An event with two empty dictionaries, without its texts.
_EVENT_OCTETS: Final = 224
# A place in a dictionary with a small value, without its name.
_ENTRY_OCTETS: Final = 72
_SMALL_OCTETS: Final = 28
# A box, or a value of an unknown kind, without what it holds.
_OBJECT_OCTETS: Final = 64
_TYPECODE_OCTETS: Final = 512

# Larger contents take a millisecond to compute.
_LARGE_OCTETS: Final = 65_536

_SMALL: Final = frozenset({type(None), bool, int, float})
# Types that `getsizeof` measures completely.
_LEAVES: Final = _SMALL | {str, bytes, Decimal}
_CONTAINERS: Final = (tuple, list, set, frozenset)

_text_octets: Final = str.__sizeof__


def approximate_octets(event: StructuredEvent) -> int:
    """Return roughly how much memory an event's content takes; quick rather than exact.

    The types of boxed values are not counted: many events usually share them. A large event is
    computed once.
    """
    if event.octets:
        return event.octets
    total = _EVENT_OCTETS + _text_octets(event.name)
    total += _text_octets(event.domain) + _text_octets(event.type)
    for part in (event.data, event.header):
        if part:
            total += _ENTRY_OCTETS * len(part) + sum(map(_text_octets, part))
            for value in part.values():
                kind = type(value)
                if kind is str or kind is bytes:
                    total += value.__sizeof__()
                elif kind not in _SMALL:
                    total += _octets(value)
    if event.body is not None:
        total += _octets(event.body)
    if total > _LARGE_OCTETS:
        force_setattr(event, "octets", total)
    return total


def _octets(value: object) -> int:
    """Return the size of a value with all it holds; a container in it twice counts once."""
    total = 0
    waiting = [value]
    counted = set()
    while waiting:
        one = waiting.pop()
        if type(one) in _LEAVES:
            total += getsizeof(one)
            continue
        if id(one) in counted:
            continue
        counted.add(id(one))
        inner: Collection[object]
        if isinstance(one, dict):
            total += getsizeof(one) + sum(map(getsizeof, one))
            inner = one.values()
        elif isinstance(one, _CONTAINERS):
            total += getsizeof(one)
            inner = one
        else:
            total += _TYPECODE_OCTETS if isinstance(one, TypeCode) else _OBJECT_OCTETS
            inner = _held(one)
        if _SMALL.issuperset(map(type, inner)):
            total += _SMALL_OCTETS * len(inner)
        else:
            waiting.extend(inner)
    return total


def _held(value: object) -> tuple[object, ...]:
    """Return what a value other than a plain container holds."""
    if isinstance(value, Any):
        return (value.value,)
    if isinstance(value, UnionValue):
        return value.discriminator, value.value
    if isinstance(value, Reference):
        return value.type_id, value.profiles
    if isinstance(value, TypeCode):
        return value.id, value.name, value.members, value.labels, value.content
    if isinstance(value, Member):
        return value.name, value.type
    return ()
