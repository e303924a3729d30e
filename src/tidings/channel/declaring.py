"""Subscriptions that another core wants: their names and how they are to be.

What is as it should be is not touched, so that asking again costs nothing. What cannot be made is
told to the core that has asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tidings.changes.requests import (
    EndSubscription,
    PutChannel,
    PutSubscription,
    SubscriptionPut,
)
from tidings.channel.channel import Channel, Channels
from tidings.channel.consumer import ConsumerProxy
from tidings.channel.filter_host import FilterHost
from tidings.channel.lifecycle import Lifecycle, ObjectChanges, new_filter
from tidings.channel.management import CreateChannel, ObtainProxy
from tidings.channel.qos import reliabilities
from tidings.channel.settings import FilterPart
from tidings.channel.vocabulary import Form, Side, Style
from tidings.errors import ChannelNotFound, NameTaken, TidingsError
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as AnyValue
from tidings.filters.mapping import MappingFilter
from tidings.grants.core import AccessChanged


class Declaring:
    """Makes channels and subscriptions as they were declared."""

    def __init__(
        self,
        channels: Channels,
        filters: FilterHost,
        life: Lifecycle,
        adjust: ObjectChanges,
        create: Callable[[CreateChannel, int], int],
    ) -> None:
        self._channels = channels
        self._filters = filters
        self._life = life
        self._adjust = adjust
        self._create = create

    def handlers(self) -> Mapping[type, Callable[[Any, int], Any]]:
        """Return the handler of each request."""
        return {
            PutChannel: self._put_channel,
            PutSubscription: self._put,
            EndSubscription: self._end,
        }

    def _find(self, name: str) -> Channel:
        for channel in self._channels.values():
            if channel.name == name:
                return channel
        raise ChannelNotFound(f"there is no channel named {name}")

    def _put_channel(self, asked: PutChannel, now: int) -> None:
        qos = {**reliabilities(), "DiscardPolicy": asked.discard_policy}
        admin = {"MaxQueueLength": asked.max_queue_length, "RejectNewEvents": False}
        try:
            channel = self._find(asked.channel)
        except ChannelNotFound:
            self._create(CreateChannel(asked.origin, qos, admin, asked.channel), now)
            return
        if any(channel.properties[name] != value for name, value in admin.items()):
            self._adjust.set_admin_properties(channel, admin)
        if channel.qos["DiscardPolicy"] != asked.discard_policy:
            self._adjust.set_qos(channel, {"DiscardPolicy": asked.discard_policy}, now)

    def _put(self, asked: PutSubscription, now: int) -> None:
        problem = ""
        try:
            self._make(asked, now)
        except TidingsError as error:
            problem = str(error)
        self._channels.core.out.append(SubscriptionPut(asked.name, problem))

    def _make(self, asked: PutSubscription, now: int) -> None:
        channel = self._find(asked.channel)
        style = Style.PULL if asked.pulls else Style.PUSH
        form = Form.SEQUENCE if asked.is_sequence else Form.STRUCTURED
        if asked.name not in channel.names:
            made = ObtainProxy(
                channel.id, Side.CONSUMER, style, form, qos=asked.qos, name=asked.name,
                owner=asked.owner, constraints=asked.constraints, keep=True,
            )  # fmt: skip
            proxy = self._life.obtain(channel, made, now)
            if asked.owner:  # its events are those that its owner may see
                self._channels.core.out.append(AccessChanged(frozenset({asked.owner})))
        else:
            proxy = channel.proxies[channel.names[asked.name]]
        if (proxy.side, proxy.style, proxy.form) != (Side.CONSUMER, style, form):
            raise NameTaken(f"{channel.label} has another proxy named {asked.name!r}")
        assert isinstance(proxy, ConsumerProxy)
        if any(proxy.qos[name] != value for name, value in asked.qos.items()):
            self._adjust.set_qos(proxy, asked.qos, now)
        self._put_filter(proxy, asked)
        self._put_priorities(proxy, asked)

    def _put_filter(self, proxy: ConsumerProxy, asked: PutSubscription) -> None:
        held = {at: self._filters.filter(id) for at, id in proxy.attached_filters}
        parts = [(one.text, one.event_types) for one in asked.constraints]
        now = [
            [(one.text, one.event_types) for one in filter.version.constraints.values()]
            for filter in held.values()
        ]
        if now == ([parts] if parts else []):
            return
        if parts:  # the new one first, so that nothing is missed
            self._channels.core.settings.limits.check_filter(map(FilterPart.of, asked.constraints))
            made = self._filters.add(new_filter(asked.constraints)[0], asked.owner, private=True)
            self._adjust.add_filter(proxy, made.id)
        for at in held:
            self._adjust.remove_filter(proxy, at)

    def _put_priorities(self, proxy: ConsumerProxy, asked: PutSubscription) -> None:
        before = proxy.priority_filter
        if before is not None:
            held = self._filters.mapping(before).version.mapped.values()
            if [(one.constraint.text, one.value) for one in held] == [
                (one.constraint.text, one.value) for one in asked.priorities
            ]:
                return
        if not asked.priorities:
            if before is not None:
                self._adjust.set_mapping(proxy, "priority", None)
            return
        mapping = MappingFilter(AnyValue(tc.SHORT, 0))  # not used: notices have a priority
        mapping.add(asked.priorities)
        made = self._filters.add(mapping, asked.owner, private=True)
        self._adjust.set_mapping(proxy, "priority", made.id)

    def _end(self, asked: EndSubscription, _: int) -> None:
        try:
            channel = self._find(asked.channel)
        except ChannelNotFound:
            return
        if asked.name in channel.names:
            self._life.end(channel.proxies[channel.names[asked.name]], tell=True)
