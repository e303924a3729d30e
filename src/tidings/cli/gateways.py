"""`tidings gateway …`: gateways join the service with other event services."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec

from tidings.cli import showing
from tidings.cli.connection import service_command
from tidings.cli.options import command, commands, group, option
from tidings.cli.pairs import pairs
from tidings.errors import Forbidden, InvalidUsage, NotFound, TidingsError, WrongState
from tidings.federation import requests as r
from tidings.federation.capabilities import CONTEXT, Capabilities
from tidings.terminal import render

if TYPE_CHECKING:
    from tidings.client.client import Client

app = commands()
gateways = group(app, "gateway", "What joins the service with other event services.")

Name = Annotated[str, option("<NAME>", "The gateway.")]
What = Annotated[
    str, option("<WHAT>", "A filter: `Speed`, `subject = Speed and rate > 30`, or a constraint.")
]
Source = Annotated[str, option("--for SERVICE", "The event service that wants the events.")]
Targets = Annotated[
    str, option("--at LIST", "Where they are published: services, with * and ?, commas between.")
]

_SETTINGS: Final = ("position",)
_FLOW: Final = ("allow", "deny", "rate", "most_octets")
_TABLES: Final = ("mapping", "outbox")
# How often a probe is looked for, in seconds.
_LOOK: Final = 0.05


def side_of(text: str) -> r.SideConfig:
    """Read `ADAPTER SERVICE KIND field=value…`."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InvalidUsage(f"--side {text!r:.80}: {error}") from error
    if len(words) < 3:
        raise InvalidUsage(
            f"--side {text!r:.80}: it is 'ADAPTER SERVICE KIND field=value…', such as "
            "'m plant mqtt host=10.0.0.7'; `tidings gateway adapters` lists the kinds"
        )
    given: dict[str, Any] = pairs(words[3:])
    flow = {name: given.pop(name) for name in _FLOW if name in given}
    rest: dict[str, Any] = {
        name: given.pop(name) for name in (*_SETTINGS, *_TABLES) if name in given
    }
    if "trusts" in given:
        rest["trusts"] = tuple(str(given.pop("trusts")).split(","))
    adapter, service, kind = words[:3]
    return r.SideConfig(adapter, service, kind, given, flow=r.Flow(**flow), **rest)


@service_command(
    gateways,
    "tidings gateway create tower --side 'r roads tidings channel=roads' "
    "--side 'm plant mqtt host=10.0.0.7'",
)
async def create(client: Client, name: Name, side: list[str], system: str = "tidings") -> None:
    """Create a gateway; it connects at once, and again after every restart of the service.

    `tidings apply` makes gateways from a file, with mappings and keys.

    Options:
        side 'ADAPTER SERVICE KIND field=value…': A service that it joins: the adapter's and the
            service's names in the federation, the kind, and what the adapter needs to know; also
            allow, deny, rate, most_octets, position, and mapping:=JSON, outbox:=JSON. Repeatable.
        system NAME: The federation that it belongs to.
    """
    sides = tuple(map(side_of, side))
    await client.transport.ask(r.CreateGateway(name, sides, system))
    render.result({"created": name}, f"gateway {name} created")


@service_command(gateways, "tidings gateway list", name="list")
async def list_(client: Client) -> None:
    """List the gateways with their sides."""
    found = await client.transport.request(r.SeeGateways())
    rows = [
        (one.name, side.service, side.kind, _state(one, side), str(side.received), str(side.sent),
         str(side.waiting), str(side.set_aside))
        for one in found for side in one.sides
    ]  # fmt: skip
    headings = ("gateway", "service", "kind", "state", "received", "sent", "waiting", "set aside")
    none = "there are no gateways; `tidings gateway create` makes one"
    render.listing(headings, rows, range(4, 8), map(showing.as_data, found), none)


def _state(gateway: r.GatewayInfo, side: r.SideInfo) -> str:
    if gateway.paused:
        return "paused"
    state = f"draining, {side.state.value}" if gateway.draining else side.state.value
    cause = side.cause or (gateway.problem if side.state is r.SideState.STOPPED else "")
    return f"{state}: {cause}" if cause else state


@service_command(gateways, "tidings gateway show tower")
async def show(client: Client, name: Name) -> None:
    """Show a gateway: its sides, what it has counted, and the standing requests it knows."""
    found = await client.transport.request(r.SeeGateway(name))
    asked = r.SeeFederationRequests(name)
    requests = () if found.problem else await client.transport.request(asked)
    if render.is_json():
        data = showing.as_data(found)
        render.as_json({**data, "requests": [showing.as_data(one) for one in requests]})
        return
    counts = (
        "fresh",
        "carried",
        "shared",
        "returned",
        "circled",
        "repeated",
        "unreachable",
        "refused",
    )
    rows = [
        ("name", found.name),
        ("federation", found.system),
        ("state", found.problem or ("draining" if found.draining else "running")),
        *((what, str(getattr(found, what))) for what in counts),
    ]
    if found.last_refusal:
        rows.append(("last refusal", found.last_refusal))
    render.table(("property", "value"), rows)
    for side in found.sides:
        _show_side(found, side)
    if requests:
        render.heading("standing requests")
        _show_requests(requests)


