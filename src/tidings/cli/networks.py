"""`tidings network …`: channels of several services that get each other's events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Final, TypeAlias

from tidings.cli.connection import SERVICE_OPTIONS, Service, chosen_service, trusting
from tidings.cli.options import add_command, commands, group, option
from tidings.cli.pairs import pairs
from tidings.errors import InvalidUsage, NotFound, Unreachable
from tidings.federation.requests import GatewayInfo, SideState
from tidings.gateways.networks import (
    LinkGateway,
    Network,
    Services,
    change,
    discover,
    links_of,
    node_of,
    planned,
    rest,
    survey,
    until_settled,
)
from tidings.gateways.networks import delete as delete_network
from tidings.terminal import render

app = commands()
networks = group(app, "network", "Channels of several services that get each other's events.")

Name = Annotated[str, option("<NAME>", "The network.")]
Nodes = Annotated[
    list[str], option("--node NAME=URL", "A channel, as a=http://host:port/CHANNEL. Repeatable.")
]
Tokens = Annotated[
    list[str] | None,
    option(
        "--token NODE=PLACE",
        "Where the other nodes' gateways find the token for a node's service: env:NAME or "
        "file:PATH. Repeatable.",
    ),
]
Parallel = Annotated[
    int, option("--parallel N", "Gateways for each link; they share its load.", min=1)
]
_WAIT: Final = 20.0
Wait = Annotated[float, option("--wait SECONDS", "How long to wait until all is up.", min=0)]


_Command: TypeAlias = Callable[..., Coroutine[Any, Any, None]]


def _network_command(*examples: str, name: str | None = None) -> Callable[[_Command], _Command]:
    """Turn a coroutine function whose first argument are the services into a command."""

    def made(function: _Command) -> _Command:
        async def run(service: Service, given: dict[str, Any]) -> None:
            tls = trusting(service.ca, service.cert, service.key)
            async with Services(
                service.url, token=service.token, patience=service.patience, tls=tls
            ) as services:
                await function(services, **given)

        def call(given: dict[str, Any], json: bool, **options: Any) -> None:  # noqa: ANN401
            asyncio.run(run(chosen_service(**options), given))

        return add_command(networks, examples, name, function, SERVICE_OPTIONS, call)

    return made


@_network_command(
    "tidings network create roads --node a=http://h1:8080/roads --node b=http://h2:8080/roads",
    "tidings network create roads --node a=http://h1:8080/roads --node b=http://h2:8080/roads "
    "--node c=http://h3:8080/roads --links ring --parallel 2 --subscribe '$rate > 30'",
)
async def create(  # noqa: PLR0913, PLR0917 -- options of a command
    services: Services,
    name: Name,
    node: Nodes,
    links: str = "line",
    parallel: Parallel = 1,
    subscribe: list[str] | None = None,
    token: Tokens = None,
    wait: Wait = _WAIT,
) -> None:
    """Create a network: missing channels, and gateways that join them.

    If a node does not answer or refuses, nothing is created. Repeat the command to complete a
    network; what is there stays as it is.

    Options:
        links SHAPE: ring, line, star (the first node is the centre), full, or pairs: a-b,b-c.
        subscribe FILTER: Every node gets such events of all others. Repeatable.
    """
    tokens = {key: str(value) for key, value in pairs(token or ()).items()}
    nodes = {one.name: one for one in (node_of(text, tokens) for text in node)}
    if len(nodes) < max(2, len(node)):
        raise InvalidUsage("--node: a network has two nodes or more, each with a name of its own")
    if strange := sorted(tokens.keys() - nodes):
        raise InvalidUsage(f"--token: {strange[0]!r:.60} is none of the nodes {', '.join(nodes)}")
    network = await survey(services, name, nodes.values())
    if others := sorted(network.nodes.keys() - nodes):
        raise InvalidUsage(
            f"network {name} has other nodes already ({', '.join(others)}); `tidings network add` "
            "and `tidings network remove` change it"
        )
    more = planned(name, nodes, links_of(links, [*nodes]), parallel)
    await change(services, network, nodes=nodes, more=more, filters=subscribe or ())
    await _tell(services, network, wait, "created")


async def _tell(services: Services, network: Network, wait: float, done: str) -> None:
    settled = await until_settled(services, network, wait)
    links = len(network.gateways)
    counted = f"{len(network.nodes)} nodes, {links} link{'' if links == 1 else 's'}"
    state = "all up" if settled else "not all of them up yet; `tidings network show` tells why"
    data = {done: network.name, "nodes": [*network.nodes], "links": [*network.gateways]}
    text = f"network {network.name} {done}: {counted}, {state}"
    render.result({**data, "up": settled}, text)


@_network_command("tidings network add roads --node e=http://h5:8080/roads --links d-e,e-a")
async def add(  # noqa: PLR0913, PLR0917 -- options of a command
    services: Services,
    name: Name,
    node: Nodes,
    links: str,
    unlink: str = "",
    parallel: Parallel = 1,
    token: Tokens = None,
    wait: Wait = _WAIT,
) -> None:
    """Add nodes and links to a network while events flow; new nodes get what all others get.

    Options:
        links LIST: The new links, as pairs: d-e,e-a.
        unlink LIST: Links that are no longer needed; they go when the new ones are up.
    """
    network = await discover(services, name)
    tokens = {key: str(value) for key, value in pairs(token or ()).items()}
    new = {one.name: one for one in (node_of(text, tokens) for text in node)}
    nodes = {**network.nodes, **new}
    more = planned(name, nodes, links_of(links, [*nodes]), parallel)
    less = _between(network, links_of(unlink, [*nodes])) if unlink else []
    filters = network.filters()
    await change(services, network, nodes=nodes, more=more, less=less, filters=filters)
    await _tell(services, network, wait, "changed")


def _between(network: Network, links: list[tuple[str, str]]) -> list[str]:
    joined = [frozenset(link) for link in links]
    found = [name for name, one in network.gateways.items() if one.nodes in joined]
    if not found:
        raise NotFound(f"network {network.name} has no such link")
    return found


@_network_command("tidings network remove roads c --links b-d")
async def remove(
    services: Services,
    name: Name,
    node: str,
    links: str = "",
    parallel: Parallel = 1,
    wait: Wait = _WAIT,
) -> None:
    """Take a node out of a network while events flow; its channel stays, with its events.

    Options:
        node <NODE>: The node.
        links LIST: New links that hold the others together, as pairs: b-d.
    """
    network = await discover(services, name)
    nodes = {key: one for key, one in network.nodes.items() if key != node}
    if len(nodes) == len(network.nodes):
        there = ", ".join(network.nodes)
        raise NotFound(f"network {name} has no node {node!r:.60}; it has: {there}")
    if len(nodes) < 2:
        raise InvalidUsage("one node would be left; `tidings network delete` deletes the network")
    more = planned(name, nodes, links_of(links, [*nodes]), parallel) if links else []
    less = [key for key, one in network.gateways.items() if node in one.nodes]
    await change(services, network, nodes=nodes, more=more, less=less)
    await _tell(services, network, wait, "changed")


@_network_command("tidings network delete roads")
async def delete(services: Services, name: Name) -> None:
    """Delete the links of a network, and whatever they have made; the channels stay."""
    network = await discover(services, name)
    await delete_network(services, network)
    _check_reached(network, "deleted")
    render.result({"deleted": name}, f"network {name} deleted; the channels are as they were")


@_network_command("tidings network pause roads")
async def pause(services: Services, name: Name) -> None:
    """Let all links of a network rest; events wait."""
    await _rest(services, name, paused=True)


@_network_command("tidings network resume roads")
async def resume(services: Services, name: Name) -> None:
    """Let all links of a network go on."""
    await _rest(services, name, paused=False)


async def _rest(services: Services, name: str, *, paused: bool) -> None:
    network = await discover(services, name)
    await rest(services, network, paused=paused)
    done = "paused" if paused else "resumed"
    _check_reached(network, done)
    render.result({done: name}, f"network {name} {done}")


def _check_reached(network: Network, done: str) -> None:
    if network.unreachable:
        away = ", ".join(f"{node} ({cause})" for node, cause in network.unreachable.items())
        raise Unreachable(
            f"all links of network {network.name} are {done} but those at nodes that do not "
            f"answer: {away}; repeat this with --url of each of them"
        )


# What is shown.


@_network_command("tidings network show roads", "tidings network show roads --over 0 --json")
async def show(
    services: Services,
    name: Name,
    over: Annotated[float, option("--over SECONDS", "Measure rates for so long.", min=0)] = 1.0,
) -> None:
    """Show the nodes of a network, its links, what they carry, and who does not answer."""
    before = await discover(services, name)
    await asyncio.sleep(over)
    network = await discover(services, name) if over else before
    links = [_link(one, before.gateways.get(key), over) for key, one in network.gateways.items()]
    links += [
        {"link": key, "nodes": sorted(joined), "state": "unreachable"}
        for key, joined in network.missing.items()
    ]
    nodes = [
        {"node": one.name, "url": one.url, "channel": one.channel,
         "state": "unreachable" if key in network.unreachable else "up",
         "cause": network.unreachable.get(key, "")}
        for key, one in sorted(network.nodes.items())
    ]  # fmt: skip
    requests = sorted(network.filters())
    if render.is_json():
        render.as_json({"network": name, "nodes": nodes, "links": links, "subscribe": requests})
        return
    for what in requests:
        render.say(f"every node gets {what}")
    render.outline([_drawn(node, links) for node in nodes])


def _link(one: LinkGateway, before: LinkGateway | None, over: float) -> dict[str, Any]:
    info = one.info
    assert info is not None
    earlier = before.info.sides if before is not None and before.info is not None else ()
    sent = {side.adapter: side.sent for side in earlier}
    return {
        "link": info.name,
        "nodes": sorted(one.nodes),
        "home": one.home,
        "state": _state(info),
        "carried": info.carried,
        "shared": info.shared,
        "into": {
            side.service: {
                "state": side.state.value, "cause": side.cause, "sent": side.sent,
                "rate": round(max(0, side.sent - sent.get(side.adapter, 0)) / over, 1)
                if over else None,
                "waiting": side.waiting, "set_aside": side.set_aside,
            }
            for side in info.sides
        },
    }  # fmt: skip


def _state(info: GatewayInfo) -> str:
    if info.paused:
        return "paused"
    if info.problem:
        return info.problem
    return "up" if all(side.state is SideState.UP for side in info.sides) else "degraded"


def _drawn(node: dict[str, Any], links: list[dict[str, Any]]) -> render.TreeNode:
    mine = [link for link in links if node["node"] in link["nodes"]]
    state = f"unreachable: {node['cause']}" if node["cause"] else "up"
    parts = tuple(_arrow(link, node["node"]) for link in mine)
    return render.TreeNode(node["node"], f"{node['url']}/{node['channel']}, {state}", parts)


def _arrow(link: dict[str, Any], node: str) -> render.TreeNode:
    """What a link brings into a node."""
    others = ", ".join(name for name in link["nodes"] if name != node)
    told = [f"{link['link']}: {link['state']}"]
    side = link.get("into", {}).get(node)
    if side is not None:
        if side["state"] != "up":
            told.append(f"{node} is {side['state']}" + (side["cause"] and f" ({side['cause']})"))
        if side["rate"] is not None:
            told.append(f"{side['rate']:g} events/s")
        told += [f"{side['sent']} sent", f"{side['waiting']} waiting"]
        if side["set_aside"]:
            told.append(f"{side['set_aside']} set aside")
    return render.TreeNode(f"from {others}", ", ".join(told))
