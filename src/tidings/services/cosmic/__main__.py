"""`python -m tidings.services.cosmic SETTINGS print|publish …`: a node to try a bus by hand.

SETTINGS is a JSON file with what a gateway's side has as parameters. Examples::

    python -m tidings.services.cosmic car.json print
    python -m tidings.services.cosmic car.json --node 9 publish Speed '{"rate": 50.0}' --every 1
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from tidings.errors import BadInput, InvalidUsage, TidingsError
from tidings.events.build import event
from tidings.events.codecs.json_codec import encode_event
from tidings.services.cosmic.node import Node
from tidings.services.cosmic.settings import CosmicSettings


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "python -m tidings.services.cosmic", description="Publish and print events on a CAN bus."
    )
    parser.add_argument("settings", type=Path, help="the JSON file of the bus")
    parser.add_argument("--node", type=int, help="the number of this node, 1 to 127")
    commands = parser.add_subparsers(dest="command", required=True)
    printing = commands.add_parser("print", help="print events as JSON lines")
    printing.add_argument("subjects", nargs="*", help="whose events; all of them if none is named")
    publishing = commands.add_parser("publish", help="publish an event")
    publishing.add_argument("subject")
    publishing.add_argument("data", help="its data properties, as a JSON object")
    publishing.add_argument("--every", type=float, default=1.0, help="seconds between two events")
    for command, count in ((printing, 0), (publishing, 1)):
        command.add_argument("--count", type=int, default=count, help="events; 0 for no end")
    return parser.parse_args(given)


def _settings(path: Path, node: int | None) -> CosmicSettings:
    try:
        settings = msgspec.json.decode(path.read_bytes(), type=CosmicSettings)
    except (OSError, msgspec.DecodeError) as error:
        raise InvalidUsage(f"{path}: {error}") from error
    return settings if node is None else msgspec.structs.replace(settings, node=node)


async def run(given: Sequence[str] | None = None) -> None:
    """Do what the arguments say."""
    arguments = _arguments(given)
    settings = _settings(arguments.settings, arguments.node)
    async with Node(settings) as node:
        if arguments.command == "print":
            await _print(node, arguments)
        else:
            await _publish(node, arguments)


async def _print(node: Node, arguments: argparse.Namespace) -> None:
    node.want(arguments.subjects or None)
    left = arguments.count
    async for found in node.events():
        sys.stdout.write(encode_event(found).decode() + "\n")
        sys.stdout.flush()
        left -= 1
        if left == 0:
            return


async def _publish(node: Node, arguments: argparse.Namespace) -> None:
    try:
        data = msgspec.json.decode(arguments.data, type=dict[str, object])
    except msgspec.DecodeError as error:
        raise InvalidUsage(f"the data is not a JSON object: {error}") from error
    left = arguments.count
    while True:
        miss = await node.publish(event("", "", arguments.subject, data))
        if miss is not None:
            sys.stderr.write(f"{arguments.subject}: the bus was not free within the deadline\n")
        left -= 1
        if left == 0:
            return
        await asyncio.sleep(arguments.every)


def main() -> int:
    """Run until done or interrupted; 2 for wrong usage, 1 for a bus that does not work."""
    try:
        with suppress(KeyboardInterrupt):
            asyncio.run(run())
    except TidingsError as error:
        sys.stderr.write(f"{error}\n")
        return 2 if isinstance(error, BadInput) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
