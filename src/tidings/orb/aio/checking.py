"""Check every address of a reference: who answers, and what about the object."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from tidings.orb.aio.link import LinkLost
from tidings.orb.aio.links import Links
from tidings.orb.aio.options import Address, Options, Point
from tidings.orb.calls import Destination, Forward, location_of
from tidings.orb.exceptions import SystemException
from tidings.orb.poa import ObjectAdapter

if TYPE_CHECKING:
    from tidings.events.reference import Reference


class CheckedAddress(NamedTuple):
    """The answer of one address: whether the object is there, in words, and a forward."""

    address: Address
    found: bool
    said: str
    forward: Reference | None = None


async def check_reference(
    reference: Reference, options: Options | None = None
) -> list[CheckedAddress]:
    """Ask every address of a reference, at the same time, whether the object is there."""
    links = Links(options or Options(), ObjectAdapter(lambda key: None))
    asked = [
        (destination, Address(*address))
        for destination in links.options.destinations(reference)
        for address in destination.addresses
    ]
    try:
        return list(await asyncio.gather(*(_checked(links, *each) for each in asked)))
    finally:
        await links.close()


async def _checked(links: Links, destination: Destination, address: Address) -> CheckedAddress:
    seconds = links.options.call_seconds
    connected = False
    try:
        async with asyncio.timeout(seconds):
            link = await links.pool.link(Point(*address, destination.tls), destination.codesets)
            connected = True
            answer = await link.locate(destination)
        location = location_of(answer, links.options.limits)
    except TimeoutError:
        what = "accepts connections, no answer" if connected else "takes no connection"
        return CheckedAddress(address, False, f"{what} in {seconds:g} s")
    except LinkLost as lost:
        return CheckedAddress(address, False, f"accepts connections, no answer: {lost.why}")
    except SystemException as error:
        said = (error.why or str(error)).removeprefix(f"{address}: ")
        return CheckedAddress(address, False, said)
    if isinstance(location, Forward):
        return CheckedAddress(address, True, "sends callers elsewhere", location.reference)
    if location:
        return CheckedAddress(address, True, "has the object")
    return CheckedAddress(address, False, "answers, and has no such object")
