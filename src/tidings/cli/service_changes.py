"""`tidings service-changes …`: what changes in the services of the trader, and who is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from tidings.changes import requests as r
from tidings.changes.model import (
    ChangeKind,
    Notice,
    ServiceDescription,
    ServiceTypeDescription,
)
from tidings.changes.notice_event import DOMAIN, notice_of
from tidings.changes.pending import CHANNEL
from tidings.cli import showing
from tidings.cli.connection import service_command
from tidings.cli.options import Most, commands, group, option
from tidings.cli.pairs import pairs
from tidings.cli.reading import moment
from tidings.errors import AlreadyConnected, ChannelNotFound, InvalidUsage
from tidings.events.codecs.json_values import value_from_plain, value_to_plain
from tidings.terminal import render
from tidings.trader import requests as t

if TYPE_CHECKING:
    from tidings.client.client import Client

app = commands()
changes = group(app, "service-changes", "What changes in the trader's services, and who is told.")

Subscriber = Annotated[str, option("<SUBSCRIBER>", "The subscriber's id.")]
Evolver = Annotated[str, option("<EVOLVER>", "The service evolver's id.")]
Password = Annotated[str | None, option("--password TEXT", "Its password.")]

_WORDS: Final = {
    ChangeKind.CHANGE_TYPE: "changes its type",
    ChangeKind.CHANGE_PROPERTY_VAL: "changes",
    ChangeKind.REMOVAL_SERVICE: "goes",
    ChangeKind.INSTANTIATION_SERVICE: "is new",
}
_KINDS: Final = {
    "all": r.FilterEvents.CHANGE_AND_INSTATIATION_SERVICE_EVENT,
    "changes": r.FilterEvents.CHANGE_SERVICE_EVENT,
    "new": r.FilterEvents.INSTANTIATION_SERVICE_EVENT,
}


# Subscribers.


@service_command(
    changes,
    "tidings service-changes subscribe ann --type Bank --where '$ReservedFund > 100000'",
    "tidings service-changes subscribe ann --kinds new",
)
async def subscribe(
    client: Client,
    subscriber: Subscriber,
    kinds: str = "all",
    types: list[str] | None = None,
    where: str = "",
    objects: list[str] | None = None,
    password: Password = None,
) -> None:
    """Register a subscriber with one proxy, whose notices wait from now on.

    Options:
        kinds WORD: Notices of `all` changes, of `changes` without new services, or of `new` ones.
        types --type TYPE: Only services of this type. Repeatable.
        where CONSTRAINT: Only those whose properties match.
        objects --object REFERENCE: Also about this object. Repeatable.
    """
    if kinds not in _KINDS:
        raise InvalidUsage(f"--kinds is {', '.join(_KINDS)}, not {kinds!r}")
    if where and not types:
        raise InvalidUsage("--where is about services of a type: give --type, too")
    services = tuple(r.TraderFilter(one, where) for one in types or ())
    wanted = r.FilterContent(_KINDS[kinds], services, tuple(objects or ()))
    await client.transport.request(r.RegisterSubscriber(subscriber, password))
    ask = client.transport.ask
    proxy = await ask(r.CreateProxySubscriber(subscriber, r.ProxyType.PUSH_STRUCTURED))
    await ask(r.AddSubscriberFilter(subscriber, wanted, proxy))
    name = f"{subscriber}/{proxy}"
    told = f"{subscriber} is registered; `tidings service-changes watch {subscriber}` shows notices"
    render.result({"subscriber": subscriber, "subscription": name}, told)


@service_command(changes, "tidings service-changes unsubscribe ann")
async def unsubscribe(client: Client, subscriber: Subscriber, password: Password = None) -> None:
    """End a subscriber; notices that wait for it are lost."""
    await client.transport.request(r.UnregisterSubscriber(subscriber, password))
    render.result({"unregistered": subscriber}, f"{subscriber} is not registered any more")


@service_command(changes, "tidings service-changes list", name="list")
async def list_(client: Client) -> None:
    """List subscribers with their proxies and filters."""
    found = await client.transport.request(r.SeeSubscribers(most=1_000))
    rows = [
        (one.id, proxy.id, proxy.type.name.lower(), "connected" if proxy.connected else "",
         "; ".join(map(_filter_text, (*one.filters.values(), *proxy.filters.values()))),
         proxy.problem)
        for one in found for proxy in one.proxies
    ]  # fmt: skip
    headings = ("subscriber", "proxy", "type", "", "filters", "problem")
    none = "nobody subscribes; `tidings service-changes subscribe` does"
    render.listing(headings, rows, (), map(showing.as_data, found), none)


def _filter_text(one: r.FilterContent) -> str:
    (kinds,) = (word for word, events in _KINDS.items() if events is one.events)
    services = (f"{each.type} {each.constraint}".rstrip() for each in one.services)
    return f"{kinds}: {', '.join((*services, *one.references)) or 'any service'}"


@service_command(
    changes, "tidings service-changes watch", "tidings service-changes watch ann --most 1 --json"
)
async def watch(client: Client, subscriber: str = "", most: Most | None = None) -> None:
    """Show notices: those that wait for a subscriber and its next ones, or all from now on.

    Options:
        subscriber <[SUBSCRIBER]>: A subscriber; without one, everything that happens.
    """
    name, proxy = "", ""
    if subscriber:
        found = await client.transport.request(r.SeeSubscriber(subscriber))
        one = next((one for one in found.proxies if not one.type.pulls), None)
        if one is None:
            raise InvalidUsage(f"subscriber {subscriber} has no proxy that pushes")
        name, proxy = one.subscription, one.id
        try:
            await client.transport.ask(r.ConnectProxySubscriber(subscriber, proxy))
        except AlreadyConnected:
            proxy = ""  # who has connected it disconnects it
    try:
        subscription = await client.subscribe(CHANNEL, name=name)
    except ChannelNotFound as error:
        raise InvalidUsage("nothing has changed yet, and nobody subscribes") from error
    try:
        count = 0
        async with subscription:
            async for message in subscription:
                if message.event.domain == DOMAIN:
                    _show(notice_of(message.event))
                    count += 1
                if count == most:
                    break
    finally:
        if proxy:
            await client.transport.ask(r.DisconnectProxySubscriber(subscriber, proxy))


def _show(notice: Notice) -> None:
    if render.is_json():
        render.as_json(showing.as_data(notice))
        return
    service, when = notice.described, showing.moment_text(notice.timestamp)
    about = notice.offer or service.type.name
    in_advance = "" if notice.time_indicator.value else "  announced"
    render.say(f"{when}  {notice.id}{in_advance}  {about} {_WORDS[notice.kind]}")
    for name, value in service.properties.items():
        after = " (deleted)" if name in notice.deleted else ""
        if name in notice.modified:
            after = f" -> {value_to_plain(notice.modified[name])}"
        render.say(f"    {name} = {value_to_plain(value)}{after}")
    for name, value in notice.modified.items():
        if name not in service.properties:
            render.say(f"    {name} = {value_to_plain(value)} (new)")
    if notice.kind is ChangeKind.CHANGE_TYPE and notice.after is not None:
        render.say(f"    the type {service.type.name} becomes {notice.after.type.name}")
    for one in notice.differences:
        render.say(f"    {one.text}{'' if one.compatible else ' (incompatible)'}")
    effective = notice.effective
    for word, text in (
        ("reason", notice.reason),
        ("objective", notice.objective),
        ("takes place", "" if effective is None else showing.moment_text(effective)),
        ("changes", str(notice.changes) if notice.changes > 1 else ""),
        ("more", notice.additional),
    ):
        if text:
            render.say(f"    {word}: {text}")


# Evolvers.


@service_command(changes, "tidings service-changes evolver isel --address https://isel.example")
async def evolver(
    client: Client, evolver: Evolver, address: str = "", password: Password = None
) -> None:
    """Register a service evolver: only such may announce changes.

    Options:
        address TEXT: Where its people are, such as a company's web site.
    """
    await client.transport.request(r.RegisterEvolver(evolver, password, address))
    render.result({"evolver": evolver}, f"service evolver {evolver} may announce changes")


@service_command(changes, "tidings service-changes evolvers")
async def evolvers(client: Client) -> None:
    """List the registered service evolvers."""
    found = await client.transport.request(r.SeeEvolvers())
    rows = [(one.id, one.address, one.principal) for one in found]
    none = "there are none; `tidings service-changes evolver` registers one"
    headings = ("evolver", "address", "principal")
    render.listing(headings, rows, (), map(showing.as_data, found), none)


@service_command(
    changes,
    "tidings service-changes announce isel removal Bank/1 --reason 'the branch closes'",
    "tidings service-changes announce isel change Bank/1 rate:=5.5 --effective 2027-01-01",
    "tidings service-changes announce isel type Bank/1 --to Bank_2",
    "tidings service-changes announce isel new Bank Name=CP-Bank --objective 'more branches'",
)
async def announce(  # noqa: PLR0913, PLR0917 -- what users set
    client: Client,
    evolver: Evolver,
    kind: str,
    subject: str,
    properties: list[str] | None = None,
    to: str = "",
    delete: list[str] | None = None,
    reason: str = "",
    objective: str = "",
    effective: str | None = None,
    additional: str = "",
    priority: int | None = None,
    password: Password = None,
) -> None:
    """Announce a change of an offered service, or a new one.

    Options:
        kind <removal|change|type|new>: What will happen.
        subject <OFFER|TYPE>: The offer that is meant, or the type of a new service.
        properties <[NAME=VALUE]...>: Properties that change, or of a new service.
        to TYPE: The service type that the service will have.
        delete NAME: A property that the service will lose. Repeatable.
        reason TEXT: Why.
        objective TEXT: What a new service is for.
        effective TIME: When it takes place.
        additional TEXT: Anything else.
        priority N: From 1 to 10.
    """
    given = {name: value_from_plain(one) for name, one in pairs(properties or ()).items()}
    told: dict[str, Any] = {}
    if kind == "new":
        told = {"after": ServiceDescription(await _described(client, subject), given)}
        what = ChangeKind.INSTANTIATION_SERVICE
    else:
        offer = await client.transport.request(t.SeeOffer(subject))
        before = ServiceDescription(
            await _described(client, offer.type), offer.properties, offer.reference
        )
        told = {"before": before, "offer": subject}
        if kind == "removal":
            what = ChangeKind.REMOVAL_SERVICE
        elif kind == "change":
            what = ChangeKind.CHANGE_PROPERTY_VAL
            lost = {name: offer.properties.get(name) for name in delete or ()}
            told |= {"modified": given, "deleted": lost}
        elif kind == "type" and to:
            what = ChangeKind.CHANGE_TYPE
            kept = dict(offer.properties) | given
            told["after"] = ServiceDescription(await _described(client, to), kept, offer.reference)
        else:
            raise InvalidUsage("a change is removal, change, new, or type with --to TYPE")
    change = r.Announcement(
        what, **told, reason=reason, objective=objective, additional=additional,
        effective=None if effective is None else moment(effective), priority=priority,
    )  # fmt: skip
    asked = r.AnnounceChanges(evolver, (change,), password)
    (id,) = await client.transport.request(asked)
    render.result({"notice": id}, f"announced as {id}")


async def _described(client: Client, name: str) -> ServiceTypeDescription:
    full = await client.transport.request(t.SeeFullServiceType(name))
    return ServiceTypeDescription(full.name, full.super_types, full.properties, full.interface)


@service_command(changes, "tidings service-changes status")
async def status(client: Client) -> None:
    """Show who is registered, and which notices wait to be published."""
    found = await client.transport.request(r.SeeChangeStatus())
    data = showing.as_data(found)
    showing.show_object(data, [(name, str(value)) for name, value in data.items() if value != ""])
