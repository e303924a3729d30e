"""Networks of channels: created, watched and changed as one thing, from any place.

A network is a federation of channels of Tidings: its name is the federation's, its nodes are the
event services, and each link between two nodes is a gateway at one of them. Nothing else is kept
anywhere: whoever can reach one node finds the others through the gateways' configurations.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from typing import Final, Self, TypeAlias
from urllib.parse import unquote, urlsplit

from tidings.channel.management import Disconnect
from tidings.channel.vocabulary import Side
from tidings.client.client import Client
from tidings.client.connecting import connect, is_corba
from tidings.errors import InvalidUsage, NameTaken, NotFound, TidingsError, Unreachable, WrongState
from tidings.events.codecs.json_types import meant
from tidings.federation import requests as r
from tidings.federation.distribution import checked_name
from tidings.gateways.sides import read_secret

CONTROL: Final = ".federation"
"""What the name of the channel ends with where gateways talk."""
SHAPES: Final = ("ring", "line", "star", "full")
MOST_PARALLEL: Final = 16
_LOOK: Final = 0.1
# Seconds that gateways may take to yield and leave.
_LEAVING: Final = 30.0
# Seconds for gateways to begin before they are deleted again.
_BRIEFLY: Final = 5.0

Undo: TypeAlias = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Node:
    """A channel in a network.

    Attributes:
        name: Its id in the network.
        url: Where its service is, for the other nodes and for whoever changes the network.
        channel: The channel.
        token: Where the other nodes find the token for its service: `env:NAME` or `file:PATH`.
    """

    name: str
    url: str
    channel: str
    token: str = ""


@dataclass(frozen=True, slots=True)
class LinkGateway:
    """A gateway between two nodes.

    Attributes:
        home: The node that runs it; empty if it runs at a service that is not in the network.
        url: Where that is.
        config: How it is set up.
        info: How it is now.
    """

    home: str
    url: str
    config: r.GatewayConfig
    info: r.GatewayInfo | None = None

    @property
    def nodes(self) -> frozenset[str]:
        """The nodes that it joins."""
        return frozenset(side.service for side in self.config.sides)


@dataclass(slots=True)
class Network:
    """A network, as far as it can be reached.

    Attributes:
        name: Its name.
        nodes: The nodes whose place is known.
        gateways: The gateways of the nodes that answer, by name.
        unreachable: Nodes that do not answer, and why.
        missing: Gateways that others know and cannot reach, with the nodes that they join.
    """

    name: str
    nodes: dict[str, Node] = field(default_factory=dict)
    gateways: dict[str, LinkGateway] = field(default_factory=dict)
    unreachable: dict[str, str] = field(default_factory=dict)
    missing: dict[str, frozenset[str]] = field(default_factory=dict)

    def requests(self) -> set[tuple[str, str]]:
        """Return the filters and the nodes that have asked for such events of all others."""
        return {
            (one.what, one.source)
            for gateway in self.gateways.values()
            for one in gateway.config.requests
            if one.kind is r.RequestKind.SUBSCRIBE and one.targets == "*"
        }

    def filters(self) -> set[str]:
        """Return the filters that every node has asked for."""
        asked = self.requests()
        return {what for what, _ in asked if all((what, node) in asked for node in self.nodes)}


# Plans.


def node_of(text: str, tokens: Mapping[str, str] | None = None) -> Node:
    """Read `NAME=http://host:port/CHANNEL`."""
    name, _, url = text.partition("=")
    base, _, channel = url.strip().rstrip("/").rpartition("/")
    if not urlsplit(base).netloc or is_corba(url):
        raise InvalidUsage(f"node {text!r:.80}: it is NAME=http://host:port/CHANNEL")
    token = (tokens or {}).get(name, "")
    if token and not token.startswith(("env:", "file:")):
        raise InvalidUsage(f"token of {name}: it is env:NAME or file:PATH, so that none is kept")
    return Node(checked_name("node", name), base, unquote(channel), token)


def links_of(shape: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of `ring`, `line`, `star` (around the first), `full` or a list `a-b,b-c`."""
    if shape == "line":
        return list(pairwise(names))
    if shape == "ring":
        return list(pairwise((*names, names[0]) if len(names) > 2 else names))
    if shape == "star":
        return [(names[0], name) for name in names[1:]]
    if shape == "full":
        return list(combinations(names, 2))
    return [_link(part.strip(), names) for part in shape.split(",")]


