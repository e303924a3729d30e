"""Subscribers with their proxies, as they are kept, and as subscriptions to the channel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from tidings.changes import requests as r
from tidings.changes.filters import checked_content, constraints_of
from tidings.changes.pending import CHANNEL
from tidings.changes.qos import at_channel, overrides
from tidings.errors import (
    AlreadyHaveTheType,
    ExceedProxyLimit,
    FilterNotFound,
    LimitExceeded,
    NotFoundProxy,
)
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_text import parse_json, write_json
from tidings.events.codecs.json_values import value_from_plain, value_to_plain
from tidings.events.texts import shortened

MOST_FILTERS: Final = 100
"""Filters of one proxy or subscriber."""


@dataclass(slots=True)
class Holder:
    """What has quality of service and filters."""

    qos: dict[str, Value] = field(default_factory=dict)
    filters: dict[str, r.FilterContent] = field(default_factory=dict)
    last_filter: int = 0

    def add_filter(self, content: r.FilterContent) -> str:
        """Add a filter; return its id."""
        if len(self.filters) >= MOST_FILTERS:
            raise LimitExceeded(f"there are {MOST_FILTERS} filters already: remove one first")
        checked_content(content)
        self.last_filter += 1
        id = f"F{self.last_filter}"
        self.filters[id] = content
        return id

    def find_filter(self, id: str) -> r.FilterContent:
        """Return a filter, or raise FilterNotFound."""
        if id not in self.filters:
            raise FilterNotFound(f"there is no filter {shortened(id)}")
        return self.filters[id]


@dataclass(slots=True)
class ProxySubscriber(Holder):
    """A proxy."""

    id: str = ""
    type: r.ProxyType = r.ProxyType.PUSH_STRUCTURED
    connected: bool = False
    address: str = ""
    problem: str = ""


@dataclass(slots=True)
class Subscriber(Holder):
    """A subscriber, and its proxies by id."""

    id: str = ""
    digest: str = ""
    principals: tuple[str, ...] = ()
    last_proxy: int = 0
    proxies: dict[str, ProxySubscriber] = field(default_factory=dict)

    @property
    def is_connected(self) -> bool:
        """Whether it is connected to one of its proxies."""
        return any(one.connected for one in self.proxies.values())

    def find(self, id: str) -> ProxySubscriber:
        """Return a proxy, or raise NotFoundProxy."""
        found = self.proxies.get(id)
        if found is None:
            raise NotFoundProxy(f"subscriber {self.id} has no proxy {shortened(id)}")
        return found

    def create(self, type_: r.ProxyType) -> ProxySubscriber:
        """Create a proxy, with the subscriber's quality of service."""
        for one in self.proxies.values():
            if one.type is type_:
                raise AlreadyHaveTheType(
                    f"subscriber {self.id} has the proxy {one.id} of the type {type_.name} already"
                )
        if len(self.proxies) >= len(r.ProxyType):
            raise ExceedProxyLimit(f"subscriber {self.id} has {len(self.proxies)} proxies already")
        self.last_proxy += 1
        made = ProxySubscriber(dict(self.qos), id=f"PS{self.last_proxy:02}", type=type_)
        self.proxies[made.id] = made
        return made

    def subscription(self, proxy: str) -> str:
        """Return the name of a proxy's subscription."""
        return f"{self.id}/{proxy}"

    def put(self, proxy: ProxySubscriber, settings: r.ChangeSettings) -> r.PutSubscription:
        """Return the request for a proxy's subscription."""
        return r.PutSubscription(
            CHANNEL,
            self.subscription(proxy.id),
            proxy.type.pulls,
            proxy.type.is_sequence,
            at_channel(proxy.qos, settings),
            constraints_of(proxy.filters, self.filters),
            overrides(proxy.qos),
            next(iter(self.principals), ""),
        )

    def info(self) -> r.SubscriberInfo:
        """Return what is shown of it."""
        return r.SubscriberInfo(
            self.id,
            self.principals,
            bool(self.digest),
            dict(self.qos),
            dict(self.filters),
            tuple(self.proxy_info(one) for one in self.proxies.values()),
        )

    def proxy_info(self, proxy: ProxySubscriber) -> r.ProxySubscriberInfo:
        """Return what is shown of a proxy."""
        return r.ProxySubscriberInfo(
            proxy.id,
            proxy.type,
            self.subscription(proxy.id),
            proxy.connected,
            proxy.address,
            dict(proxy.qos),
            dict(proxy.filters),
            proxy.problem,
        )

    def state(self) -> dict[str, Any]:
        """Return what is kept of it."""
        return {
            "id": self.id,
            "digest": self.digest,
            "principals": list(self.principals),
            "last_proxy": self.last_proxy,
            **_held(self),
            "proxies": [
                {
                    "id": one.id,
                    "type": one.type.value,
                    "connected": one.connected,
                    "address": one.address,
                    **_held(one),
                }
                for one in self.proxies.values()
            ],
        }


def subscriber_of(state: Mapping[str, Any]) -> Subscriber:
    """Return a subscriber from what was kept of it."""
    made = Subscriber(
        *_holder(state),
        id=state["id"],
        digest=state["digest"],
        principals=tuple(state["principals"]),
        last_proxy=state["last_proxy"],
    )
    for one in state["proxies"]:
        made.proxies[one["id"]] = ProxySubscriber(
            *_holder(one),
            id=one["id"],
            type=r.ProxyType(one["type"]),
            connected=one["connected"],
            address=one["address"],
        )
    return made


def _held(holder: Holder) -> dict[str, Any]:
    return {
        "qos": write_json(value_to_plain(holder.qos)).decode(),
        "filters": {id: msgspec.to_builtins(one) for id, one in holder.filters.items()},
        "last_filter": holder.last_filter,
    }


def _holder(state: Mapping[str, Any]) -> tuple[dict[str, Value], dict[str, r.FilterContent], int]:
    qos = value_from_plain(parse_json(state["qos"]))
    assert isinstance(qos, dict)
    filters = msgspec.convert(state["filters"], dict[str, r.FilterContent])
    return qos, filters, state["last_filter"]
