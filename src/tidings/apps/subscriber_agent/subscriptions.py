"""What people want to hear of: registered subscribers with a filter and a proxy each."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from tidings.changes.requests import (
    AddSubscriberFilter,
    CreateProxySubscriber,
    FilterContent,
    FilterEvents,
    ProxySubscriberInfo,
    ProxyType,
    RegisterSubscriber,
    RemoveSubscriberFilter,
    SeeSubscriber,
    SubscriberInfo,
    TraderFilter,
    UnregisterSubscriber,
)
from tidings.client.client import Client
from tidings.errors import InvalidUsage, NotFound

_TYPE: Final = ProxyType.PUSH_XML

Subscriber = Annotated[str, Field(min_length=1, max_length=64)]


class Pick(BaseModel):
    """Services of a type; a constraint over their properties, blank for all."""

    model_config = ConfigDict(extra="forbid")

    type: Annotated[str, Field(min_length=1, max_length=256)]
    constraint: Annotated[str, Field(max_length=4_000)] = ""


class Wish(BaseModel):
    """What a person wants to hear of; with no services and no references, of all."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    changes: bool = True
    new: bool = True
    services: Annotated[list[Pick], Field(max_length=100)] = []
    references: Annotated[list[str], Field(max_length=100)] = []

    def content(self) -> FilterContent:
        """Return it as the content of a filter."""
        if not (self.changes or self.new):
            raise InvalidUsage("choose changes of services, new services, or both")
        events = FilterEvents.CHANGE_AND_INSTATIATION_SERVICE_EVENT
        if not self.new:
            events = FilterEvents.CHANGE_SERVICE_EVENT
        elif not self.changes:
            events = FilterEvents.INSTANTIATION_SERVICE_EVENT
        picked = tuple(TraderFilter(one.type, one.constraint) for one in self.services)
        return FilterContent(events, picked, tuple(self.references))


def wish_of(content: FilterContent) -> Wish:
    """Return the wish that a filter stands for."""
    return Wish(
        changes=content.events is not FilterEvents.INSTANTIATION_SERVICE_EVENT,
        new=content.events is not FilterEvents.CHANGE_SERVICE_EVENT,
        services=[Pick(type=one.type, constraint=one.constraint) for one in content.services],
        references=list(content.references),
    )


async def see_wish(client: Client, subscriber: str) -> Wish | None:
    """Return what a subscriber wants to hear of; None if there is no such subscriber."""
    found = await _seen(client, subscriber)
    return None if found is None else wish_of(next(iter(found.filters.values()), FilterContent()))


async def subscribe(client: Client, subscriber: str, wish: Wish) -> None:
    """Register a subscriber, or change what it wants to hear of."""
    content = wish.content()
    found = await _seen(client, subscriber)
    if found is None:
        await client.transport.request(RegisterSubscriber(subscriber))
    # The new filter comes before the old ones go, and the proxy last: without a filter all passes.
    before = {} if found is None else found.filters
    await client.transport.ask(AddSubscriberFilter(subscriber, content))
    for filter in before:
        await client.transport.ask(RemoveSubscriberFilter(subscriber, filter))
    if found is None or proxy_of(found) is None:
        await client.transport.ask(CreateProxySubscriber(subscriber, _TYPE))


async def unsubscribe(client: Client, subscriber: str) -> None:
    """End a subscriber with all that waits for it."""
    await client.transport.request(UnregisterSubscriber(subscriber))


async def see_proxy(client: Client, subscriber: str) -> ProxySubscriberInfo:
    """Return the proxy through which a page of a subscriber gets its notices."""
    found = await _seen(client, subscriber)
    proxy = None if found is None else proxy_of(found)
    if proxy is None:
        raise NotFound(f"nobody has picked services as {subscriber}")
    return proxy


def proxy_of(found: SubscriberInfo) -> ProxySubscriberInfo | None:
    """Return the proxy of our type."""
    return next((one for one in found.proxies if one.type is _TYPE), None)


async def _seen(client: Client, subscriber: str) -> SubscriberInfo | None:
    try:
        return await client.transport.request(SeeSubscriber(subscriber))
    except NotFound:
        return None
