"""A subscriber's filter as an XML document of `subscription.dtd`.

::

    <SubscriptionData>
      <EventType>ChangeEvent</EventType>
      <ServiceDescription>
        <ServiceTypeName>BankService</ServiceTypeName>
        <Property Name="BankName" Value="CUBank"/>
        <Property Name="ReservedFund" Value="50000"/>
        <ObjectReference>IOR:0015…</ObjectReference>
      </ServiceDescription>
    </SubscriptionData>

A service fits if it has the type and all the properties, or is one of the objects.
"""

from __future__ import annotations

import re
from typing import Final

from tidings.changes.documents import Element, InvalidDocument, line_of, read_document
from tidings.changes.requests import FilterContent, FilterEvents, TraderFilter
from tidings.errors import BadInput
from tidings.events.texts import shortened
from tidings.filters import tree as t
from tidings.filters.printing import print_tree
from tidings.trader.model import checked_property_name, property_path

ROOT: Final = "SubscriptionData"
MAX_SUBSCRIPTION: Final = 100_000
"""Octets of a document, which is read on the loop."""

_EVENTS: Final = {
    "ChangeEvent": FilterEvents.CHANGE_SERVICE_EVENT,
    "NewServiceEvent": FilterEvents.INSTANTIATION_SERVICE_EVENT,
    "AnyEvent": FilterEvents.CHANGE_AND_INSTATIATION_SERVICE_EVENT,
}
_WHOLE: Final = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_REAL: Final = re.compile(r"[+-]?\d{1,300}(\.\d{1,300})?([eE][+-]?\d{1,2})?", re.ASCII)


def read_subscription(text: str) -> FilterContent:
    """Return the filter in an XML document, or raise InvalidDocument."""
    events, *services = _root(text).iterchildren("*")
    word = (events.text or "").strip()
    if word not in _EVENTS:
        raise InvalidDocument(
            f"EventType: {shortened(word)} is none of {', '.join(_EVENTS)}", line_of(events)
        )
    found = tuple(made for one in services if (made := _service(one)) is not None)
    references = tuple(
        (one.text or "").strip() for each in services for one in each.iterfind("ObjectReference")
    )
    return FilterContent(_EVENTS[word], found, references)


def _root(text: str) -> Element:
    return read_document(text, ROOT, "subscription.dtd", MAX_SUBSCRIPTION)


def _service(found: Element) -> TraderFilter | None:
    """Return the type and constraint of a service; None if only objects are named."""
    name = (found.findtext("ServiceTypeName") or "").strip()
    properties = [_property(one) for one in found.iterchildren("Property")]
    if not name and properties:
        raise InvalidDocument("properties are those of a service type: name it", line_of(found))
    if not name:
        return None
    tree = t.And(tuple(properties)) if len(properties) > 1 else next(iter(properties), None)
    return TraderFilter(name, "" if tree is None else print_tree(tree))


def _property(found: Element) -> t.Node:
    try:
        name = checked_property_name(str(found.get("Name")))
    except BadInput as error:
        raise InvalidDocument(str(error), line_of(found)) from error
    return t.Equal(t.Component(property_path(name)), _value(str(found.get("Value"))))


def _value(text: str) -> t.Node:
    """Return what a property equals: a number or truth value if it looks like one."""
    plain = text.strip()
    if _WHOLE.fullmatch(plain):
        return t.Integer(int(plain))
    if _REAL.fullmatch(plain):
        return t.Real(float(plain))
    if plain in ("TRUE", "FALSE"):
        return t.Boolean(plain == "TRUE")
    quoted = len(plain) > 1 and plain[0] == plain[-1] == "'"
    return t.Text(plain[1:-1] if quoted else text)
