"""Faults in the parts of the core that stand alone, and a compact check that must catch each.

Offers, marks of producers and translation. ``python -m tests.faults.channel_parts_faults
<package folder>`` runs the check on the package in a folder; it prints what it caught and exits
1, or exits 0.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import tidings
from tests.faults.fault import Fault
from tidings.channel.offers import ALL_TYPES, TypeChange, TypeList, TypeRegistry, overlap, wanted_by
from tidings.channel.producers import ProducerMarks
from tidings.channel.settings import Limits
from tidings.channel.translation import approximate_octets, entered, left_as
from tidings.channel.vocabulary import Form
from tidings.errors import InvalidUsage, NumberTooOld
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any, Value
from tidings.events.build import event
from tidings.events.envelope import ProducerMark
from tidings.events.fields import fields_for
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import EventTypePattern

CAUGHT = "caught:"
OFFERS = "channel/offers.py"
PRODUCERS = "channel/producers.py"
TRANSLATION = "channel/translation.py"

CHANNEL_PARTS_FAULTS = [
    Fault(
        "every owner of a type is told to the other side",
        OFFERS,
        "                owners[owner] = None",
        "                owners[owner] = None\n                added.append(pattern)",
    ),
    Fault(
        "a type ends when one of its owners leaves",
        OFFERS,
        "            if not owners:",
        "            if True:",
    ),
    Fault(
        "the union of before the change is shown",
        OFFERS,
        "            self._sorted = None",
        "            pass",
    ),
    Fault(
        "all types have several forms",
        OFFERS,
        "ALL_TYPES if _means_all(one) else one",
        "one",
    ),
    Fault(
        "two wildcards always overlap",
        OFFERS,
        "        end.endswith(other_end) or other_end.endswith(end)",
        "        True",
    ),
    Fault(
        "what is added is removed again",
        OFFERS,
        "(_normal(current) - _normal(removed)) | _normal(added)",
        "(_normal(current) | _normal(added)) - _normal(removed)",
    ),
    Fault(
        "a proxy without types wants nothing",
        OFFERS,
        "named if named and ALL_TYPES not in named",
        "named if ALL_TYPES not in named",
    ),
    Fault(
        "the next number needs no next sequence number",
        PRODUCERS,
        "if number == numbers.last + 1 and distance == numbers.distance:",
        "if number == numbers.last + 1:",
    ),
    Fault(
        "forgotten numbers are judged",
        PRODUCERS,
        "        if mark.number <= numbers.floor:",
        "        if False:",
    ),
    Fault(
        "alternating producers use their window up",
        PRODUCERS,
        "if place and older.lasts[place - 1] == start - 1:",
        "if False:",
    ),
    Fault(
        "a forgotten answer is that of a filter",
        PRODUCERS,
        "            return UNKNOWN_SEQ\n",
        "            return 0\n",
    ),
    Fault(
        "a number between two runs makes only the lower one longer",
        PRODUCERS,
        "lasts[place - 1] = self.pop(place)[1] if above else number",
        "lasts[place - 1] = number",
    ),
    Fault(
        "the second answer replaces the first",
        PRODUCERS,
        "elif number > numbers.last or (number > numbers.floor and numbers.seq(number) is None):",
        "else:",
    ),
    Fault(
        "the busiest producer is forgotten",
        PRODUCERS,
        "        self._numbers.move_to_end(mark.producer)\n        if number",
        "        if number",
    ),
    Fault(
        "what a filter stopped gets a sequence number",
        PRODUCERS,
        "distance = seq - number if seq else _NO_SEQ",
        "distance = seq - number",
    ),
    Fault(
        "runs may lie above each other",
        PRODUCERS,
        "or not below < start <=",
        "or not start <=",
    ),
    Fault(
        "an event in an any stays there",
        TRANSLATION,
        "inside = event_in_any(item) if unwrap else None",
        "inside = None",
    ),
    Fault(
        "an event of type any is opened, whatever it has beside its body",
        TRANSLATION,
        "    while is_any(event):\n",
        "    while event.type == _ANY_TYPE:\n",
    ),
    Fault(
        "only one wrapping is undone",
        TRANSLATION,
        "        event = inside\n",
        "        return inside\n",
    ),
    Fault(
        "an any leaves as an event in an any",
        TRANSLATION,
        "    if event.type != _ANY_TYPE:\n        return event.as_any()",
        "    if event.type:\n        return event.as_any()",
    ),
    Fault(
        "filters always see an event",
        "events/fields.py",
        "AnyFields(event.body, now) if is_any(event)",
        "AnyFields(event.body, now) if not event.type",
    ),
    Fault(
        "wide texts count by their characters",
        TRANSLATION,
        "total += value.__sizeof__()",
        "total += len(value)",
    ),
    Fault(
        "what stands twice in a value is looked at again",
        TRANSLATION,
        "        counted.add(id(one))\n",
        "        counted.add(len(waiting) + total)\n",
    ),
]


def types_told() -> Iterator[str]:
    """The union of types, and what is told of its changes."""
    speed, jam = EventTypePattern("Traffic", "Speed"), EventTypePattern("Traffic", "Jam")
    registry = TypeRegistry[int]()
    if registry.replace(1, [speed]) != TypeChange((speed,), ()) or registry.types() != (speed,):
        yield "a first type"
    if registry.replace(2, [speed]):
        yield "a second owner is told"
    if registry.withdraw(1) or registry.types() != (speed,):
        yield "the first of two owners left"
    if registry.replace(2, [jam]) != TypeChange((jam,), (speed,)) or registry.types() != (jam,):
        yield "one type for another"
    registry.replace(2, [EventTypePattern("*", "*")])
    if registry.types() != (ALL_TYPES,):
        yield "the form of all types"
    if overlap(EventTypePattern("D", "A*b"), EventTypePattern("D", "A*c")):
        yield "texts with two ends"
    only = TypeList().changed([speed], [])
    if only.changed([speed], [speed]) != only:
        yield "removed and added at once"
    if wanted_by(frozenset(), TypeList(), frozenset(), TypeList()) != {ALL_TYPES}:
        yield "a proxy that names nothing"


def _seen(marks: ProducerMarks, number: int) -> int | str | None:
    try:
        return marks.seen(ProducerMark("p", number))
    except NumberTooOld:
        return "old"


def answers() -> Iterator[str]:
    """What the same mark is answered with."""
    limits = Limits(producers=2, producer_runs=3)
    for given, numbers, expected in [
        ([(1, 5), (2, 7)], (1, 2), [5, 7]),
        ([(1, 5), (1, 9), (2, 6)], (1, 2), [5, 6]),
        ([(1, 1), (3, 3), (2, 2), (7, 5), (9, 6)], (1, 2, 3, 7, 9), [1, 2, 3, 5, 6]),
        ([(10, 1), (20, 2), (30, 3), (40, 4)], (5, 10, 20, 30, 40), [None, -1, 2, 3, 4]),
        ([(n, n) for n in range(10, 80, 10)], (5, 10, 15, 20, 50), ["old", "old", None, -1, 50]),
        ([(n, 2 * n) for n in range(1, 20)], (0, 1, 16, 17, 20), [None, -1, -1, 34, None]),
        ([(1, 4), (2, 0), (3, 0), (4, 0), (5, 0)], (1, 2, 3, 6), [4, 0, 0, None]),
    ]:
        marks = ProducerMarks(limits)
        for number, seq in given:
            marks.record(ProducerMark("p", number), seq)
        found = [_seen(marks, number) for number in numbers]
        if found != expected:
            yield f"{given} is answered with {found}"
    marks = ProducerMarks(limits)
    for seq, producer in enumerate("abac"):
        marks.record(ProducerMark(producer, seq), seq + 1)
    if [marks.highest(producer) for producer in "abc"] != [2, None, 3]:
        yield "another producer was forgotten"
    try:
        ProducerMarks.from_plain([["p", -1, [[5, 1, 2], [6, 9, 1]]]], limits)
    except InvalidUsage:
        return
    yield "a number in two runs"


def forms() -> Iterator[str]:
    """Events as they enter and leave, and what they weigh."""
    speed, box = event("Traffic", "Speed", data={"kmh": 80}), Any(tc.SHORT, 4)
    bare = entered(box, unwrap=True)
    if entered(speed.as_any(), unwrap=True) != speed:
        yield "an event in an any"
    named = event("", "%ANY", "name", body=speed.as_any())
    if entered(named, unwrap=True) != named:
        yield "an event of type any"
    once = event("", "%ANY", body=speed.as_any())
    if entered(event("", "%ANY", body=once.as_any()), unwrap=True) != speed:
        yield "an event wrapped twice"
    if left_as(bare, Form.ANY) != box or left_as(speed, Form.ANY) != speed.as_any():
        yield "the form of an any"
    if type(fields_for(bare, 0)) is type(fields_for(speed, 0)):
        yield "what filters see"
    if approximate_octets(event("", "T", data={"text": "😀" * 9_000})) < 12_000:
        yield "a wide text weighs little"
    value: Value = ("x",)
    for _ in range(12):
        value = (value, value)
    if approximate_octets(StructuredEvent(body=value)) > 9_000:
        yield "the same container is weighed again"


def main(package: str) -> int:
    """Checks the package in a folder; 1 if something is wrong with it."""
    assert Path(tidings.__file__).is_relative_to(package), "another copy is on the path"
    for check in (types_told, answers, forms):
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
