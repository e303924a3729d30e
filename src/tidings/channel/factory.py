"""The factory: the entry point of every command and the exit of its effects.

`handle_many` runs a batch of commands and then delivers what can be delivered, so that a batch of
pushes becomes a batch of deliveries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel import properties, qos_check
from tidings.channel.channel import Channel, Channels
from tidings.channel.consumer import ConsumerProxy
from tidings.channel.core import Core
from tidings.channel.declaring import Declaring
from tidings.channel.dispatch import Dispatch, Handler
from tidings.channel.effects import Effect, PlanChanged, TopologyChanged
from tidings.channel.entries import Entry
from tidings.channel.filter_host import FilterHost
from tidings.channel.lifecycle import Lifecycle, ObjectChanges
from tidings.channel.property_errors import Level
from tidings.channel.restoring import last_id, restore
from tidings.channel.rules import Rules
from tidings.channel.settings import DEFAULT_SETTINGS, Settings, room_for_one
from tidings.channel.snapshot import LastId, ObjectKey, State, key_of, recorded, state_of
from tidings.channel.unused import Unused
from tidings.channel.vocabulary import Side
from tidings.channel.wellformed import check_command, is_checked
from tidings.cores import answer_each
from tidings.errors import NameTaken, TidingsError
from tidings.filters.plan import Plan, PlanOptions
from tidings.names import checked_name

Answer: TypeAlias = Any
"""What a command's docstring says, or its error."""

CHANNELS: Final = "channels"
"""The name of this core."""


