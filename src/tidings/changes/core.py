"""Service change notification; a core of its own.

Notices come from the trader, which tells of every change, and from service evolvers, who announce
changes. They are kept until they are in the channel `service-changes`; each proxy of a subscriber
is a subscription there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import msgspec

from tidings.changes import requests as r
from tidings.changes.model import (
    LOWEST_PRIORITY,
    ChangeKind,
    Notice,
    ServiceDescription,
    ServiceTypeDescription,
    TimeIndicator,
)
from tidings.changes.notice_event import event_of
from tidings.changes.pending import CHANNEL, Pending
from tidings.changes.qos import checked_qos
from tidings.changes.subscribers import Holder, Subscriber, subscriber_of
from tidings.cores import Handled, Keep, State, answer_each
from tidings.errors import (
    AlreadyConnected,
    AlreadyDisconnected,
    BadInput,
    DuplicatedPublisherID,
    DuplicatedSubscriberID,
    ExceedConnectSubscriberLimit,
    ExceedSubscriberLimit,
    InvalidEvent,
    InvalidUsage,
    LimitExceeded,
    NotFoundPublisherID,
    NotFoundSubscriberID,
    StoreError,
    TooManyObjects,
)
from tidings.events.anyvalue import Value, nesting
from tidings.events.texts import shortened
from tidings.idl.diff import Difference
from tidings.trader.model import ServiceType
from tidings.trader.requests import OfferChange, OffersChanged, OfferState

NAME: Final = "changes"
"""The name of the core, in the journal too."""
MOST_SUBSCRIBERS: Final = 100_000
MOST_EVOLVERS: Final = 10_000
MOST_AT_ONCE: Final = 1_000
"""Changes of one announcement, and answers of one question."""
MOST_PUT: Final = 50
"""Subscriptions that are brought up to date in one turn."""
DEEPEST: Final = 50
"""How deep values in a notice nest; a property beyond is left out."""

_VERSION: Final = 1
_COUNTERS: Final = "counters"
_SETTINGS: Final = "settings"
_ID: Final = re.compile(r"[\w.@+-]{1,64}")
_MOST: Final = {
    "order_policy": (1, 3),
    "discard_policy": (1, 4),
    "highest_priority": (LOWEST_PRIORITY, 10),
    "default_priority": (LOWEST_PRIORITY, 10),
    "default_lifetime": (1, 2**53),
    "coalesce_after": (1, 1_000),
}

Compare = Callable[[ServiceTypeDescription, ServiceTypeDescription], Sequence[Difference]]


@dataclass(slots=True)
class _Evolver:
    id: str
    digest: str = ""
    address: str = ""
    principal: str = ""


class Changes:
    """Evolvers, subscribers, and notices on their way.

    Args:
        new_origin: Draws the id of the channel.
        describe: The interface of an id in IDL; None if nobody knows it.
        compare: In what two service types differ; None if nobody can say.
    """

    name: Final = NAME

    def __init__(
        self,
        new_origin: Callable[[], str],
        describe: Callable[[str], str | None] = lambda _: None,
        compare: Compare | None = None,
    ) -> None:
        self._new_origin = new_origin
        self._describe = describe
        self._compare = compare
        self._settings = r.ChangeSettings()
        self._evolvers: dict[str, _Evolver] = {}
        self._subscribers: dict[str, Subscriber] = {}
        self._pending = Pending(NAME, _VERSION)
        self._has_channel = False
        self._to_put: dict[tuple[str, str], None] = {}
        self._effects: list[object] = []
        self._handlers: dict[type, Callable[[Any, int], object]] = {
            r.RegisterSubscriber: self._register_subscriber,
            r.UnregisterSubscriber: self._unregister_subscriber,
            r.GetAdminSubscriber: self._get_admin,
            r.SeeSubscribers: self._see_subscribers,
            r.SeeSubscriber: lambda asked, _: self.subscriber(asked.subscriber).info(),
            r.CreateProxySubscriber: self._create_proxy,
            r.DestroyProxySubscriber: self._destroy_proxy,
            r.DestroyAllProxySubscribers: self._destroy_all,
            r.SeeProxySubscriber: self._see_proxy,
            r.ConnectProxySubscriber: self._connect,
            r.DisconnectProxySubscriber: self._disconnect,
            r.SetSubscriberQoS: self._set_qos,
            r.AddSubscriberFilter: self._add_filter,
            r.RemoveSubscriberFilter: self._remove_filter,
            r.RemoveSubscriberFilters: self._remove_filters,
            r.RegisterEvolver: self._register_evolver,
            r.UnregisterEvolver: self._unregister_evolver,
            r.SeeEvolvers: self._see_evolvers,
            r.AnnounceChanges: self._announce,
            r.SeeChangeSettings: lambda *_: self._settings,
            r.SetChangeSettings: self._set,
            r.SeeChangeStatus: self._see_status,
            r.SubscriptionPut: self._subscription_put,
            r.NoticesPublished: self._published,
            r.NoticesDelayed: self._delayed,
            OffersChanged: self._offers_changed,
        }
        self.requests = tuple(self._handlers)

    @property
    def wake_at(self) -> int | None:
        """When notices may be published, or subscriptions have to be put."""
        return 0 if self._to_put else self._pending.wake_at

    def handle_many(self, commands: Sequence[Any], now: int) -> Handled:
        """Run commands; hand out notices and subscriptions that wait."""
        answers = answer_each(self._handlers, commands, now)
        if self._to_put or self._pending.wake_at is not None:
            self._put_channel()
        for place in list(self._to_put)[:MOST_PUT]:
            del self._to_put[place]
            self._put(*place)
        publish = self._pending.next(now)
        if publish is not None:
            self._effects.append(publish)
        effects, self._effects = self._effects, []
        return answers, effects

    # For who decides on rights.

    def subscriber(self, id: str) -> Subscriber:
        """Return a subscriber, or raise NotFoundSubscriberID."""
        found = self._subscribers.get(id)
        if found is None:
            raise NotFoundSubscriberID(f"no subscriber {shortened(id)} is registered")
        return found

    def evolver(self, id: str) -> _Evolver:
        """Return a service evolver, or raise NotFoundPublisherID."""
        found = self._evolvers.get(id)
        if found is None:
            raise NotFoundPublisherID(
                f"no service evolver {shortened(id)} is registered: only registered ones may "
                "announce changes"
            )
        return found

    # Subscribers.

    def _register_subscriber(self, asked: r.RegisterSubscriber, _: int) -> None:
        _check_hashed(asked)
        id, most = _checked_id("subscriber", asked.subscriber), self._settings.max_subscribers
        if id in self._subscribers:
            raise DuplicatedSubscriberID(f"there is a subscriber {id} already")
        if len(self._subscribers) >= (most or MOST_SUBSCRIBERS):
            raise ExceedSubscriberLimit(
                f"{len(self._subscribers)} subscribers are registered, as many as may be "
                "(max_subscribers)"
            )
        principals = (asked.principal,) if asked.principal else ()
        self._keep(Subscriber(id=id, digest=asked.digest, principals=principals))

    def _unregister_subscriber(self, asked: r.UnregisterSubscriber, _: int) -> None:
        found = self.subscriber(asked.subscriber)
        for proxy in list(found.proxies):
            self._drop_proxy(found, proxy)
        del self._subscribers[found.id]
        self._effects.append(Keep(NAME, f"subscriber {found.id}", None))

    def _get_admin(self, asked: r.GetAdminSubscriber, _: int) -> r.SubscriberInfo:
        found = self.subscriber(asked.subscriber)
        if asked.principal and asked.principal not in found.principals:
            found.principals += (asked.principal,)
            self._keep(found)
        return found.info()

    def _see_subscribers(self, asked: r.SeeSubscribers, _: int) -> tuple[r.SubscriberInfo, ...]:
        ids = sorted(id for id in self._subscribers if id > asked.after_name)
        most = max(0, min(asked.most, MOST_AT_ONCE))
        return tuple(self._subscribers[id].info() for id in ids[:most])

    def _create_proxy(self, asked: r.CreateProxySubscriber, _: int) -> str:
        found = self.subscriber(asked.subscriber)
        made = found.create(asked.type)
        self._changed(found, made.id)
        return made.id

    def _destroy_proxy(self, asked: r.DestroyProxySubscriber, _: int) -> None:
        found = self.subscriber(asked.subscriber)
        self._drop_proxy(found, found.find(asked.proxy_id).id)
        self._keep(found)

    def _destroy_all(self, asked: r.DestroyAllProxySubscribers, _: int) -> None:
        found = self.subscriber(asked.subscriber)
        for proxy in list(found.proxies):
            self._drop_proxy(found, proxy)
        self._keep(found)

    def _drop_proxy(self, subscriber: Subscriber, proxy: str) -> None:
        del subscriber.proxies[proxy]
        self._to_put.pop((subscriber.id, proxy), None)
        self._effects.append(r.EndSubscription(CHANNEL, subscriber.subscription(proxy)))

    def _see_proxy(self, asked: r.SeeProxySubscriber, _: int) -> r.ProxySubscriberInfo:
        found = self.subscriber(asked.subscriber)
        return found.proxy_info(found.find(asked.proxy_id))

    def _connect(self, asked: r.ConnectProxySubscriber, _: int) -> None:
        found = self.subscriber(asked.subscriber)
        proxy, most = found.find(asked.proxy_id), self._settings.max_connected_subscribers
        if proxy.connected:
            raise AlreadyConnected(f"subscriber {found.id} is connected to {proxy.id} already")
        if most and not found.is_connected and self._connected() >= most:
            raise ExceedConnectSubscriberLimit(
                f"{most} subscribers are connected, as many as may be (max_connected_subscribers)"
            )
        proxy.connected, proxy.address = True, asked.address
        self._keep(found)
        if proxy.problem:  # perhaps there is room for it now
            self._to_put[found.id, proxy.id] = None

    def _disconnect(self, asked: r.DisconnectProxySubscriber, _: int) -> None:
        found = self.subscriber(asked.subscriber)
        proxy = found.find(asked.proxy_id)
        if not proxy.connected:
            raise AlreadyDisconnected(f"subscriber {found.id} is not connected to {proxy.id}")
        proxy.connected, proxy.address = False, ""
        self._keep(found)
        told = r.SubscriberDisconnected(CHANNEL, found.subscription(proxy.id))
        self._effects.append(told)

    def _connected(self) -> int:
        return sum(one.is_connected for one in self._subscribers.values())

    # Quality of service and filters.

    def _set_qos(self, asked: r.SetSubscriberQoS, _: int) -> None:
        found, holder = self._holder(asked)
        holder.qos |= checked_qos(asked.properties, self._settings)
        self._changed(found, asked.proxy_id)

    def _add_filter(self, asked: r.AddSubscriberFilter, _: int) -> str:
        found, holder = self._holder(asked)
        id = holder.add_filter(asked.filter)
        try:
            for proxy in found.proxies.values():  # all of them can be joined
                found.put(proxy, self._settings)
        except LimitExceeded:
            del holder.filters[id]
            raise
        self._filters_changed(found, asked.proxy_id)
        return id

    def _remove_filter(self, asked: r.RemoveSubscriberFilter, _: int) -> None:
        found, holder = self._holder(asked)
        holder.find_filter(asked.filter_id)
        del holder.filters[asked.filter_id]
        self._filters_changed(found, asked.proxy_id)

    def _remove_filters(self, asked: r.RemoveSubscriberFilters, _: int) -> None:
        found, holder = self._holder(asked)
        holder.filters.clear()
        self._filters_changed(found, asked.proxy_id)

    def _holder(self, asked: Any) -> tuple[Subscriber, Holder]:  # noqa: ANN401 -- one of several
        found = self.subscriber(asked.subscriber)
        return found, found.find(asked.proxy_id) if asked.proxy_id else found

    def _filters_changed(self, subscriber: Subscriber, proxy: str) -> None:
        self._changed(subscriber, *([proxy] if proxy else subscriber.proxies))

    def _changed(self, subscriber: Subscriber, *proxies: str) -> None:
        """Keep a subscriber, and bring some of its subscriptions up to date at once."""
        self._keep(subscriber)
        self._put_channel()
        for proxy in filter(None, proxies):
            self._put(subscriber.id, proxy)

    def _put(self, subscriber: str, proxy: str) -> None:
        found = self._subscribers[subscriber]
        self._effects.append(found.put(found.proxies[proxy], self._settings))

    def _put_channel(self) -> None:
        if not self._has_channel:
            self._has_channel = True
            put = r.PutChannel(
                CHANNEL,
                self._new_origin(),
                self._settings.max_queue_length,
                self._settings.discard_policy,
            )
            self._effects.append(put)

    def _put_all(self) -> None:
        self._to_put = {
            (one.id, proxy): None for one in self._subscribers.values() for proxy in one.proxies
        }

    def _subscription_put(self, told: r.SubscriptionPut, _: int) -> None:
        subscriber, _slash, proxy = told.name.rpartition("/")
        found = self._subscribers.get(subscriber)
        if found is not None and proxy in found.proxies:
            found.proxies[proxy].problem = told.problem

    # Evolvers.

    def _register_evolver(self, asked: r.RegisterEvolver, _: int) -> None:
        _check_hashed(asked)
        id = _checked_id("evolver", asked.evolver)
        if id in self._evolvers:
            raise DuplicatedPublisherID(f"there is a service evolver {id} already")
        if len(self._evolvers) >= MOST_EVOLVERS:
            raise TooManyObjects(f"{MOST_EVOLVERS} service evolvers are registered already")
        made = self._evolvers[id] = _Evolver(id, asked.digest, asked.address, asked.principal)
        self._effects.append(Keep(NAME, f"evolver {id}", _state(made)))

    def _unregister_evolver(self, asked: r.UnregisterEvolver, _: int) -> None:
        del self._evolvers[self.evolver(asked.evolver).id]
        self._effects.append(Keep(NAME, f"evolver {asked.evolver}", None))

    def _see_evolvers(self, *_: object) -> tuple[r.EvolverInfo, ...]:
        return tuple(
            r.EvolverInfo(one.id, one.address, one.principal, bool(one.digest))
            for _, one in sorted(self._evolvers.items())
        )

    def _announce(self, asked: r.AnnounceChanges, now: int) -> tuple[str, ...]:
        self.evolver(asked.evolver)
        if not 1 <= len(asked.changes) <= MOST_AT_ONCE:
            raise InvalidUsage(
                f"1 to {MOST_AT_ONCE} changes are announced at once, not {len(asked.changes)}"
            )
        notices = []
        for at, change in enumerate(asked.changes):
            try:
                notices.append(replace(self._announced(change, now), evolver=asked.evolver))
            except InvalidEvent as error:
                raise error.inside(f"changes[{at}]") from error.__cause__
        told = self._add(notices)
        if len(told) < len(notices):
            raise LimitExceeded("too many notices wait to be published: try again later")
        return tuple(told)

    def _announced(self, change: r.Announcement, now: int) -> Notice:
        """Return the notice of an announced change, or raise InvalidEvent."""
        needed = {
            ChangeKind.CHANGE_TYPE: ("before", "after"),
            ChangeKind.INSTANTIATION_SERVICE: ("after",),
        }.get(change.kind, ("before",))
        for name in needed:
            if getattr(change, name) is None:
                raise InvalidEvent(f"{change.kind.name} describes the service here", name)
        settings = self._settings
        priority = settings.default_priority if change.priority is None else change.priority
        if not LOWEST_PRIORITY <= priority <= settings.highest_priority:
            raise InvalidEvent(
                f"is {LOWEST_PRIORITY} to {settings.highest_priority}, not {priority}", "priority"
            )
        given = {one.name: getattr(change, one.name) for one in fields(change)}
        expiry = now + settings.default_lifetime if change.expiry is None else change.expiry
        made = Notice("", time_indicator=TimeIndicator.ADVANCE, timestamp=now,
                      **given | {"priority": priority, "expiry": expiry})  # fmt: skip
        made = self._compared(made)
        event_of(made)  # which refuses what no event can have
        return made

    # Changes that the trader tells of.

    def _offers_changed(self, told: OffersChanged, now: int) -> None:
        if self._settings.detect:
            self._add([self._detected(one, now) for one in told.changes])

    def _detected(self, change: OfferChange, now: int) -> Notice:
        before, after = change.before, change.after
        kind = ChangeKind.CHANGE_TYPE
        if before is None:
            kind = ChangeKind.INSTANTIATION_SERVICE
        elif after is None:
            kind = ChangeKind.REMOVAL_SERVICE
        elif before.id == after.id:
            kind, after = ChangeKind.CHANGE_PROPERTY_VAL, None
        told = change.before or change.after
        made = Notice(
            "", kind, TimeIndicator.IMMEDIATE, self._settings.default_priority, now,
            now + self._settings.default_lifetime, None, self._described(before),
            self._described(after), _shown(change.deleted), _shown(change.modified),
            offer="" if told is None else told.id,
        )  # fmt: skip
        return self._compared(made)

    def _described(self, offer: OfferState | None) -> ServiceDescription | None:
        if offer is None:
            return None
        return ServiceDescription(self._type(offer.type), _shown(offer.properties), offer.reference)

    def _type(self, type_: ServiceType) -> ServiceTypeDescription:
        idl = self._describe(type_.interface) if type_.interface else None
        return ServiceTypeDescription(
            type_.name, type_.super_types, type_.properties, type_.interface, idl or ""
        )

    def _compared(self, notice: Notice) -> Notice:
        """Return a notice of another type with the differences of the two."""
        is_change = notice.before is not None and notice.after is not None
        if self._compare is None or not is_change:
            return notice
        assert notice.before is not None
        assert notice.after is not None
        found = tuple(self._compare(notice.before.type, notice.after.type))
        compatible = all(one.compatible for one in found)
        return replace(notice, differences=found, compatible=compatible)

    # Notices.

    def _add(self, notices: Sequence[Notice]) -> list[str]:
        ids, kept = self._pending.add(notices, self._settings.coalesce_after)
        self._effects += [*kept, Keep(NAME, _COUNTERS, self._counters())]
        return ids

    def _published(self, told: r.NoticesPublished, _: int) -> None:
        self._effects += self._pending.published(told.upto, told.refused)

    def _delayed(self, told: r.NoticesDelayed, now: int) -> None:
        self._pending.delayed(told.problem, now)
        if told.channel_missing:
            self._has_channel = False
            self._put_all()

    # Settings and state.

    def _set(self, asked: r.SetChangeSettings, _: int) -> None:
        given = {one.name: getattr(asked, one.name) for one in fields(asked)}
        given = {name: value for name, value in given.items() if value is not None}
        for name, value in given.items():
            low, high = _MOST.get(name, (0, 2**31 - 1))
            if type(value) is int and not low <= value <= high:
                raise InvalidUsage(f"{name} is a number from {low} to {high}, not {value}")
        changed = replace(self._settings, **given)
        if changed.default_priority > changed.highest_priority:
            raise InvalidUsage(
                f"default_priority is {changed.default_priority}, more than the highest, "
                f"{changed.highest_priority}"
            )
        self._settings = changed
        self._effects.append(Keep(NAME, _SETTINGS, _state(changed)))
        self._has_channel = False  # so that its admin properties are set
        self._put_all()

    def _see_status(self, *_: object) -> r.ChangeStatus:
        pending = self._pending
        return r.ChangeStatus(
            len(self._subscribers), self._connected(), len(self._evolvers), pending.last,
            len(pending), pending.coalesced, pending.lost, pending.problem,
        )  # fmt: skip

    # The journal.

    def _keep(self, subscriber: Subscriber) -> None:
        self._subscribers[subscriber.id] = subscriber
        state = {"version": _VERSION, **subscriber.state()}
        self._effects.append(Keep(NAME, f"subscriber {subscriber.id}", state))

    def _counters(self) -> State:
        return {
            "version": _VERSION,
            "notice": self._pending.last,
            "transaction": self._pending.transactions,
        }

    def snapshot(self) -> Iterator[tuple[str, State]]:
        """Everything; each object as it is when it is reached."""
        yield _COUNTERS, self._counters()
        yield _SETTINGS, _state(self._settings)
        for evolver in list(self._evolvers.values()):
            yield f"evolver {evolver.id}", _state(evolver)
        for subscriber in list(self._subscribers.values()):
            yield f"subscriber {subscriber.id}", {"version": _VERSION, **subscriber.state()}
        yield from self._pending.snapshot()

    def restore(self, states: Mapping[str, State]) -> Sequence[str]:
        """Take everything back; subscriptions are brought up to date afterwards."""
        for key, state in states.items():
            if state.get("version") != _VERSION:
                raise StoreError(
                    f"{key} of service changes was written in form {state.get('version')!r}; "
                    f"this version of Tidings reads {_VERSION}"
                )
        try:
            self._restore(states)
        except (msgspec.ValidationError, KeyError, TypeError, ValueError, BadInput) as error:
            raise StoreError(f"kept service changes cannot be understood: {error}") from error
        return ()

    def _restore(self, states: Mapping[str, State]) -> None:
        kinds: dict[str, dict[str, State]] = {"subscriber": {}, "evolver": {}, "notice": {}}
        for key, state in states.items():
            kinds.get(key.partition(" ")[0], {})[key] = state
        for state in kinds["subscriber"].values():
            subscriber = subscriber_of(state)
            self._subscribers[subscriber.id] = subscriber
        for state in kinds["evolver"].values():
            evolver = msgspec.convert(_without_version(state), _Evolver)
            self._evolvers[evolver.id] = evolver
        counters = states.get(_COUNTERS, {})
        self._pending.last = counters.get("notice", 0)
        self._pending.transactions = counters.get("transaction", 0)
        self._pending.restore(kinds["notice"])
        if _SETTINGS in states:
            self._settings = msgspec.convert(_without_version(states[_SETTINGS]), r.ChangeSettings)
        self._put_all()


def _check_hashed(asked: r.RegisterSubscriber | r.RegisterEvolver) -> None:
    if asked.password is not None:
        raise InvalidUsage("only a digest of a password is kept: register as a question")


def _checked_id(what: str, id: str) -> str:
    if _ID.fullmatch(id) is None:
        raise InvalidUsage(
            f"{shortened(id)} is not the id of a {what}: 1 to 64 letters, digits and . _ @ + -"
        )
    return id


def _shown(properties: Mapping[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in properties.items() if nesting(value) <= DEEPEST}


def _state(value: r.ChangeSettings | _Evolver) -> State:
    return {"version": _VERSION, **msgspec.to_builtins(value)}


def _without_version(state: State) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name != "version"}