def _show_side(gateway: r.GatewayInfo, side: r.SideInfo) -> None:
    render.heading(f"side {side.adapter}: {side.kind} {side.service}, {_state(gateway, side)}")
    names = ("received", "sent", "waiting", "set_aside", "withheld", "outside", "reconnects",
             "repeated", "requested", "placed")  # fmt: skip
    shown = [f"{name.replace('_', ' ')} {getattr(side, name)}" for name in names]
    render.say("  " + ", ".join(shown))
    if side.last_cause:
        render.say(f"  last event that could not be carried: {side.last_cause}")
    for want in side.wants:
        render.say(f"  wants {want}")


@service_command(gateways, "tidings gateway pause tower")
async def pause(client: Client, name: Name) -> None:
    """Let a gateway rest: it disconnects, and keeps what waits."""
    await client.transport.ask(r.PauseGateway(name))
    render.result({"paused": name}, f"gateway {name} rests; `tidings gateway resume {name}`")


@service_command(gateways, "tidings gateway drain tower")
async def drain(client: Client, name: Name) -> None:
    """Let a gateway hand out what waits, and take nothing new."""
    await client.transport.ask(r.DrainGateway(name))
    render.result({"draining": name}, f"gateway {name} takes nothing new")


@service_command(gateways, "tidings gateway resume tower")
async def resume(client: Client, name: Name) -> None:
    """Let a gateway that rests or drains go on."""
    await client.transport.ask(r.ResumeGateway(name))
    render.result({"resumed": name}, f"gateway {name} goes on")


@service_command(gateways, "tidings gateway delete tower")
async def delete(client: Client, name: Name) -> None:
    """Delete a gateway, with what waits in its outboxes."""
    await client.transport.ask(r.DeleteGateway(name))
    render.result({"deleted": name}, f"gateway {name} deleted")


@service_command(gateways, "tidings gateway join tower 'n yard nats url=nats://10.0.0.8'")
async def join(client: Client, name: Name, side: str) -> None:
    """Have a gateway join one more service, or another one under the same adapter's name.

    Options:
        side <SIDE>: 'ADAPTER SERVICE KIND field=value…', as in `tidings gateway create`.
    """
    added = side_of(side)
    sides = await _sides(client, name)
    kept = tuple(one for one in sides if one.adapter != added.adapter)
    await client.transport.ask(r.ChangeGateway(name, (*kept, added)))
    render.result({"joined": added.service}, f"gateway {name} joins {added.service}")


@service_command(gateways, "tidings gateway leave tower n")
async def leave(client: Client, name: Name, adapter: str) -> None:
    """Have a gateway leave a service, once others serve what it serves there.

    What waits for the service then is deleted.

    Options:
        adapter <ADAPTER>: The adapter's name.
    """
    sides = await _sides(client, name)
    kept = tuple(one for one in sides if one.adapter != adapter)
    if len(kept) == len(sides):
        there = ", ".join(one.adapter for one in sides)
        raise NotFound(f"gateway {name} has no adapter {adapter!r:.60}; it has: {there}")
    await client.transport.ask(r.ChangeGateway(name, kept))
    render.result({"left": adapter}, f"gateway {name} leaves {adapter}")


async def _sides(client: Client, name: str) -> Sequence[r.SideConfig]:
    return (await client.transport.request(r.SeeGatewayConfig(name))).sides


# Requests.


async def _ask(
    client: Client, name: str, kind: r.RequestKind, what: str, source: str, targets: str
) -> None:
    await client.transport.ask(r.AskFederation(name, kind, what, source, targets))
    with suppress(Forbidden, WrongState):  # the caller may not look, or it does not run
        known = [one.service for one in await client.transport.request(r.SeeFederation(name))]
        if source not in known:
            render.warning(
                f"service {source} is not known to {name} now, and the request waits for it; "
                f"known are {', '.join(known) or 'none'}"
            )
    render.result(
        {"asked": kind.value, "what": what}, f"{kind.value} {what} at {targets}: asked of {name}"
    )


@service_command(
    gateways, "tidings gateway subscribe tower 'subject = Speed and rate > 30' --for roads"
)
async def subscribe(
    client: Client, name: Name, what: What, source: Source, targets: Targets = "*"
) -> None:
    """Subscribe a service to events of others; `requests` shows where that applies."""
    await _ask(client, name, r.RequestKind.SUBSCRIBE, what, source, targets)


