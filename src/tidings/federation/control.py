"""Control events: how gateways, and clients that know of the federation, ask each other (FES 4).

A control event is a structured event named `FES_ControlEvent`. The first five kinds and their
parameters are the source's; the others are ours, and whoever does not know them passes them over.

====== ================= ==================================================================
Type   kind              what it carries
====== ================= ==================================================================
1, 5   (un)announcement  Event: one of the kind that is (no longer) published
2, 4   (un)subscription  Filter
3      publication       Event; with a distribution list for these services, else for whoever
                         has subscribed
6      status            Body: where a request was applied, refused, not reached
7      state             Body: records of gateways (`records.py`)
8, 9   probe, echo       Body: the way so far
====== ================= ==================================================================
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Final, TypeVar

import msgspec

from tidings.errors import InvalidEvent, InvalidUsage, TidingsError
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_codec import decode_event, encode_event
from tidings.events.standard_header import standard_value
from tidings.events.structured import StructuredEvent, pack_header
from tidings.federation.distribution import checked_name, distribution
from tidings.federation.marks import Mark, mark_of_text, mark_text

_T = TypeVar("_T")

CONTROL_SUBJECT: Final = "FES_ControlEvent"
"""The name of control events."""
RESERVED: Final = "FES_"
"""Names of events that begin so are the federation's."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class ControlKind(IntEnum):
    """What a control event asks for or tells."""

    ANNOUNCEMENT = 1
    SUBSCRIPTION = 2
    PUBLICATION = 3
    UNSUBSCRIPTION = 4
    UNANNOUNCEMENT = 5
    STATUS = 6
    STATE = 7
    PROBE = 8
    ECHO = 9


REQUESTS: Final = frozenset(ControlKind(n) for n in range(1, 6))
"""The kinds that clients use."""
_FILTERED: Final = (ControlKind.SUBSCRIPTION, ControlKind.UNSUBSCRIPTION)
_WITH_EVENT: Final = (
    ControlKind.ANNOUNCEMENT,
    ControlKind.UNANNOUNCEMENT,
    ControlKind.PUBLICATION,
)


class Control(msgspec.Struct, frozen=True, kw_only=True):
    """A control event.

    Attributes:
        kind: What it asks for or tells.
        targets: The distribution list: where to apply it.
        source: The event service where the request came from.
        filter: Of a subscription: in the FES language, or a constraint.
        event: Of an announcement or publication.
        system: The federation; empty from a client that knows of one only.
        id: Unique in the federation; empty from a client of the source's kind.
        sender: The gateway that published it; empty from a client.
        mark: Of a publication between gateways: the event's.
        via: Of such a publication: the gateway that carries it on.
        body: Of our own kinds, as JSON.
        key: The name of the key that signed it.
        signature: Of everything else; empty if it is not signed.
    """

    kind: ControlKind
    targets: str = ""
    source: str = ""
    filter: str = ""
    event: StructuredEvent | None = None
    system: str = ""
    id: str = ""
    sender: str = ""
    mark: Mark | None = None
    via: str = ""
    body: str = ""
    key: str = ""
    signature: str = ""


_NAMES: Final = {
    "targets": "DistList", "source": "Source", "filter": "Filter", "system": "System", "id": "Id",
    "sender": "Sender", "via": "Via", "body": "Body", "key": "Key", "signature": "Signature",
}  # fmt: skip


# What gateways say of themselves is of no use after a while, and need not survive a crash.
_OF_TALK: Final = pack_header(
    {
        name: standard_value(name, value)
        for name, value in {"EventReliability": "BestEffort", "Timeout": "30s"}.items()
    }
)
# What of an event's context the control event has that carries it.
_CONTEXT: Final = ("EventReliability", "Priority", "StopTime", "Timeout")


def control_event(control: Control) -> StructuredEvent:
    """Return the structured event that stands for a control event; parameters as in the source."""
    data: dict[str, int | str] = {"Type": int(control.kind)}
    for field, name in _NAMES.items():
        if (value := getattr(control, field)) or name in ("DistList", "Source"):
            data[name] = value
    if control.event is not None:
        data["Event"] = encode_event(control.event).decode()
    if control.mark is not None:
        data["Mark"] = mark_text(control.mark)
    return StructuredEvent(name=CONTROL_SUBJECT, header=_header(control), data=data)


def _header(control: Control) -> Mapping[str, Value]:
    if control.kind not in REQUESTS:
        return _OF_TALK
    carried = {} if control.event is None else control.event.header
    return {name: carried[name] for name in _CONTEXT if name in carried}


def control_of(event: StructuredEvent) -> Control:
    """Read a control event; InvalidEvent names the parameter that is wrong."""
    data = event.data
    found: dict[str, str] = {}
    for field, name in _NAMES.items():
        value = data.get(name, "")
        if not isinstance(value, str):
            raise InvalidEvent("a text is expected", f"data.{name}")
        if not value.isascii() and _SURROGATE.search(value):
            raise InvalidEvent("a text without surrogates is expected", f"data.{name}")
        found[field] = value
    kind = _kind(data.get("Type"))
    if kind in _FILTERED and not found["filter"].strip():
        raise InvalidEvent(f"a {kind.name.lower()} has a filter", "data.Filter")
    _check(found)
    return Control(
        kind=kind,
        event=_read(data, "Event", decode_event, needed=kind in _WITH_EVENT),
        mark=_read(data, "Mark", mark_of_text, needed=False),
        **found,
    )


def _kind(value: object) -> ControlKind:
    if type(value) is int and value in ControlKind._value2member_map_:
        return ControlKind(value)
    raise InvalidEvent(f"the type of a control event is 1 to {max(ControlKind)}", "data.Type")


def _check(found: Mapping[str, str]) -> None:
    try:
        distribution(found["targets"])
        for field in ("source", "system", "sender", "via"):
            if found[field]:
                checked_name(_NAMES[field], found[field])
    except InvalidUsage as error:
        raise InvalidEvent(str(error), "data") from error


def _read(
    data: Mapping[str, object], name: str, read: Callable[[str], _T], *, needed: bool
) -> _T | None:
    text = data.get(name)
    if text is None and not needed:
        return None
    if not isinstance(text, str):
        raise InvalidEvent("a text is expected", f"data.{name}")
    try:
        return read(text)
    except TidingsError as error:
        raise InvalidEvent(str(error), f"data.{name}") from error


# Signatures.


def signed(control: Control, key: str, secret: bytes) -> Control:
    """Return a control event with its signature."""
    bare = msgspec.structs.replace(control, key=key, signature="")
    return msgspec.structs.replace(bare, signature=_signature(bare, secret))


def is_signed(control: Control, secrets: Mapping[str, bytes]) -> bool:
    """Whether a control event is as somebody with one of these keys has made it."""
    secret = secrets.get(control.key)
    if secret is None or not control.signature:
        return False
    bare = msgspec.structs.replace(control, signature="")
    return hmac.compare_digest(_signature(bare, secret), control.signature)


def _signature(bare: Control, secret: bytes) -> str:
    texts = {name: str(value) for name, value in control_event(bare).data.items()}
    parts = [f"{name}={len(text)}:{text}" for name, text in sorted(texts.items())]
    return hmac.new(secret, "\n".join(parts).encode(), hashlib.sha256).hexdigest()
