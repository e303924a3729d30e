"""`python -m tidings.services.steam`: a node in a process of its own, to try things by hand.

It writes a JSON line for each event that it gets, and reads JSON lines, each an event to publish or
a new place::

    {"subject": "Speed", "values": {"license_no": "05-D-1", "rate": 62.0}}
    {"subject": "Speed", "values": {…}, "area": "0, 0, 53.34, -6.25, 500"}
    {"position": "53.35, -6.26"}

A float needs its point. A line that is wrong is answered with `{"error": …}`. It ends with its
input.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence

import msgspec

from tidings.errors import TidingsError
from tidings.federation.proximity import area_of_text, area_text, position_of_text
from tidings.services.steam.datagrams import Value, event_type_of
from tidings.services.steam.machine import SteamConfig
from tidings.services.steam.node import SteamNode, Subscription


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of the input."""

    subject: str = ""
    values: dict[str, Value] = {}
    area: str = ""
    position: str = ""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a node until the input ends."""
    parser = argparse.ArgumentParser(prog="python -m tidings.services.steam", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--network", default="steam", help="which STEAM service")
    parser.add_argument("--position", required=True, help="'latitude, longitude', or file:PATH")
    parser.add_argument("--area", default="0, 1, 0, 0, 250", help="where events are valid")
    parser.add_argument("--subject", help="the subject to subscribe to; all announced without it")
    parser.add_argument("--where", default="", help="a constraint on what comes")
    try:
        asyncio.run(_run(parser.parse_args(arguments)))
    except TidingsError as error:
        parser.error(str(error))


async def _run(given: argparse.Namespace) -> None:
    usual = area_of_text(given.area)
    async with SteamNode(SteamConfig(given.network), position=given.position) as node:
        printing = asyncio.create_task(_print(node.subscribe(given.subject, given.where)))
        _write({"ready": given.network})
        try:
            while line := await asyncio.to_thread(sys.stdin.buffer.readline):
                try:
                    _do(node, msgspec.json.decode(line, type=Line), area_text(usual))
                except (TidingsError, msgspec.MsgspecError) as error:
                    _write({"error": str(error)})
        finally:
            printing.cancel()


def _do(node: SteamNode, line: Line, usual: str) -> None:
    if line.position:
        node.move(position_of_text(line.position))
    if line.subject:
        what, area = event_type_of(line.subject, line.values), area_of_text(line.area or usual)
        if node.machine.announced(line.subject) != what:
            node.announce(what, area)
        node.publish(line.subject, line.values, area=area)


async def _print(events: Subscription) -> None:
    async for event in events:
        _write(
            {"subject": event.subject, "values": event.values, "area": event.area,
             "position": event.position}
        )  # fmt: skip


def _write(content: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(content) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