def _link(text: str, names: Sequence[str]) -> tuple[str, str]:
    for a in names:
        if text.startswith(f"{a}-") and (b := text[len(a) + 1 :]) in names and a != b:
            return a, b
    hint = meant(text, list(SHAPES))
    raise InvalidUsage(
        f"links: {text!r:.60} is not {', '.join(SHAPES)}, and joins no two of {', '.join(names)}"
        f"{hint and '; '}{hint}"
    )


def planned(
    network: str, nodes: Mapping[str, Node], links: Iterable[tuple[str, str]], parallel: int
) -> list[LinkGateway]:
    """Return the gateways that links need; of parallel ones every second lives at the other end."""
    if not 1 <= parallel <= MOST_PARALLEL:
        raise InvalidUsage(f"parallel: 1 to {MOST_PARALLEL} gateways for a link, not {parallel}")
    checked_name("network", network)
    places: dict[tuple[str, str], str] = {}
    for name, node in nodes.items():
        if (first := places.setdefault((node.url.rstrip("/"), node.channel), name)) != name:
            raise InvalidUsage(f"nodes {first} and {name} are the same channel, {node.channel}")
    gateways = []
    for a, b in links:
        for number in range(1, parallel + 1):
            name = f"{network}.{a}-{b}" + (f".{number}" if number > 1 else "")
            home, other = (a, b) if number % 2 else (b, a)
            at = nodes[home]
            sides = (_side(at, at), _side(nodes[other], at))
            gateways.append(LinkGateway(home, at.url, r.GatewayConfig(name, network, sides)))
    return gateways


def _side(node: Node, home: Node) -> r.SideConfig:
    parameters = {"channel": node.channel}
    if node.url == home.url:
        parameters["public_url"] = node.url
    else:
        parameters |= {"url": node.url} | ({"token": node.token} if node.token else {})
    return r.SideConfig(node.name, node.name, "tidings", parameters)


def _with_requests(
    gateways: Sequence[LinkGateway], wanted: Iterable[tuple[str, str]]
) -> list[LinkGateway]:
    """Give each request to a gateway of the node that asks: one that lives there, if there is."""
    made = {gateway.config.name: gateway for gateway in gateways}
    for what, node in sorted(wanted):
        name = _speaker(made.values(), node).config.name
        config = made[name].config
        request = r.StandingRequest(r.RequestKind.SUBSCRIBE, what, node)
        made[name] = replace(
            made[name], config=replace(config, requests=(*config.requests, request))
        )
    return list(made.values())


def _speaker(gateways: Iterable[LinkGateway], node: str) -> LinkGateway:
    found = [one for one in gateways if node in one.nodes]
    if not found:
        raise InvalidUsage(f"node {node} has no link: --links joins it with others")
    return min(found, key=lambda one: (one.home != node, one.config.name))


def _check_connected(nodes: Iterable[str], gateways: Iterable[LinkGateway]) -> None:
    left = set(nodes)
    joins = [gateway.nodes for gateway in gateways]
    near = {min(left)}
    while more := {name for pair in joins if pair & near for name in pair} - near:
        near |= more
    if apart := left - near:
        raise InvalidUsage(
            f"the network would fall apart: no link joins {', '.join(sorted(near))} with "
            f"{', '.join(sorted(apart))}; --links adds one"
        )


# Services.


