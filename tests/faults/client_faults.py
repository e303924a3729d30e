"""Faults in the client and its door, and the scenes of the behaviour suite that must catch each.

``python -m tests.faults.client_faults <package folder>`` runs those scenes on the package in a
folder; it prints what it caught and exits 1, or exits 0.
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
from tests.doors import (
    test_access,
    test_batches,
    test_dead_letters,
    test_publishing,
    test_pulling,
    test_resuming,
    test_subscribing,
)
from tests.doors.services import InProcessService
from tests.faults.fault import Fault
from tests.unit.client import test_sync
from tests.unit.client.configuration import test_rehearsal
from tidings.errors import InvalidUsage
from tidings.server.embedded import embedded_sync

CAUGHT = "caught:"
# A fault may make somebody wait for ever; then this many seconds catch it.
PATIENCE = 2

SUBSCRIPTION, PUBLISHING = "client/subscription.py", "client/publishing.py"
CLIENT, CONNECTION = "client/client.py", "client/connection.py"
PROXIES, SYNC, DOOR = "client/proxies.py", "client/sync.py", "engine/door.py"

CLIENT_FAULTS = [
    Fault(
        "an event is acknowledged before the body ran",
        SUBSCRIPTION,
        "            self._out = (message,)",
        "            stream.ack(message)",
    ),
    Fault(
        "asking for the next acknowledges nothing",
        SUBSCRIPTION,
        "        if self._out:\n            self._ack_out()\n        stream",
        "        stream",
    ),
    Fault(
        "manual acknowledgement is forgotten",
        SUBSCRIPTION,
        "        if not self._manual:\n            self._out = (message,)",
        "        self._out = (message,)",
    ),
    Fault(
        "what an error came from is acknowledged",
        SUBSCRIPTION,
        "            self._out = ()  #",
        "            pass  #",
    ),
    Fault(
        "what a loop was left at comes again",
        SUBSCRIPTION,
        "        self._ack_out()\n        await super().close()",
        "        await super().close()",
    ),
    Fault(
        "asking for more acknowledges what is to be retried",
        SUBSCRIPTION,
        "[other for other in self._out if other is not message]",
        "list(self._out)",
    ),
    Fault(
        "what comes again is not marked",
        SUBSCRIPTION,
        "stream.redelivered(message.seq), self)",
        "False, self)",
    ),
    Fault(
        "what is pulled again is not marked",
        SUBSCRIPTION,
        "m.seq in found.again",
        "False",
    ),
    Fault(
        "next without patience does not look",
        SUBSCRIPTION,
        "async with asyncio.timeout(seconds):\n                return await anext(self)",
        "return await asyncio.wait_for(anext(self), seconds)",
    ),
    Fault(
        "a lease is forgotten",
        SUBSCRIPTION,
        "_microseconds(lease)",
        "None",
    ),
    Fault(
        "the number is not raised",
        PUBLISHING,
        "self.number += 1\n            mark = ProducerMark.trusted(self.producer, self.number)",
        "mark = ProducerMark.trusted(self.producer, self.number + 1)",
    ),
    Fault("numbers of a batch are used twice", PUBLISHING, "+= len(events)", "+= 1"),
    Fault(
        "a number of the program's own is used twice",
        PUBLISHING,
        "self.number = max(self.number, number)",
        "self.number += 0",
    ),
    Fault(
        "a producer begins anew after a restart",
        CLIENT,
        "last = await self._transport.highest_number(info.id, producer) or 0",
        "last = 0",
    ),
    Fault(
        "two who publish at once make two publishers",
        CLIENT,
        "                found = self._publishers.get(channel)\n                if found is None:",
        "                if found is None:",
    ),
    Fault(
        "the window is not told",
        CLIENT,
        "window=window, again=again)\n        stream",
        "window=WINDOW, again=again)\n        stream",
    ),
    Fault("a named one is deleted by closing", CONNECTION, "end = not self._named", "end = True"),
    Fault("an unnamed one stays", CONNECTION, "end = not self._named", "end = False"),
    Fault(
        "the constraint of before counts on",
        PROXIES,
        "await self._transport.ask(RemoveFilter(place, attachment))",
        "assert RemoveFilter(place, attachment)",
    ),
    Fault("a shared filter is taken off", PROXIES, " and found.private", ""),
    Fault("what cannot be connected stays", PROXIES, "if not connect.again:", "if connect.again:"),
    Fault("who was replaced cuts the line", DOOR, "        elif current:\n", "        else:\n"),
    Fault(
        "the line is cut before acknowledgements leave",
        DOOR,
        "        if current:  #",
        "        if channel < 0:  #",
    ),
    Fault(
        "nobody owns what is made",
        DOOR,
        "command = replace(command, owner=principal.name)",
        'command = replace(command, owner="")',
    ),
    Fault("everybody sees dead letters", DOOR, " if self._may_use(letter)]", "]"),
    Fault(
        "a closed client leaves all it made",
        DOOR,
        "if endpoint in self._endpoints and not waits:",
        "if endpoint is None:",
    ),
    Fault(
        "an error in a plain loop acknowledges",
        SYNC,
        "self.asynchronous.__aexit__(kind, error, trace)",
        "self.asynchronous.close()",
    ),
    Fault(
        "a header property of the wrong type is ignored",
        "channel/qos_check.py",
        "if error.code not in _IGNORED:",
        "if error.code in ():",
    ),
    Fault(
        "a duration in a header stays a text",
        "channel/channel.py",
        "return with_standard_types(event) if event.header else event",
        "return event",
    ),
    Fault(
        "admins are given what they cannot be",
        "client/configuration/diff.py",
        "if n in (own if n in fixed else changed)",
        "if n in changed",
    ),
    Fault(
        "what a channel promises does not reach its publishers",
        "channel/adjusting.py",
        "{n: v for n, v in fixed.items() if n in given}",
        "{}",
    ),
    Fault(
        "a rehearsal forgets who else is there",
        "client/configuration/rehearsal.py",
        "found.strangers.get(name, ())",
        "()",
    ),
    Fault(
        "nothing is said of a slip in a standard name",
        "channel/qos_check.py",
        "for warning in map(_slip, others) if warning",
        "for warning in map(_slip, ())",
    ),
]

MODULES = (
    test_subscribing,
    test_publishing,
    test_resuming,
    test_batches,
    test_pulling,
    test_dead_letters,
    test_access,
)


def checks(folder: Path) -> Iterator[tuple[str, Callable[[], None]]]:
    """The scenes that need a service and nothing else."""
    for module in MODULES:
        for name, test in vars(module).items():
            needed = list(inspect.signature(test).parameters) if name.startswith("test_") else []
            if needed in (["service"], ["lasting"]):
                place = folder / name / "data" if needed == ["lasting"] else None
                yield name, partial(_played, test, place)
    nothing_behind = test_subscribing.test_a_subscription_that_cannot_be_had_leaves_nothing_behind
    refused = partial(nothing_behind, settings={"window": 0}, error=InvalidUsage)
    yield "nothing behind", partial(_played, refused, None)
    once = partial(test_publishing.test_the_same_number_is_accepted_once_across_restarts, kill=True)
    yield "restarts", partial(_played, once, folder / "restarts" / "data")
    yield (
        "reliability",
        test_rehearsal.test_the_reliability_of_a_channel_with_a_publisher_can_be_changed,
    )
    yield "rehearsal", test_rehearsal.test_proxies_without_a_name_count_in_a_rehearsal
    with embedded_sync() as client:
        yield "sync", partial(test_sync.test_what_an_error_came_from_comes_again, client)


def _played(test: Callable[..., Any], folder: Path | None) -> None:
    async def scene() -> None:
        service = InProcessService(folder)
        try:
            await test(service)
        finally:
            await service.close()

    if folder is not None:
        folder.parent.mkdir()
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
