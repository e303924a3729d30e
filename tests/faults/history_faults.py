"""Faults in reading the past and in the way from there into the present, and what catches each.

``python -m tests.faults.history_faults <package folder>`` runs scenes on the package in a folder;
it prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import tidings
from tests.doors import test_history as scenes
from tests.doors.services import InProcessService
from tests.faults.fault import Fault
from tests.unit.engine import test_history, test_history_kept

CAUGHT = "caught:"
# A fault may make somebody wait for ever; then this many seconds catch it.
PATIENCE = 8

HISTORY, INDEX = "engine/history.py", "stores/event_index.py"
CARRYING, RECOVERY, DOOR = "engine/carrying.py", "engine/recovery.py", "engine/door.py"
PAST, CLIENT, SUBSCRIPTION = "client/past.py", "client/client.py", "client/subscription.py"

HISTORY_FAULTS = [
    Fault(
        "what was replayed comes again over the line",
        PAST,
        "self._seen.add(message.seq)",
        "self._seen.add(0)",
    ),
    Fault(
        "the past is read before there is a line",
        CLIENT,
        "        stream = await self._proxies.linked(connect, "
        "self._transport.receive(connect, on_offers))\n"
        "        made = Subscription(\n",
        "        early = await self.peek(info.id, wanted, since=start or 0, most=10**6)\n"
        "        stream = await self._proxies.linked(connect, "
        "self._transport.receive(connect, on_offers))\n"
        "        if start is not None:\n"
        "            made = Subscription(self._transport, info.id, proxy, stream,\n"
        "                                named=bool(name), manual=manual_ack)\n"
        "            past = Past(self._transport, info.id, (None, None))\n"
        "            past.end, past.page = True, lambda: asyncio.sleep(0, early)\n"
        "            made.begin_with(past)\n"
        "            return made\n"
        "        made = Subscription(\n",
    ),
    Fault(
        "what was carried forward comes twice",
        HISTORY,
        "or record.seq <= self._reached\n",
        "or record.seq <= (self._asked.after or 0)\n",
    ),
    Fault(
        "an event that is not synced is seen",
        INDEX,
        "stop = synced.offset if stop is None else min(stop, synced.offset)",
        "stop = journal.end.offset",
    ),
    Fault(
        "a page does not wait for what is being written",
        HISTORY,
        "self._host.writer.after_writes(settle)",
        "settle()",
    ),
    Fault(
        "what the disk refused is counted",
        HISTORY,
        "min(latest, channel.seq)",
        "latest",
    ),
    Fault(
        "the past comes behind the present",
        PAST,
        "if self._pausing or self._past is not None:",
        "if self._pausing:",
    ),
    Fault(
        "the service is told what became of the past",
        PAST,
        "[message for message in messages if message.seq not in self._seen]",
        "messages",
    ),
    Fault(
        "what was replayed stays with the service",
        PAST,
        "            self._live.ack(message)\n        return message\n\n    async def batch",
        "            pass\n        return message\n\n    async def batch",
    ),
    Fault(
        "closing does not end the past",
        SUBSCRIPTION,
        "            self._replay.stop()",
        "            pass",
    ),
    Fault(
        "the filters of the admin do not count for the past",
        PAST,
        "Rule(tuple(shared), admin.types)",
        "Rule()",
    ),
    Fault(
        "nobody remembers what was dropped",
        CARRYING,
        "for o, n in self._highest.items() if o in known}",
        "for o, n in self._highest.items() if not o}",
    ),
    Fault(
        "what was dropped is forgotten with a restart",
        RECOVERY,
        "found.dropped_before(journal.segments[0])",
        "None",
    ),
    Fault("a drop that did not happen counts", RECOVERY, "if upto <= segment:", "if upto:"),
    Fault(
        "events of other channels are seen",
        HISTORY,
        "or record.channel != self._origin",
        "or not record.channel",
    ),
    Fault(
        "a page goes on behind a gap",
        HISTORY,
        "        if self._messages:\n            return True\n",
        "",
    ),
    Fault(
        "segments of which nothing is known are passed over",
        HISTORY,
        "elif index.complete or self._explore(index):",
        "else:",
    ),
    Fault("the last of a moment is left out", INDEX, "found[1] >= since)", "found[1] > since)"),
    Fault(
        "everybody may look back",
        DOOR,
        "self._host.access.require(self._principal, Verb.SUBSCRIBE, Place(channel))",
        "pass",
    ),
]


def checks(folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """The tests of the engine that need a folder, and the scenes that need a service."""
    for module in (test_history, test_history_kept):
        for name, test in _tests(module, ["tmp_path"]):
            place = folder / "engine" / name
            place.mkdir(parents=True)
            yield name, partial(test, place)
    for name, test in _tests(scenes, ["lasting"]):
        place = folder / name
        place.mkdir()
        yield name, partial(_played, test, place / "data")


def _tests(module: Any, needed: list[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, test in vars(module).items():
        if name.startswith("test_") and list(inspect.signature(test).parameters) == needed:
            yield name, test


def _played(test: Callable[..., Any], folder: Path) -> None:
    async def scene() -> None:
        service = InProcessService(folder)
        try:
            await test(service)
        finally:
            await service.close()

    asyncio.run(scene())


def _lost_patience(*_: object) -> None:
    raise TimeoutError("somebody waits for ever")


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    logging.disable()
    signal.signal(signal.SIGALRM, _lost_patience)
    with tempfile.TemporaryDirectory() as folder:
        for name, check in checks(Path(folder)):
            signal.alarm(PATIENCE)
            try:
                check()
            except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 -- whatever it is
                sys.stdout.write(f"{CAUGHT} {name}: {error!r}\n")
                return 1
            finally:
                signal.alarm(0)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
