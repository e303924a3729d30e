"""Creating consumer and supplier proxies, and resuming them by name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, TypeVar

from tidings.channel.management import (
    AddFilter,
    Connect,
    CreateFilter,
    Disconnect,
    ObtainProxy,
    RemoveFilter,
    SetQoS,
    SubscriptionChange,
)
from tidings.channel.qos import Reliability
from tidings.channel.questions import SeeFilter, SeeProxy
from tidings.channel.views import FilterInfo, ProxyInfo
from tidings.channel.vocabulary import Form, Place, Side, Style
from tidings.client.managing import Admin, Wanted, constraints
from tidings.client.publishing import patterns
from tidings.client.transport import Transport
from tidings.errors import InvalidUsage, ProxyNotFound
from tidings.filters.constraint import Constraint, EventTypePattern

QoSRequest: TypeAlias = Mapping[str, object]
"""Quality of service under the standard's names."""

_T = TypeVar("_T")

_FORMS: Final = {Style.PUSH: Form.STRUCTURED, Style.PULL: Form.SEQUENCE}


class Proxies:
    """Creates and resumes proxies over a transport."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def obtain(self, command: ObtainProxy, admin: Admin | None) -> int:
        """Create a proxy under an admin and return its id.

        Raises:
            InvalidUsage: The admin belongs to another channel or to the other side.
        """
        channel, side, parent = command.channel, command.side, 0
        if admin is not None:
            if (admin.place.channel, admin.place.side) != (channel, side):
                raise InvalidUsage(f"{admin.place} is no {side.value} admin of channel {channel}")
            parent = admin.id
        # An unnamed proxy cannot be resumed after a restart, so it need not survive one.
        start = {} if command.name else {"ConnectionReliability": Reliability.BEST_EFFORT.value}
        qos = {**start, **dict(command.qos)}
        found: int = await self._transport.ask(replace(command, admin=parent, qos=qos))
        return found

    async def linked(self, connect: Connect, linking: Awaitable[_T]) -> _T:
        """Await the connection to a proxy; if it fails, drop a proxy that was created for it."""
        try:
            return await linking
        except BaseException:
            if not connect.again:
                await self._drop(connect.channel, connect.proxy)
            raise

    async def _drop(self, channel: int, proxy: int) -> None:
        """Disconnect a proxy without waiting, because the caller has failed or was cancelled."""
        self._transport.tell(Disconnect(channel, proxy))
        await asyncio.sleep(0)  # lets an in-process service run it

    async def consumer(  # noqa: PLR0913 -- keywords for what users set
        self,
        channel: int,
        style: Style,
        wanted: Wanted,
        types: Iterable[EventTypePattern | str],
        *,
        name: str,
        form: Form | None,
        admin: Admin | None,
        qos: QoSRequest | None,
    ) -> tuple[int, bool]:
        """Return a consumer proxy's id, and whether it existed before."""
        asked = None if wanted is None else constraints(wanted)
        listed = patterns(types)
        if name:
            try:
                known = await self._transport.request(SeeProxy(channel, name))
            except ProxyNotFound:
                pass
            else:
                _check_same(known, style, form, admin)
                await self._resume(known, asked, listed, qos)
                return known.id, True
        command = ObtainProxy(
            channel,
            style=style,
            form=_FORMS[style] if form is None else form,
            qos=qos or {},
            name=name,
            constraints=asked or (),
            types=listed,
        )
        return await self.obtain(command, admin), False

    async def _resume(
        self,
        known: ProxyInfo,
        asked: Sequence[Constraint] | None,
        listed: Sequence[EventTypePattern],
        qos: QoSRequest | None,
    ) -> None:
        place = Place(known.channel, proxy=known.id)
        if qos:
            await self._transport.ask(SetQoS(place, qos))
        if listed and set(listed) != set(known.types):
            added = tuple(one for one in listed if one not in known.types)
            removed = tuple(one for one in known.types if one not in listed)
            await self._transport.ask(SubscriptionChange(place, added, removed))
        if asked is None:
            return
        own: dict[int, FilterInfo] = {}
        for attachment, filter_id in known.filters.items():
            found = await self._transport.request(SeeFilter(filter_id))
            if isinstance(found, FilterInfo) and found.private:
                own[attachment] = found
        now = [_texts(found.constraints.values()) for found in own.values()]
        if now == ([_texts(asked)] if asked else []):
            return
        # Add the new filter before removing the old one, so that neither's events are missed.
        if asked:
            made, _ = await self._transport.ask(CreateFilter(asked, private=True))
            await self._transport.ask(AddFilter(place, made))
        for attachment in own:
            await self._transport.ask(RemoveFilter(place, attachment))


def _check_same(known: ProxyInfo, style: Style, form: Form | None, admin: Admin | None) -> None:
    """Refuse changes to properties that a proxy cannot change."""
    kind = f"a {known.style.value} proxy of a {known.side.value}"
    if known.side is not Side.CONSUMER or known.style is not style:
        raise InvalidUsage(f"{known.name!r} is the name of {kind}, not of a {style.value} consumer")
    if form is not None and form is not known.form:
        raise InvalidUsage(f"{known.name!r} has the form {known.form.name}, not {form.name}")
    if admin is not None and admin.id != known.admin:
        raise InvalidUsage(f"{known.name!r} belongs to admin {known.admin}, not {admin.id}")


def _texts(given: Iterable[Constraint]) -> list[tuple[str, object]]:
    return [(one.text, one.event_types) for one in given]
