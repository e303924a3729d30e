"""Faults in the core of channels, and a compact check that must catch each.

The check lives some random lives beside the model, and then tells the stories of the unit tests.
``python -m tests.faults.core_faults <package folder>`` runs it on the package in a folder; it
prints what it caught and exits 1, or exits 0.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import tidings
from tests.faults.fault import Fault
from tests.property.channel_observed import KINDS
from tests.property.channel_worlds import World

CAUGHT = "caught:"
ANSWERS = "channel/answers.py"
BACKLOG = "channel/backlog.py"
CHANNEL = "channel/channel.py"
DELIVERY = "channel/delivery.py"
LIFECYCLE = "channel/lifecycle.py"
OVERFLOW = "channel/overflow.py"

STORIES = (
    "channel", "lifecycle", "delivery", "batches", "pulls", "polling", "overflow", "spill", "times",
    "revoke", "factory",
)  # fmt: skip
LIVES = 6
STEPS = 100

CORE_FAULTS = [
    Fault(
        "who comes between the parts of a whole push takes its room",
        CHANNEL,
        "ahead = 0 if promised else self.promised",
        "ahead = 0",
    ),
    Fault(
        "a number is used for an event that is refused",
        CHANNEL,
        "        is_full = self._is_full_for(",
        "        self.seq += 1\n        is_full = self._is_full_for(",
    ),
    Fault(
        "a mark is not remembered",
        CHANNEL,
        "        if mark is not None:\n            self.marks.record(mark, seq)",
        "        if mark is not None and seq > 1 << 40:\n            self.marks.record(mark, seq)",
    ),
    Fault(
        "an event may be delivered before its start",
        CHANNEL,
        "if start is not None and start > now:",
        "if start is not None and start > now + 300:",
    ),
    Fault(
        "memory is given back for every copy",
        CHANNEL,
        "                settled.append(seq)\n                octets += entry[3]",
        "                settled.append(seq)\n            octets += entry[3]",
    ),
    Fault(
        "a full channel takes one more",
        CHANNEL,
        "is_full = most > 0 and waiting + ahead >= most",
        "is_full = most > 0 and waiting + ahead > most",
    ),
    Fault(
        "durable recipients are all recipients",
        CHANNEL,
        "durable = [proxy.id for proxy in recipients if proxy.durable]",
        "durable = [proxy.id for proxy in recipients]",
    ),
    Fault(
        "the second acknowledgement counts again",
        ANSWERS,
        "found = map(flight.pop, seqs, repeat(None))",
        "found = map(flight.get, seqs, repeat(None))",
    ),
    Fault(
        "a success does not end a row of failures",
        ANSWERS,
        "        delivery.failures = delivery.retry_at = 0\n",
        "        delivery.retry_at = 0\n",
    ),
    Fault(
        "a persistent connection is given up",
        ANSWERS,
        "if not proxy.durable and delivery.failures >= settings.retry_limit:",
        "if delivery.failures >= settings.retry_limit:",
    ),
    Fault(
        "every failure in a pause counts",
        ANSWERS,
        "if delivery.retry_at > now or proxy.style is Style.PULL:",
        "if proxy.style is Style.PULL:",
    ),
    Fault(
        "the same event is rejected twice",
        ANSWERS,
        "for seq in dict.fromkeys(command.seqs) if seq in flight",
        "for seq in command.seqs if seq in flight",
    ),
    Fault(
        "what is delivered again takes no memory",
        ANSWERS,
        "        channel.core.octets += entry.octets\n",
        "        channel.core.octets += 0\n",
    ),
    Fault(
        "a revoked event leaves its place in the window taken",
        ANSWERS,
        "        core.touched[proxy] = None\n    channel.backlog = None",
        "    channel.backlog = None",
    ),
    Fault(
        "what was on the disk comes before what was held",
        ANSWERS,
        'sorted([*command.entries, *held], key=attrgetter("seq"))',
        "[*command.entries, *held]",
    ),
    Fault(
        "the best in an old order is taken for the best",
        ANSWERS,
        "if asked is not None and asked is not delivery.queue.order and command.left:",
        "if asked is None and command.left:",
    ),
    Fault(
        "events come back in the order their failures did",
        DELIVERY,
        "earlier = {seq for seq in returned if seq < highest}",
        "earlier = {seq for seq in returned if seq < 0}",
    ),
    Fault(
        "what came back is not marked",
        DELIVERY,
        "    delivery.again.update(entry.seq for entry in back)\n",
        "",
    ),
    Fault(
        "the first cause is forgotten",
        DELIVERY,
        "            del causes[1]",
        "            del causes[0]",
    ),
    Fault(
        "a clock that is set does not move what is in flight",
        DELIVERY,
        "{seq: shifted(entry, delta) for seq",
        "{seq: entry for seq",
    ),
    Fault(
        "another order holds only for what is in memory",
        DELIVERY,
        "            self.boundary = _BEFORE_ALL\n",
        "            pass\n",
    ),
    Fault(
        "everything goes before what is on the disk",
        DELIVERY,
        "return self.boundary is None or not self.queue.is_before(self.boundary, entry)",
        "return True",
    ),
    Fault(
        "a reconnected consumer does not get what was in flight",
        LIFECYCLE,
        "    end_pulls(proxy)\n    put_back(proxy)\n",
        "    end_pulls(proxy)\n",
    ),
    Fault(
        "what a cut consumer had in flight is never swept",
        LIFECYCLE,
        "            self._core.touched[proxy] = None  # what waits again may expire\n",
        "",
    ),
    Fault(
        "a default admin does not come back",
        LIFECYCLE,
        "        if admin.id == 0:\n",
        "        if admin.id < 0:\n",
    ),
    Fault(
        "who is gone is still told",
        LIFECYCLE,
        "told = tell and proxy.reachable",
        "told = tell",
    ),
    Fault(
        "the oldest stays when too many wait",
        OVERFLOW,
        "    pump(proxy, now)  # what can be handed over does not have to go\n",
        "",
    ),
    Fault(
        "best-effort events go to the disk",
        OVERFLOW,
        "    elif entry.flags & PERSISTENT:\n        spill(proxy, delivery, [entry])",
        "    elif entry.flags >= 0:\n        spill(proxy, delivery, [entry])",
    ),
    Fault(
        "the account of spilled events stays in memory",
        OVERFLOW,
        "    channel.unload(entries)\n",
        "",
    ),
    Fault(
        "persistent events go to make room in memory",
        OVERFLOW,
        "waiting = [entry for entry in delivery.queue.entries() if entry.octets]",
        "waiting = delivery.queue.entries()",
    ),
    Fault(
        "the newest goes from a full channel",
        BACKLOG,
        "    return (entry.seq,)\n",
        "    return (-entry.seq,)\n",
    ),
    Fault(
        "what was in flight leaves its place in the window taken",
        BACKLOG,
        "                    channel.core.touched[proxy] = None  # it may have been in flight\n",
        "",
    ),
    Fault(
        "a lease does not end",
        "channel/alarms.py",
        "over = [seq for seq, until in delivery.leases.items() if until <= now]",
        "over = [seq for seq, until in delivery.leases.items() if until < 0]",
    ),
    Fault(
        "a pull whose time is over gets nothing though there is something",
        "channel/alarms.py",
        "    serve_pulls(proxy, delivery, now)\n    for pull",
        "    for pull",
    ),
    Fault(
        "the youngest pull is served first",
        "channel/pulls.py",
        "        delivery.pulls.popleft()\n",
        "        delivery.pulls.pop()\n",
    ),
    Fault(
        "more is in flight than the window holds",
        "channel/pumping.py",
        "room = proxy.window - len(delivery.flight)",
        "room = proxy.window",
    ),
    Fault(
        "a batch does not wait for the one before",
        "channel/pumping.py",
        "not delivery.flight or len(delivery.flight) + size <= proxy.window",
        "True",
    ),
    Fault(
        "a full channel goes on asking",
        "channel/polling.py",
        "    if not most:  #",
        "    if most < 0:  #",
    ),
    Fault(
        "the later of two ends counts",
        "channel/lifetimes.py",
        "if stop is not None and stop < by_timeout:",
        "if stop is not None and stop > by_timeout:",
    ),
    Fault(
        "the consumer's proxy goes before the header",
        "channel/lifetimes.py",
        "if not quality.own_priority and not priority:",
        "if not priority or qos.priority:",
    ),
]


def lives() -> Iterator[str]:
    """Random lives, beside the model."""
    for seed in range(LIVES):
        for kind in KINDS:
            try:
                World(kind, seed, Counter()).run(STEPS)
            except AssertionError:
                yield f"a life of kind {kind}, number {seed}"


def stories() -> Iterator[str]:
    """The stories of the unit tests, as far as they need nothing."""
    for module in STORIES:
        found = importlib.import_module(f"tests.unit.channel.test_{module}")
        for name, story in _stories_of(found):
            try:
                story()
            except AssertionError:
                yield f"{module}: {name}"


def _stories_of(module: object) -> Iterator[tuple[str, Callable[[], None]]]:
    for name, one in vars(module).items():
        if inspect.isclass(one) and name.startswith("Test"):
            yield from _stories_of_class(one)
        elif name.startswith("test_") and not inspect.signature(one).parameters:
            yield name, one


def _stories_of_class(cls: type) -> Iterator[tuple[str, Callable[[], None]]]:
    for name in vars(cls):
        story = getattr(cls(), name)
        if name.startswith("test_") and not inspect.signature(story).parameters:
            yield name, story


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    for check in (lives, stories):
        try:
            found = next(check(), None)
        except Exception as error:  # noqa: BLE001 -- whatever it is, it was caught
            found = repr(error)
        if found is not None:
            sys.stdout.write(f"{CAUGHT} {found}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
