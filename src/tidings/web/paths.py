"""What stands in the path of a request: ids and names.

Names of channels, proxies and producers may have any character, a slash among them. Servers
decode a path before it is matched with the routes, and then a slash inside a name looks like one
between two parts: ``/v1/channels/a%2Fadmins`` would be the admins of ``a``. So each part is
decoded on its own here, and its slashes stay escaped until the part is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias
from urllib.parse import unquote_to_bytes

from fastapi import Depends, Path, Query
from pydantic import AfterValidator, BeforeValidator, Field
from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

from tidings.channel.vocabulary import Side
from tidings.engine.door import LocalDoor
from tidings.errors import ChannelNotFound, NotFound, ProxyNotFound
from tidings.names import MAX_NAME, is_readable
from tidings.web.state import Door

# Ids are counted up from 1 (admins from 0) and never come near this.
_MOST_ID: Final = 2**53 - 1
_ID_DIGITS: Final = len(str(_MOST_ID))
MOST_CONSTRAINT: Final = 65_536
"""How many characters a constraint in a query may have."""


def _digits(given: object) -> object:
    """A number is written in one way only: no signs, points or spaces."""
    if isinstance(given, str) and not (given.isascii() and given.isdigit()):
        raise ValueError("it must be a number in digits")
    return given


# The bounds stand inside, so that the API's document has them.
Number = Annotated[int, Field(ge=0, le=_MOST_ID), BeforeValidator(_digits)]
"""An id or number in a path or query."""

Most = Annotated[
    int,
    Field(ge=1, le=1_000),
    BeforeValidator(_digits),
    Query(description="At most so many.", examples=[10]),
]
"""How many objects an answer may have."""


class _Digits(Convertor[str]):
    """A part of a path that is a number; any other part is left to other routes."""

    regex = f"[0-9]{{1,{_ID_DIGITS}}}"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("digits", _Digits())


class PathParts:
    """Decodes each part of a path on its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a connection."""
        raw = scope.get("raw_path")
        if raw is None:
            if "%" in scope.get("path", ""):
                scope = {**scope, "path": scope["path"].replace("%", "%25")}
        elif b"%" in raw:
            path = "/".join(map(_decoded, raw.partition(b"?")[0].split(b"/")))
            scope = {**scope, "path": path}
        await self._app(scope, receive, send)


def _decoded(raw: bytes) -> str:
    # What is no UTF-8 becomes a character that no name has.
    text = unquote_to_bytes(raw).decode(errors="replace").replace("\ufffd", "\ufffe")
    return text.replace("%", "%25").replace("/", "%2F")


def part(text: str) -> str:
    """A part of a path as whoever asked meant it."""
    return text.replace("%2F", "/").replace("%25", "%")


_NAME: Final = "id, or its name (percent-encoded; a name of digits only is taken for an id)."


async def _channel_id(
    door: Door,
    channel: Annotated[
        str, Path(min_length=1, description=f"The channel's {_NAME}", examples=["auctions"])
    ],
) -> int:
    return channel_of(door, part(channel))


def channel_of(door: LocalDoor, text: str, *, ended: bool = False) -> int:
    """The id of the channel with this id or name; `ended` lets the id of a deleted one pass."""
    if _is_id(text):
        return int(text) if ended else door.views.channel(int(text)).id
    if not _is_name(text):
        raise ChannelNotFound(f"no channel can be named {text!r:.60}")
    return door.views.channel(text).id


ChannelId = Annotated[int, Depends(_channel_id)]
"""The id of the channel in the path; there is one."""


async def _proxy_id(
    door: Door,
    channel: ChannelId,
    proxy: Annotated[
        str, Path(min_length=1, description=f"The proxy's {_NAME}", examples=["hall-1"])
    ],
) -> int:
    name = part(proxy)
    if _is_id(name):
        return door.views.proxy(channel, int(name)).id
    if not _is_name(name):
        raise ProxyNotFound(f"no proxy can be named {name!r:.60}")
    return door.views.proxy(channel, name).id


ProxyId = Annotated[int, Depends(_proxy_id)]
"""The id of the proxy in the path; there is one."""


JobId = Annotated[Number, Path(description="The job's id.", examples=[7])]

_PrincipalName: TypeAlias = Annotated[
    str,
    Path(max_length=64, description="The principal's name.", examples=["till-3"]),
    AfterValidator(part),
]

_FederationName: TypeAlias = Annotated[
    str,
    Path(max_length=128, description="The gateway's name.", examples=["tower"]),
    AfterValidator(part),
]

_TradingName: TypeAlias = Annotated[
    str, Path(max_length=300, description="Its name, percent-encoded."), AfterValidator(part)
]

_PartyName: TypeAlias = Annotated[
    str, Path(max_length=64, description="Its id, percent-encoded."), AfterValidator(part)
]

PATH_TYPES: Final[Mapping[str, Any]] = {
    "channel": ChannelId,
    "proxy": ProxyId,
    "side": Annotated[Side, Path(description="Whom it serves.", examples=["consumer"])],
    "admin": Annotated[
        Number, Path(description="The admin's id; 0 is the default one.", examples=[0])
    ],
    "filter": Annotated[Number, Path(description="The filter's id.", examples=[1])],
    "attachment": Annotated[Number, Path(description="The attachment's id.", examples=[1])],
    "purpose": Annotated[
        Literal["priority", "lifetime"],
        Path(description="What the filter maps events to.", examples=["priority"]),
    ],
    "id": Annotated[Number, Path(description="The dead letter's id.", examples=[12])],
    "name": _PrincipalName,
    "principal": _PrincipalName,
    "grant": Annotated[Number, Path(description="The grant's number.", examples=[3])],
    "credential": Annotated[Number, Path(description="The credential's number.", examples=[5])],
    "number": Annotated[Number, Path(description="The event's number.", examples=[1041])],
    "job": JobId,
    "gateway": _FederationName,
    "iterator": Annotated[Number, Path(description="The iterator's id.", examples=[1])],
    "interface": Annotated[_TradingName, Path(examples=["IDL:Bank/Account:1.0"])],
    "link": Annotated[_TradingName, Path(examples=["campus"])],
    "object": Annotated[_TradingName, Path(examples=["flight/DLH4AB"])],
    "offer": Annotated[_TradingName, Path(examples=["Office::Printer/7"])],
    "type": Annotated[_TradingName, Path(examples=["Office::Printer"])],
    "subscriber": Annotated[_PartyName, Path(examples=["ann"])],
    "evolver": Annotated[_PartyName, Path(examples=["isel"])],
    "proxy_id": Annotated[_PartyName, Path(examples=["PS01"])],
    "filter_id": Annotated[_PartyName, Path(examples=["F1"])],
    "probe": Annotated[str, Path(max_length=256, description="The probe's id.")],
    "producer": Annotated[
        str,
        Path(min_length=1, description="Its own name (percent-encoded).", examples=["till-3"]),
        AfterValidator(part),
    ],
}
"""How each field that stands in a path is read."""


async def _asked_channel(
    door: Door,
    channel: Annotated[
        str | None,
        Query(min_length=1, description="Of one channel, by its id or name.", examples=["1"]),
    ] = None,
) -> int | None:
    return None if channel is None else channel_of(door, channel, ended=True)


QUERY_TYPES: Final[Mapping[str, Any]] = {
    "after": Annotated[Number, Query(description="The id of the last one seen before.")],
    "channel": Annotated[int | None, Depends(_asked_channel)],
    "at": Annotated[str, Query(description="From this event service.", examples=["radar"])],
    "after_name": Annotated[str, Query(description="The name of the last one seen before.")],
    "last": Annotated[
        int,
        Field(ge=1, le=10_000),
        BeforeValidator(_digits),
        Query(description="Of the latest so many numbers.", examples=[100]),
    ],
    "most": Most,
    "since": Annotated[Number, Query(description="From this incarnation on; 0 for all.")],
    "principal": Annotated[str, Query(description="Of one principal, by its name.")],
    "to": Annotated[str, Query(description="To one principal or role:NAME.")],
    "matching": Annotated[
        str,
        Query(
            max_length=MOST_CONSTRAINT,
            description="A constraint their events match; all if empty.",
            examples=["$price > 100"],
        ),
    ],
    "proxy": Annotated[Number | None, Query(description="Of one proxy, by its id.")],
    "version": Annotated[Number, Query(description="The number of the version; 0 for the latest.")],
}
"""How each field that stands in a query is read."""


def _is_id(name: str) -> bool:
    """Whether it is a number that an id could be; any other number names nothing."""
    if not (name.isascii() and name.isdigit()):
        return False
    if len(name) > _ID_DIGITS or int(name) > _MOST_ID:
        raise NotFound(f"nothing has the id {name:.40}")
    return True


def _is_name(name: str) -> bool:
    return len(name) <= MAX_NAME and is_readable(name)
