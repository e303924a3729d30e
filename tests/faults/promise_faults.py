"""Faults that break the promises of docs/promises.md, and for each the row that must catch it.

``python -m tests.faults.promise_faults <package folder> <test> ...`` plays the tests of rows on the
package in a folder, in-process, over the web and over CORBA; it prints what it caught and exits 1,
or exits 0.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import pytest

import tidings
from tests.doors import test_promises_in, test_promises_out
from tests.doors.corba import IiopService
from tests.doors.services import HttpService, InProcessService
from tests.faults.fault import Fault

CAUGHT = "caught:"
# A fault may make somebody wait for ever; then this many seconds catch it.
PATIENCE = 60

Test = Callable[..., Any]

ROWS: Final[dict[str, Test]] = {
    name: test
    for name, test in {**vars(test_promises_out), **vars(test_promises_in)}.items()
    if name.startswith("test_")
}
"""The tests of the rows, in the order of the page."""


class PromiseFault(NamedTuple):
    """A fault, and the test of the row that it breaks."""

    fault: Fault
    test: str


def _planted(test: Test, name: str, module: str, old: str, new: str) -> PromiseFault:
    return PromiseFault(Fault(name, module, old, new), test.__name__)


ENDPOINTS, SUBSCRIPTION = "engine/endpoints.py", "client/subscription.py"
CORBA_ENDPOINTS = "servants/endpoints.py"
PULLING, TAIL, SOCKETS = "web/routes/pulling.py", "web/tail.py", "web/sockets.py"
PROXIES, LINE_ANSWERS = "web/routes/proxies.py", "web/line_answers.py"

PROMISE_FAULTS: Final = [
    _planted(
        test_promises_out.test_in_process_handler,
        "an event is gone before the call returns",
        ENDPOINTS,
        "                self._task = loop.create_task(self._run(handed, answer))\n",
        "                self._answers.ack(*self._address, _seqs(handed))\n"
        "                self._task = loop.create_task(self._run(handed, answer))\n",
    ),
    _planted(
        test_promises_out.test_in_process_handler,
        "what is behind overtakes what failed",
        ENDPOINTS,
        "            seqs += _seqs(waiting)\n        self._queue.clear()\n",
        "            assert waiting\n",
    ),
    _planted(
        test_promises_out.test_in_process_subscription,
        "asking for the next acknowledges nothing",
        SUBSCRIPTION,
        "        if self._out:\n            self._ack_out()\n        stream",
        "        stream",
    ),
    _planted(
        test_promises_out.test_in_process_subscription,
        "what a subscription gets again is not marked",
        SUBSCRIPTION,
        "stream.redelivered(message.seq), self)",
        "False, self)",
    ),
    _planted(
        test_promises_out.test_websocket,
        "the window lets one more in",
        SOCKETS,
        "frame.notices, frame.window,",
        "frame.notices, frame.window + 1,",
    ),
    _planted(
        test_promises_out.test_websocket,
        "what a socket gets again is not marked",
        "web/lines.py",
        "if message.seq in again] if again else ()",
        "if message.seq in again and False]",
    ),
    _planted(
        test_promises_out.test_http_pull,
        "acknowledgements of pulled events are not heard",
        PULLING,
        "    await door.ask(asked.to_command(channel, proxy))\n",
        "    asked.to_command(channel, proxy)\n",
    ),
    _planted(
        test_promises_out.test_http_pull,
        "what is pulled again is not marked",
        PULLING,
        "message.seq in found.again",
        "message.seq in found.again and False",
    ),
    _planted(
        test_promises_out.test_http_pull_without_a_lease,
        "no lease is the usual one",
        "api/pulling.py",
        "return None if self.lease is None else round(self.lease * _SECOND)",
        "return round((self.lease or 30) * _SECOND)",
    ),
    _planted(
        test_promises_out.test_sse_tail,
        "Last-Event-ID is not heard",
        TAIL,
        "start = after if last_event_id is None else last_event_id",
        "start = after",
    ),
    _planted(
        test_promises_out.test_sse_tail,
        "the last event of before comes again",
        TAIL,
        "Replay(door, channel, wanted, start, None)",
        "Replay(door, channel, wanted, max(start - 1, 0), None)",
    ),
    _planted(
        test_promises_out.test_corba_push_consumer,
        "an event is gone before a CORBA consumer returns",
        CORBA_ENDPOINTS,
        "        if self.kind.form is Form.SEQUENCE:\n",
        "        self._answers.ack(*self._address, [one.seq for one in batch.messages])\n"
        "        if self.kind.form is Form.SEQUENCE:\n",
    ),
    _planted(
        test_promises_out.test_corba_push_consumer,
        "what is behind overtakes what a CORBA consumer did not take",
        CORBA_ENDPOINTS,
        "            seqs += [message.seq for message in waiting]\n        self._queue.clear()\n",
        "            assert waiting\n",
    ),
    _planted(
        test_promises_out.test_corba_pull,
        "what is pulled over CORBA is only leased",
        "servants/pulled.py",
        "        if messages:\n            self.door.tell(Ack",
        "        if not messages:\n            self.door.tell(Ack",
    ),
    _planted(
        test_promises_in.test_a_push_that_was_answered,
        "events are written and not synced",
        "engine/store.py",
        "            self.journal.sync()\n",
        "            if all(record.kind != Kind.EVENT for record in made):\n"
        "                self.journal.sync()\n",
    ),
    _planted(
        test_promises_in.test_a_push_without_an_answer,
        "the numbers of headers are ignored",
        "web/reading.py",
        "return Incoming(incoming.item, mark)",
        "return Incoming(incoming.item)",
    ),
    _planted(
        test_promises_in.test_a_push_without_an_answer,
        "numbers are forgotten by a restart",
        "engine/recovery.py",
        "channel.marks.record(ProducerMark.trusted(stored.producer, stored.number), seq)",
        "assert channel.marks is not None",
    ),
    _planted(
        test_promises_in.test_a_number_beyond_the_window,
        "a number that nobody can judge is accepted",
        "channel/producers.py",
        "        if mark.number <= numbers.floor:",
        "        if False:",
    ),
    _planted(
        test_promises_in.test_a_batch,
        "one bad event spoils its batch",
        "web/publishing.py",
        "asked.errors.extend(zip(places, (one.item for one in found), strict=True))",
        "raise found[0].item",
    ),
    _planted(
        test_promises_in.test_a_batch_over_corba,
        "a CORBA batch is accepted in part",
        "servants/proxies_for_suppliers.py",
        "whole=events",
        "whole=()",
    ),
    _planted(
        test_promises_in.test_two_properties_with_one_name,
        "the second of two properties with one name is dropped",
        "cos/events.py",
        "    if len(header) != in_header or len(data) != in_data:\n",
        "    if len(header) > in_header:\n",
    ),
    _planted(
        test_promises_in.test_an_event_of_the_type_any,
        "an event of type %ANY is nothing but its body",
        "channel/translation.py",
        "        if inside is None:\n            break\n        event = inside\n    return event\n",
        "        if inside is None:\n            break\n        event = inside\n"
        "    if event.type == _ANY_TYPE:\n"
        "        return StructuredEvent(_ANY_DOMAIN, _ANY_TYPE, body=event.body)\n"
        "    return event\n",
    ),
    _planted(
        test_promises_in.test_json_lines,
        "lines are answered before they are written",
        "engine/writing.py",
        "        ahead = [*self.owed, *self._riding]\n",
        "        if write.events and write.answers:\n"
        "            for post, answer in write.answers:\n"
        "                post.answer(answer)\n"
        "            write.answers = []\n"
        "            asyncio.get_running_loop().call_later(30.0, self.begin, write)\n"
        "            return\n"
        "        ahead = [*self.owed, *self._riding]\n",
    ),
    _planted(
        test_promises_in.test_json_lines,
        "lines are answered out of order",
        LINE_ANSWERS,
        "        for number, one in zip(numbers, answers, strict=True):\n",
        "        for number, one in reversed(list(zip(numbers, answers, strict=True))):\n",
    ),
    _planted(
        test_promises_in.test_a_subscription_with_a_name,
        "one with a name ends when nobody uses it",
        PROXIES,
        "    if not (asked.name or lasts):\n",
        "    if not lasts:\n",
    ),
    _planted(
        test_promises_in.test_a_subscription_without,
        "a connection does not keep it",
        "web/lifetimes.py",
        "        if self._deadlines.pop(key, None) is None and key not in self._held:\n",
        "        if key:\n",
    ),
    _planted(
        test_promises_in.test_a_subscription_without,
        "one without a name outlives the service",
        PROXIES,
        "    qos[_RELIABILITY] = Reliability.BEST_EFFORT.value\n",
        "    qos[_RELIABILITY] = Reliability.PERSISTENT.value\n",
    ),
]


def scenes(test: Test, folder: Path) -> Iterator[dict[str, Any]]:
    """What a test is handed, once for each way to a service."""
    needed = inspect.signature(test).parameters
    if "corba" in needed:
        yield {"corba": IiopService(folder / "data")}
        return
    ways: list[tuple[str, type[InProcessService | HttpService]]] = [
        ("in-process", InProcessService),
        ("web", HttpService),
    ]
    for way, kind in ways:
        place = folder / way
        place.mkdir()
        given: dict[str, Any] = {"tmp_path": place}
        if "service" in needed:
            given["service"] = kind(None)
        elif "lasting" in needed:
            given["lasting"] = kind(place / "data")
        elif kind is InProcessService:
            continue
        else:
            given["web"] = HttpService(place / "data")
        yield {name: given[name] for name in needed}


def play(test: Test, given: dict[str, Any]) -> None:
    """Plays a test, and ends its service."""
    if not inspect.iscoroutinefunction(test):
        test(**given)
        return

    async def scene() -> None:
        try:
            await test(**given)
        finally:
            for one in given.values():
                if isinstance(one, InProcessService | HttpService | IiopService):
                    await one.close()

    asyncio.run(scene())


def _lost_patience(*_: object) -> None:
    raise TimeoutError("somebody waits for ever")


def main(package: str, *tests: str) -> int:
    """Plays tests on the package in a folder; 1 if one of them fails."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    logging.disable()
    signal.signal(signal.SIGALRM, _lost_patience)
    for name in tests:
        with TemporaryDirectory(dir=package) as folder:
            for given in scenes(ROWS[name], Path(folder)):
                signal.alarm(PATIENCE)
                try:
                    play(ROWS[name], given)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 -- whatever
                    sys.stdout.write(f"{CAUGHT} {name}: {error!r}\n")
                    return 1
                finally:
                    signal.alarm(0)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