class Services:
    """Connections to the services of a network, each made once; closed together.

    Attributes:
        url: The service that is asked first.
    """

    def __init__(
        self,
        url: str = "",
        *,
        token: str | None = None,
        patience: float = 3.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`token` is for services for which no other is known; `patience` is for each of them."""
        self.url = url
        self._token = token
        self._patience = patience
        self._tls = tls
        self._stack = AsyncExitStack()
        self._connecting: dict[str, asyncio.Future[Client]] = {}

    async def __aenter__(self) -> Self:
        """Connect with nobody yet."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close all connections."""
        await self._stack.aclose()

    async def at(self, url: str, token: str = "") -> Client:
        """Return the client of a service; raise whatever connecting has raised."""
        if url not in self._connecting:
            self._connecting[url] = asyncio.ensure_future(self._connect(url, token))
        return await self._connecting[url]

    async def _connect(self, url: str, token: str) -> Client:
        shown = self._token
        if token:
            with suppress(InvalidUsage):  # it is for the gateways, and may be at their places only
                shown = read_secret(token, "token")
        made = await connect(url, token=shown, patience=self._patience, tls=self._tls)
        return await self._stack.enter_async_context(made)

    async def of(self, nodes: Iterable[Node]) -> dict[str, Client]:
        """Return the clients of nodes by url; Unreachable names all that do not answer."""
        by_url = {node.url: node for node in nodes}
        waiting = [self.at(node.url, node.token) for node in by_url.values()]
        found = await asyncio.gather(*waiting, return_exceptions=True)
        clients, away = {}, []
        for node, one in zip(by_url.values(), found, strict=True):
            if isinstance(one, TidingsError):
                away.append(f"{node.name} ({one})")
            elif isinstance(one, BaseException):
                raise one
            else:
                clients[node.url] = one
        if away:
            raise Unreachable(f"nothing was changed, since not all nodes answer: {', '.join(away)}")
        return clients


async def survey(services: Services, name: str, nodes: Iterable[Node]) -> Network:
    """Return what there is of a network at these nodes, which must all answer."""
    network = Network(name)
    for url in await services.of(nodes):
        await _look(services, network, url, "")
    return network


async def discover(services: Services, name: str) -> Network:
    """Find a network from the service that is asked first, one of its nodes.

    Raises:
        NotFound: The service has no gateway of the network.
        Unreachable: The service does not answer.
    """
    network, url = Network(name), services.url
    await _look(services, network, url, "")
    if not network.gateways:
        raise NotFound(
            f"the service at {url} runs no gateway of network {name}; ask another of its nodes"
        )
    looked = {url}
    while new := [node for node in network.nodes.values() if node.url not in looked]:
        looked |= {node.url for node in new}
        answers = await asyncio.gather(
            *(_look(services, network, node.url, node.token) for node in new),
            return_exceptions=True,
        )
        for node, error in zip(new, answers, strict=True):
            if isinstance(error, TidingsError):
                network.unreachable[node.name] = str(error)
            elif error is not None:
                raise error
    for gateway in network.gateways:
        network.missing.pop(gateway, None)
    return network


async def _look(services: Services, network: Network, url: str, token: str) -> None:
    """Take in what a service knows of a network."""
    transport = (await services.at(url, token)).transport
    for info in await transport.request(r.SeeGateways()):
        if info.system != network.name:
            continue
        config = await transport.request(r.SeeGatewayConfig(info.name))
        home = next((one.service for one in config.sides if not one.parameters.get("url")), "")
        network.gateways[info.name] = LinkGateway(home, url, config, info)
        for side in config.sides:
            if side.kind == "tidings":
                given = {name: str(value) for name, value in side.parameters.items()}
                place = given.get("url") or given.get("public_url") or url
                node = Node(side.service, place, given["channel"], given.get("token", ""))
                network.nodes.setdefault(side.service, node)
        if info.problem:
            continue
        for service in await transport.request(r.SeeFederation(info.name)):
            if service.place and service.kind == "tidings":
                node = node_of(f"{service.service}={service.place}")
                network.nodes.setdefault(service.service, node)
            for gateway in service.missing:
                joined = network.missing.get(gateway, frozenset())
                network.missing[gateway] = joined | {service.service}


# Changes.


async def change(
    services: Services,
    network: Network,
    *,
    nodes: Mapping[str, Node],
    more: Sequence[LinkGateway] = (),
    less: Sequence[str] = (),
    filters: Iterable[str] = (),
) -> None:
    """Make channels and gateways, then take gateways away; undo what was made if that fails.

    Args:
        services: Where the nodes are found.
        network: As it is; it is brought up to date.
        nodes: All nodes from now on.
        more: Gateways that are to be there; those that are stay as they are.
        less: Names of gateways that are no longer to be there.
        filters: What every node gets of all others.

    Raises:
        InvalidUsage: The nodes would not be connected.
        Unreachable: A node that must be changed does not answer; nothing was changed.
        WrongState: A node has refused; what was made is undone.
    """
    going = {name: network.gateways[name] for name in less}
    staying = {name: one for name, one in network.gateways.items() if name not in going}
    _check_connected(nodes, [*staying.values(), *more])
    _check_same(staying, more)
    wanted = {(what, node) for what in filters for node in nodes}
    wanted |= {(what, node) for what, node in network.requests() if node in nodes}
    for one in staying.values():
        wanted -= {(request.what, request.source) for request in one.config.requests}
    new = [one for one in more if one.config.name not in staying]
    gateways = _with_requests([*staying.values(), *new], wanted)
    added = [node for name, node in nodes.items() if name not in network.nodes]
    changed = [one for one in gateways if staying.get(one.config.name) != one]
    homes = [Node(one.home, one.url, "") for one in (*changed, *going.values())]
    clients = await services.of([*added, *_left(nodes, going.values()), *homes])
    undo: list[Undo] = []
    made: dict[str, LinkGateway] = {}
    try:
        for node in added:
            await _ensure_channel(clients[node.url], node, undo)
        for one in changed:
            await _ensure_gateway(clients[one.url], one, staying.get(one.config.name), undo)
            if one.config.name not in staying:
                made[one.config.name] = one
    except TidingsError as error:
        await until_settled(services, Network(network.name, gateways=made), _BRIEFLY)
        undo.append(lambda: _take_away(services, nodes, made))
        failed = [left for left in [await _undone(act) for act in reversed(undo)] if left]
        told = f"; left behind: {', '.join(failed)}" if failed else "; what was made is undone"
        raise WrongState(f"network {network.name}: {error}{told}") from error
    before, network.nodes = network.nodes, dict(nodes)
    network.gateways = {one.config.name: one for one in gateways}
    if going:
        await until_settled(services, network)
        await _take_away(services, before, going)


def _left(nodes: Mapping[str, Node], going: Iterable[LinkGateway]) -> list[Node]:
    """Return the nodes that links leave: they keep what they have for one until it is fetched."""
    return [nodes[name] for one in going for name in sorted(one.nodes & set(nodes))]


def _check_same(staying: Mapping[str, LinkGateway], more: Iterable[LinkGateway]) -> None:
    for one in more:
        there = staying.get(one.config.name)
        if there is not None and there.config.sides != one.config.sides:
            raise NameTaken(
                f"there is a gateway {one.config.name} at {there.home} already, which joins other "
                "channels; `tidings network show` lists the links, `remove` takes a node away"
            )


async def _ensure_channel(client: Client, node: Node, undo: list[Undo]) -> None:
    if node.channel in {one.name for one in await client.channels()}:
        return
    try:
        made = await client.create_channel(node.channel)
    except NameTaken:  # meanwhile
        return
    except TidingsError as error:
        raise WrongState(f"node {node.name}, channel {node.channel}: {error}") from error
    undo.append(made.destroy)


async def _ensure_gateway(
    client: Client, wanted: LinkGateway, there: LinkGateway | None, undo: list[Undo]
) -> None:
    """Create a gateway, or make the requests at it that it does not have."""
    ask, config = client.transport.ask, wanted.config
    try:
        if there is None:
            await ask(
                r.CreateGateway(config.name, config.sides, config.system, requests=config.requests)
            )
            return
        for one in config.requests[len(there.config.requests) :]:
            await ask(r.AskFederation(config.name, one.kind, one.what, one.source))
            taken_back = r.AskFederation(
                config.name, r.RequestKind.UNSUBSCRIBE, one.what, one.source
            )
            undo.append(lambda taken_back=taken_back: ask(taken_back))  # type: ignore[misc]
    except TidingsError as error:
        raise WrongState(f"node {wanted.home}, gateway {config.name}: {error}") from error


async def _undone(act: Undo) -> str:
    try:
        await act()
    except TidingsError as error:
        return str(error)
    return ""


async def until_settled(services: Services, network: Network, seconds: float = 20.0) -> bool:
    """Wait until all sides that can be up are, and requests stand; return whether that is so."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for gateway in network.gateways.values():
                while not await _settled(await services.at(gateway.url), gateway):  # noqa: ASYNC110
                    await asyncio.sleep(_LOOK)
            return True
    return False


async def _settled(client: Client, gateway: LinkGateway) -> bool:
    name = gateway.config.name
    info = await client.transport.request(r.SeeGateway(name))
    if info.problem or any(side.state is not r.SideState.UP for side in info.sides):
        return False
    requests = await client.transport.request(r.SeeFederationRequests(name))
    return not any(one.missing for one in requests)


async def _take_away(
    services: Services, nodes: Mapping[str, Node], going: Mapping[str, LinkGateway]
) -> None:
    """Delete gateways, and what they have left at the nodes that answer."""
    for name, gateway in going.items():
        client = await services.at(gateway.url)
        with suppress(NotFound):
            await client.transport.ask(r.DeleteGateway(name))
    until = asyncio.get_running_loop().time() + _LEAVING
    prefixes = tuple(f"{r.OF_GATEWAYS}{one.config.system}/{name}/" for name, one in going.items())
    for name in sorted({name for gateway in going.values() for name in gateway.nodes & set(nodes)}):
        node = nodes[name]
        with suppress(Unreachable):
            client = await services.at(node.url, node.token)
            await _sweep(client, node.channel, prefixes, until)


async def _sweep(client: Client, channel: str, prefixes: tuple[str, ...], until: float) -> None:
    """Wait until gateways have left a channel; delete what those leave that cannot come."""
    for name in (channel, f"{channel}{CONTROL}"):
        with suppress(NotFound):
            found = await client.channel(name)
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    while any(  # noqa: ASYNC110
                        one.name.startswith(prefixes) for one in await found.proxies()
                    ):
                        await asyncio.sleep(_LOOK)
            proxies = await found.proxies()
            for one in proxies:
                if one.name.startswith(prefixes):
                    await client.transport.ask(Disconnect(one.channel, one.id))
            if name != channel and not any(
                one.side is Side.CONSUMER and not one.name.startswith(prefixes) for one in proxies
            ):
                await found.destroy()


async def delete(services: Services, network: Network) -> None:
    """Delete all gateways of a network that can be reached, and what they have left."""
    await _take_away(services, network.nodes, network.gateways)


async def rest(services: Services, network: Network, *, paused: bool) -> None:
    """Pause or resume all gateways that can be reached."""
    command = r.PauseGateway if paused else r.ResumeGateway
    for name, gateway in network.gateways.items():
        client = await services.at(gateway.url)
        with suppress(WrongState):  # it is so already
            await client.transport.ask(command(name))
