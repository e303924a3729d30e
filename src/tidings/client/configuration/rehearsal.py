"""Dry run of a plan on an in-process copy of the service.

The copy is a real core with the service's settings and objects, without its events. It refuses what
the service would refuse, with the same error, before anything changes there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from tidings.channel.commands import Command
from tidings.channel.factory import Factory
from tidings.channel.holders import Admin, Holder
from tidings.channel.management import Connect, ObtainProxy
from tidings.channel.properties import AdminProperties
from tidings.channel.qos import QoS
from tidings.channel.questions import SeeAdmin, SeeChannels, SeeFilter, SeeProxies, SeeRules
from tidings.channel.settings import DEFAULT_SETTINGS
from tidings.channel.views import (
    ProxyInfo,
    view_admin,
    view_channel,
    view_filter,
    view_proxy,
)
from tidings.channel.vocabulary import Operator, Place
from tidings.client.configuration.applying import Applying
from tidings.client.configuration.model import (
    DEFAULT_ADMIN,
    AdminPart,
    ChannelPart,
    Configuration,
    Spot,
)
from tidings.client.configuration.state import Found, find_configuration
from tidings.client.transport import Transport
from tidings.cores import Question


async def rehearse(wanted: Configuration, found: Found, *, prune: bool = False) -> None:
    """Apply a plan to a copy of the service; raise the error by which the service would refuse."""
    copy = _Copy()
    asked = cast(Transport, copy)
    await Applying(asked, _plain(found.configuration), Found()).run(lambda step: None)
    await copy.be_like(found, await find_configuration(asked))
    there = await find_configuration(asked)
    await Applying(asked, wanted, there, prune=prune).run(lambda step: None)


class _Copy:
    """A core with the part of the transport interface that applying a plan needs."""

    def __init__(self) -> None:
        self._factory = Factory(DEFAULT_SETTINGS)

    async def be_like(self, found: Found, here: Found) -> None:
        """Set the service's properties on the objects here directly, without a command's checks."""
        configuration = found.configuration
        for name, part in configuration.channels.items():
            channel = self._factory.channel(here.places[Spot(name)].channel)
            channel.qos, channel.properties = QoS(part.qos), AdminProperties(part.limits)
            for proxy in found.strangers.get(name, ()):
                await self._add_stranger(channel.id, proxy)
        for spot, held in configuration.holders():
            holder = self._holder(here.places[spot])
            holder.qos = QoS(held.qos)
            if isinstance(holder, Admin) and isinstance(held, AdminPart):
                holder.operator = held.operator
        self._factory.core.settings = found.rules

    def _holder(self, place: Place) -> Holder:
        channel = self._factory.channel(place.channel)
        if place.proxy is not None:
            return channel.proxy(place.proxy)
        assert place.side is not None
        assert place.admin is not None
        return channel.admin(place.side, place.admin)

    async def _add_stranger(self, channel: int, proxy: ProxyInfo) -> None:
        """Add an unnamed proxy: it counts towards limits and is in no file."""
        id = await self.ask(ObtainProxy(channel, proxy.side, proxy.style, proxy.form))
        if proxy.connected:
            await self.ask(Connect(channel, id))

    async def ask(self, command: Command) -> Any:  # noqa: ANN401 -- see the command
        """Run a command."""
        answer, _ = self._factory.handle(command, 0)
        return answer

    async def receive(self, connect: Connect, on_offers: None) -> object:
        """Connect a consumer."""
        return await self.ask(connect)

    listen = receive

    async def release(self, channel: int, proxy: int, line: object, *, end: bool) -> None:
        """Do nothing: no client is connected."""

    async def request(self, question: Question[Any]) -> Any:  # noqa: ANN401 -- see the question
        """Answer a question."""
        factory = self._factory
        match question:
            case SeeRules():
                return factory.core.settings
            case SeeChannels():
                return [view_channel(one) for one in factory.channels.values()]
            case SeeAdmin(channel, side, id):
                return view_admin(factory.channel(channel).admin(side, id))
            case SeeProxies(channel):
                return [view_proxy(one) for one in factory.channel(channel).proxies.values()]
            case SeeFilter(id):
                return view_filter(factory.filters.find(id))
        raise AssertionError(question)


def _plain(configuration: Configuration) -> Configuration:
    """Reset all objects to the standard's defaults, from which any other values can be set."""
    qos = dict(QoS())

    return replace(
        configuration,
        channels={
            name: ChannelPart(
                qos,
                dict(AdminProperties()),
                {
                    side: {
                        label: replace(part, qos=qos, operator=_operator(label, part))
                        for label, part in admins.items()
                    }
                    for side, admins in channel.admins.items()
                },
                {
                    side: {name: replace(part, qos=qos) for name, part in proxies.items()}
                    for side, proxies in channel.proxies.items()
                },
            )
            for name, channel in configuration.channels.items()
        },
    )


def _operator(label: str, part: AdminPart) -> Operator:
    """Return the operator at creation: AND for a default admin, which its channel creates."""
    return Operator.AND if label == DEFAULT_ADMIN else part.operator