class Factory:
    """All channels and filters: the first core of a service.

    `spills` says whether entries that do not fit into memory can be spilled to disk.
    """

    name: Final = CHANNELS

    def __init__(self, settings: Settings = DEFAULT_SETTINGS, *, spills: bool = False) -> None:
        self.core = Core(settings, spills)
        self.channels = Channels(self.core)
        self.filters = FilterHost(self.core)
        self.last_channel = 0
        self._rules = Rules(self.channels, self.filters)
        self._life = Lifecycle(self.channels, self.filters, self._rules)
        adjust = ObjectChanges(self.channels, self.filters, self._rules, self._life)
        self._options = PlanOptions(
            settings.empty_filter_passes,
            settings.empty_group_is_neutral,
            settings.mapping_default_always,
        )
        handlers: dict[type, Handler] = {
            m.CreateChannel: self._create_channel,
            m.DestroyChannel: self._destroy_channel,
            **Dispatch(self.channels, self.filters, self._life, adjust).handlers(),
            **Declaring(
                self.channels, self.filters, self._life, adjust, self._create_channel
            ).handlers(),
        }
        self._handlers = {
            kind: _checked(handler) if is_checked(kind) else handler
            for kind, handler in handlers.items()
        }

    @property
    def requests(self) -> Collection[type]:
        """Return the classes of all commands."""
        return self._handlers.keys()

    @property
    def unattended(self) -> Unused[tuple[int, int]]:
        """Return the proxies whose client cannot be called, by channel and id."""
        return self._life.unattended

    @property
    def wake_at(self) -> int | None:
        """Return when a `Tick` is due, host time; None for never."""
        return self.core.wake_at

    def channel(self, id: int) -> Channel:
        """Return a channel by its id, or raise ChannelNotFound."""
        return self.channels.find(id)

    def handle_many(
        self, commands: Sequence[c.Command], now: int
    ) -> tuple[list[Answer | TidingsError], list[Effect]]:
        """Run commands in order; return their answers and the effects."""
        core = self.core
        core.now = now
        replies = answer_each(self._handlers, commands, now)
        core.unfinished, core.begun = core.begun, set()
        while core.touched:
            proxies, core.touched = list(core.touched), {}
            for at, proxy in enumerate(proxies):
                try:
                    proxy.pump(now)
                except BaseException:  # an internal fault: the others get their turn next time
                    core.touched.update(dict.fromkeys(proxies[at + 1 :]))
                    raise
        core.touched, core.held = core.held, {}
        effects, core.out = core.out, []
        return replies, effects

    def handle(self, command: c.Command, now: int) -> tuple[Answer, list[Effect]]:
        """Run one command; if it raises TidingsError, nothing was changed."""
        replies, effects = self.handle_many([command], now)
        if isinstance(replies[0], TidingsError):
            raise replies[0]
        return replies[0], effects

    # Recovery.

    def snapshot(self) -> Iterator[tuple[ObjectKey, State]]:
        """Iterate over all durable objects, each in its state when it is reached.

        Objects may change, come and go during the iteration; new ones are not included.
        """
        hosted = self.filters
        last_filter = max(hosted.last_id, hosted.reserved)
        yield (0, "factory", "channels"), recorded(LastId(self.last_channel))
        yield (0, "factory", "filters"), recorded(LastId(last_filter))
        for one in list(hosted.filters.values()):
            if one.stored:
                yield one.key, one.state()
        for channel in list(self.channels.values()):
            yield key_of(channel), state_of(channel)
            for admins in channel.admins.values():
                for admin in list(admins.values()):
                    yield key_of(admin), state_of(admin)
            for proxy in list(channel.proxies.values()):
                if proxy.durable:
                    yield key_of(proxy), state_of(proxy)

    def restore(self, states: Mapping[ObjectKey, State], last_channel: int = 0) -> list[str]:
        """Recreate all recorded objects; return what was skipped. See `restoring.restore`.

        `last_channel` is a channel id that other records name, and no new channel may get.
        """
        passed_over = restore(self.channels, self.filters, self._rules, states, self._options)
        self.last_channel = max([last_channel, last_id(states, "channels"), *self.channels])
        for channel in self.channels.values():
            for side in Side:  # one may have been lost between its end and its new beginning
                if 0 not in channel.admins[side]:
                    self._life.new_admin(channel, side, self.core.settings.default_operator)
        # Recovery's effects are in the journal already, except changed objects.
        self.core.out = [one for one in self.core.out if isinstance(one, TopologyChanged)]
        return passed_over

    def load_pending(
        self, channel: int, entry: Entry, start: int | None, proxies: Sequence[int], now: int
    ) -> int:
        """Queue an event that waited before the stop; return for how many of the proxies."""
        found = self.channel(channel)
        known = map(found.proxies.get, proxies)
        served = [one for one in known if isinstance(one, ConsumerProxy) and one.connected]
        if served:
            found.live[entry.seq] = found.live.get(entry.seq, 0) + len(served)
        for proxy in served:
            consumer = proxy.ensure_consumer()
            consumer.again_upto = found.seq
            consumer.enqueue(entry, start, now)
        return len(served)

    def loaded(self) -> list[Effect]:
        """Return the effects of loading events: some may have to be spilled."""
        effects, self.core.out = self.core.out, []
        return effects

    def recovered(self, versions: Mapping[int, int], now: int) -> list[Effect]:
        """Return the first effects after recovery, with each plan's version after `versions`."""
        for id, channel in self.channels.items():
            channel.plan = replace(channel.plan, version=versions.get(id, 0) + 1)
            self.core.out.append(PlanChanged(id, channel.plan.whole()))
        for consumer in self.channels.consumers():
            consumer.set_alarm(now)
        self.filters.restored(now)
        for channel in self.channels.values():
            for proxy in channel.proxies.values():
                self._life.watch(proxy, now)
                proxy.fenced_at = channel.seq
        return self.loaded()

    # Objects.

    def _create_channel(self, command: m.CreateChannel, now: int) -> int:
        settings = self.core.settings
        name = checked_name(command.name)
        if name and any(channel.name == name for channel in self.channels.values()):
            raise NameTaken(f"there is a channel named {command.name!r} already")
        room_for_one(len(self.channels), settings.limits.channels, "channels", "the service")
        asked, start = dict(command.qos), settings.default_qos
        qos = qos_check.changed(start, Level.CHANNEL, None, asked, settings.narrowed)
        admin = properties.changed(settings.default_admin, command.admin, settings.narrowed)
        self.last_channel += 1
        made = Channel(self.last_channel, command.origin, self.channels, qos, admin)
        made.name = command.name
        made.own = {name: qos[name] for name in asked}
        made.plan, change = Plan().changed(options=self._options)
        self.channels[made.id] = made
        self._life.store(made)
        self.core.out.append(PlanChanged(made.id, change))
        for side in Side:
            self._life.new_admin(made, side, settings.default_operator)
        return made.id

    def _destroy_channel(self, command: m.DestroyChannel, now: int) -> None:
        channel = self.channel(command.channel)
        # Prevents reuse of its id after a restart.
        last = recorded(LastId(self.last_channel))
        self.core.out.append(TopologyChanged(0, "factory", "channels", last))
        self._life.destroy_channel(channel)


def _checked(handler: Handler) -> Handler:
    def check_and_handle(command: m.Management, now: int) -> Answer:
        check_command(command)
        return handler(command, now)

    return check_and_handle
