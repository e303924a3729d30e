"""All objects in a compact form: columns instead of objects, for those who show very many."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Annotated, Any, Final

import msgspec
from fastapi import APIRouter, Query, Response
from pydantic import Field

from tidings.api.forms import Answer, Id, examples
from tidings.channel.channel import Channel
from tidings.channel.consumer import Consumer
from tidings.channel.holders import Admin, Proxy
from tidings.channel.vocabulary import Side
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.engine.turns import Turns
from tidings.errors import NotFound
from tidings.web.bodies import StrictRoute
from tidings.web.looking import streamed
from tidings.web.state import Door, State

router = APIRouter(tags=["overview"], route_class=StrictRoute)

# So many are in a window: whoever shows more asks again, or for all.
_CHANNELS_ASKED: Final = 100


class Table:
    """Columns that grow by rows; those of few different words have numbers of the words."""

    def __init__(self, plain: Iterable[str], words: Iterable[str] = ()) -> None:
        self._plain: dict[str, list[Any]] = {name: [] for name in plain}
        self._words: dict[str, dict[str, int]] = {name: {} for name in words}
        self._numbers: dict[str, list[int]] = {name: [] for name in words}

    def add(self, plain: Iterable[object], words: Iterable[str] = ()) -> None:
        """Add a row, with its values in the order of the columns."""
        for column, value in zip(self._plain.values(), plain, strict=True):
            column.append(value)
        for (name, known), word in zip(self._words.items(), words, strict=True):
            self._numbers[name].append(known.setdefault(word, len(known)))

    def pieces(self) -> Iterable[tuple[str, object]]:
        """The columns by name, as they are sent."""
        yield from self._plain.items()
        for name, known in self._words.items():
            yield name, {"words": list(known), "at": self._numbers[name]}


_CHANNELS = ("id", "name", "accepted", "waiting", "suppliers", "consumers")
_ADMINS = ("channel", "id", "filters")
_ADMIN_WORDS = ("side", "operator")
_PROXIES = ("channel", "id", "admin", "name", "peer", "waiting", "in_flight", "behind", "failures",
            "taken", "filters")  # fmt: skip
_PROXY_WORDS = ("side", "style", "form", "state", "owner", "door")


def _add_channel(tables: dict[str, Table], found: Channel) -> None:
    suppliers = sum(len(one.proxies) for one in found.admins[Side.SUPPLIER].values())
    consumers = len(found.proxies) - suppliers
    tables["channels"].add(
        (found.id, found.name, found.accepted, found.waiting, suppliers, consumers)
    )


def _add_admin(table: Table, admin: Admin) -> None:
    table.add(
        (admin.channel.id, admin.id, len(admin.attached_filters)),
        (admin.side.value, admin.operator.name.lower()),
    )


def _add_proxy(table: Table, host: Host, last: int, proxy: Proxy) -> None:
    consumer: Consumer | None = getattr(proxy, "consumer", None)
    waiting = in_flight = behind = failures = taken = 0
    if consumer is not None:
        waiting, in_flight, failures = consumer.waiting, len(consumer.flight), consumer.failures
        taken = sum(consumer.counts.values())
        behind = max(waiting, last - min(consumer.flight) + 1) if consumer.flight else waiting
    endpoint = host.endpoint(proxy.channel.id, proxy.id)
    client = None if endpoint is None else endpoint.connected_by
    door, peer = ("", "") if client is None else (client.door, client.peer)
    table.add(
        (proxy.channel.id, proxy.id, proxy.admin.id, proxy.name, peer, waiting, in_flight, behind,
         failures, taken, len(proxy.attached_filters)),
        (proxy.side.value, proxy.style.value, proxy.form.name.lower(), _state(proxy), proxy.owner,
         door),
    )  # fmt: skip


def _state(proxy: Proxy) -> str:
    if not proxy.connected:
        return "not connected"
    if proxy.suspended:
        return "suspended"
    return "connected" if proxy.attached else "away"


class Outline(Answer):
    """All objects in columns; row n of a table has the n-th value of each column.

    A column `{"words": […], "at": […]}` has numbers of words instead of the words.
    """

    model_config = examples(
        {
            "now": 1_793_613_600_000_000,
            "channels": {"id": [1], "name": ["roads"], "accepted": [120]},
            "admins": {"channel": [1], "id": [0], "side": {"words": ["supplier"], "at": [0]}},
            "proxies": {"channel": [1], "id": [1], "name": ["billing"], "waiting": [3]},
        }
    )

    now: int = Field(description="The service's time, microseconds since 1970.")
    channels: dict[str, Any] = Field(description="Channels that the caller may know of.")
    admins: dict[str, Any] = Field(description="Admins of channels that it may inspect.")
    proxies: dict[str, Any] = Field(description="Proxies that it may see.")


@router.get("/outline", summary="All objects, compactly", response_model=Outline)
async def see_outline(
    state: State,
    door: Door,
    inside: Annotated[bool, Query(description="Whether admins and proxies are listed.")] = True,
    of: Annotated[
        list[Id] | None,
        Query(description="Only these channels, by their ids.", max_length=_CHANNELS_ASKED),
    ] = None,
) -> Response:
    """Channels, admins and proxies with their state and their counts, as columns.

    `behind` is how many events the channel has taken in since the oldest one in flight; `taken`
    counts what became of its copies in any way.
    """
    asked = door.views.channel_ids() if of is None else of
    return streamed(_pieces(state.host, door, asked, inside=inside))


async def _pieces(
    host: Host, door: LocalDoor, asked: Iterable[int], *, inside: bool
) -> AsyncIterator[str]:
    tables = {
        "channels": Table(_CHANNELS),
        "admins": Table(_ADMINS, _ADMIN_WORDS),
        "proxies": Table(_PROXIES, _PROXY_WORDS),
    }
    turns = Turns()
    for id in asked:
        try:
            channel, admins, proxies = door.views.outline(id, inside=inside)
        except NotFound:  # it has ended meanwhile
            continue
        _add_channel(tables, channel)
        for admin in admins:
            _add_admin(tables["admins"], admin)
        for proxy in proxies:
            _add_proxy(tables["proxies"], host, channel.seq, proxy)
            await turns.give()
        await turns.give()
    yield f'{{"now":{host.time()}'
    for name, table in tables.items():
        yield f',"{name}":{{'
        comma = ""
        for column, values in table.pieces():
            yield f'{comma}"{column}":{msgspec.json.encode(values).decode()}'
            comma = ","
            await turns.give()
        yield "}"
    yield "}"
