"""A link of `tidings bench federation`, a gateway or the plain relay: here, or as a process.

`python -m tidings.bench.federation_link LINK FILE` runs the link that LINK says in JSON, and writes
FILE when events flow.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from tidings.bench.federation_relay import relay, sink, source
from tidings.client.client import Client
from tidings.engine.host import Host
from tidings.federation import requests as r
from tidings.gateways.runner import Gateways
from tidings.server.cores import service_cores
from tidings.server.embedded import client_for, local_client
from tidings.server.interpreter import Interpreter

NAME: Final = "G"
EVERYTHING: Final = "$event_name == 'Speed' or $event_name == 'Count'"
_BEGINS_IN: Final = 30.0
_LOOK: Final = 0.02

What: TypeAlias = Literal["gateway", "relay"]
Look: TypeAlias = Callable[[], Awaitable[r.GatewayInfo]]
"""Returns a gateway as it is now."""


class End(msgspec.Struct, frozen=True):
    """One end of a link: a kind of service, and where in it."""

    kind: str
    place: Mapping[str, Any]


class Link(msgspec.Struct, frozen=True):
    """What joins two services.

    Attributes:
        what: A gateway, or the plain relay.
        source: Where events are published.
        target: Where they go.
        folder: The gateway's data.
        wanted: What the target asks for.
    """

    what: What
    source: End
    target: End
    folder: str
    wanted: str = EVERYTHING


@asynccontextmanager
async def gateways_of(folder: Path) -> AsyncIterator[Client]:
    """A service that runs gateways, and a client of it."""
    host = await Host.open(folder, cores=service_cores())
    gateways = Gateways(host.tell, host.on_effect, partial(client_for, host))
    gateways.start()
    try:
        async with local_client(host) as client:
            yield client
    finally:
        await gateways.stop()
        await host.close()


async def create_gateway(client: Client, link: Link, name: str = NAME) -> Look:
    """Create a gateway; return when events can flow."""
    ask = client.transport.ask
    sides = (
        r.SideConfig("in", f"{name}-source", link.source.kind, dict(link.source.place)),
        r.SideConfig("out", f"{name}-target", link.target.kind, dict(link.target.place)),
    )
    await ask(r.CreateGateway(name, sides))
    target = f"{name}-target"
    await ask(r.AskFederation(name, r.RequestKind.SUBSCRIBE, link.wanted, target, f"{name}-source"))
    async with asyncio.timeout(_BEGINS_IN):
        while True:
            found = await client.transport.request(r.SeeFederationRequests(name))
            if found and all(one.applied for one in found):
                return lambda: client.transport.request(r.SeeGateway(name))
            await asyncio.sleep(_LOOK)


@asynccontextmanager
async def running(link: Link) -> AsyncIterator[Look | None]:
    """Run a link; of a gateway, what it is asked by."""
    if link.what == "gateway":
        async with gateways_of(Path(link.folder)) as client:
            yield await create_gateway(client, link)
        return
    async with (
        source(link.source.kind, link.source.place, Path(link.folder).name) as batches,
        sink(link.target.kind, link.target.place) as publish,
    ):
        task = asyncio.create_task(relay(batches, publish))
        yield None
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _run(link: Link, port_file: Path) -> None:
    """Run a link with the interpreter set up as in a service, for the relay as well."""
    with Interpreter():
        async with running(link):
            port_file.write_text('{"url": ""}', encoding="utf-8")  # noqa: ASYNC240 -- once
            await asyncio.Event().wait()


def main() -> None:
    """Run a link until the process is killed."""
    asyncio.run(_run(msgspec.json.decode(sys.argv[1], type=Link), Path(sys.argv[2])))


if __name__ == "__main__":
    main()