@service_command(gateways, "tidings gateway unsubscribe tower Speed --for roads")
async def unsubscribe(
    client: Client, name: Name, what: What, source: Source, targets: Targets = "*"
) -> None:
    """Take a subscription back; it ends when it was taken back as often as it was made."""
    await _ask(client, name, r.RequestKind.UNSUBSCRIBE, what, source, targets)


@service_command(gateways, "tidings gateway announce tower Speed --for cars")
async def announce(
    client: Client, name: Name, what: What, source: Source, targets: Targets = "*"
) -> None:
    """Announce that a service publishes events of a subject, to those that want to know before."""
    await _ask(client, name, r.RequestKind.ANNOUNCE, what, source, targets)


@service_command(gateways, "tidings gateway unannounce tower Speed --for cars")
async def unannounce(
    client: Client, name: Name, what: What, source: Source, targets: Targets = "*"
) -> None:
    """Take an announcement back."""
    await _ask(client, name, r.RequestKind.UNANNOUNCE, what, source, targets)


@service_command(gateways, "tidings gateway requests tower")
async def requests(client: Client, name: Name) -> None:
    """List the standing requests of the federation: where each applies, and who refused it."""
    _show_requests(await client.transport.request(r.SeeFederationRequests(name)))


def _show_requests(found: Sequence[r.RequestInfo]) -> None:
    rows = [
        (one.kind.value, one.what, one.source, ", ".join(one.targets), ", ".join(one.applied),
         ", ".join((*one.refused, *(f"{service}: not reached" for service in one.missing))))
        for one in found
    ]  # fmt: skip
    headings = ("request", "what", "for", "at", "applies at", "does not apply")
    none = "nobody has asked for anything; `tidings gateway subscribe` does"
    render.listing(headings, rows, (), map(showing.as_data, found), none)


# The federation.


@service_command(gateways, "tidings gateway services tower")
async def services(client: Client, name: Name) -> None:
    """List the event services that a gateway can reach, and who joins them."""
    found = await client.transport.request(r.SeeFederation(name))
    rows = [
        (one.service, one.kind, ", ".join(one.gateways), ", ".join(one.missing)) for one in found
    ]
    headings = ("service", "kind", "gateways", "missing")
    render.listing(headings, rows, (), map(showing.as_data, found), "none")


@service_command(gateways, "tidings gateway context tower roads")
async def context(client: Client, name: Name, at: str) -> None:
    """Say what survives of priority, order, lifetime and the rest on each way from a service.

    Options:
        at <SERVICE>: The service where events are published.
    """
    found = await client.transport.request(r.SeeContext(name, at))
    rows = [(one.to, " > ".join(one.gateways), one.part, one.survives, one.where) for one in found]
    headings = ("to", "through", "part", "survives", "until")
    none = f"no way leads from {at} to another service"
    render.listing(headings, rows, (), map(showing.as_data, found), none)


@service_command(gateways, "tidings gateway trace tower roads plant")
async def trace(
    client: Client,
    name: Name,
    at: str,
    to: str,
    wait: Annotated[float, option("--wait SECONDS", "How long to wait for it.", min=0.1)] = 10.0,
) -> None:
    """Send a probe from one service to another, and show each step of its way.

    Options:
        at <FROM>: The service where it begins; the gateway joins it.
        to <TO>: The service where it goes.
    """
    probe = await client.transport.ask(r.ProbeFederation(name, at, to))
    found = await _probe(client, name, probe, wait)
    if found is None:
        raise TidingsError(f"the probe to {to} has not come back within {wait:g} s")
    first = found.hops[0].time
    rows = [
        (hop.gateway, hop.at, hop.to, f"{(hop.time - first) / 1_000:.1f} ms") for hop in found.hops
    ]
    headings = ("gateway", "from", "to", "after")
    render.listing(headings, rows, (3,), map(showing.as_data, found.hops), "no steps")


async def _probe(client: Client, name: str, probe: str, wait: float) -> r.ProbeInfo | None:
    try:
        async with asyncio.timeout(wait):
            while True:
                found = await client.transport.request(r.SeeProbe(name, probe))
                if found.back:
                    return found
                await asyncio.sleep(_LOOK)
    except TimeoutError:
        return None


@command(gateways, "tidings gateway adapters", name="adapters")
def adapters() -> None:
    """List the kinds of event services that gateways can join, and what each can do."""
    from tidings.gateways.adapters.base import ADAPTERS

    rows, data = [], []
    for kind in ADAPTERS.names():
        try:
            found: Any = ADAPTERS.load(kind)
        except TidingsError as error:
            rows.append((kind, str(error), "", ""))
            data.append({"kind": kind, "problem": str(error)})
            continue
        can: Capabilities = found.capabilities
        kept = [part for part in CONTEXT if getattr(can, part).value == "kept"]
        rows.append((kind, can.promise, can.filtering.value, ", ".join(kept) or "nothing"))
        data.append(msgspec.to_builtins(can))
    headings = ("kind", "events arrive", "filters there", "keeps")
    render.listing(headings, rows, (), data, "none")
