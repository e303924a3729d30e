"""Filter demo: a stream of sample events, determined by a seed, against some subscriptions."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import median

from tidings.events.build import event
from tidings.events.fields import Fields, fields_of
from tidings.events.paths import Path
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import Constraint, constraint, event_type
from tidings.filters.explain import explain
from tidings.filters.index import MatchIndex
from tidings.filters.reasons import shown_value, verdict
from tidings.filters.to_python import Predicate
from tidings.terminal import render, why

EVENTS = 1_000
EVENTS_SHOWN = 10
MANY = 10_000
MEASURED_EVENTS = 100

# Duration of the stream on a terminal, slow enough to watch.
SECONDS_TO_WATCH = 4.0
EVENTS_PER_PICTURE = 10

ROADS = ("A3", "A8", "B12", "B27", "Harbour Street", "Mill Lane", "Ring", "School Road")
LINES = ("link lost", "link flapping", "packets lost", "signal weak", "loop detected")
PARTS = ("fan", "power supply", "line card")


@dataclass(frozen=True, slots=True)
class Subscription:
    """A sample subscription: event types and a constraint."""

    name: str
    types: str
    text: str

    def constraint(self) -> Constraint:
        """Return the compiled constraint."""
        return constraint(self.text, [event_type(self.types)])


SUBSCRIPTIONS = (
    Subscription("school zone", "Traffic::Speed", "$rate > 30 and 17 in $zones"),
    Subscription("motorway", "Traffic::Speed", "$road == 'A8' and $rate > 120"),
    Subscription("jams", "Traffic::*", "$type_name == 'Congestion' or $rate < 10"),
    Subscription("night shift", "Telecom::*Alarm", "$Priority >= 4 and $state != 'cleared'"),
    Subscription("link team", "Telecom::CommunicationsAlarm", "'link' ~ $text"),
    Subscription("spares", "Telecom::Equipment*", "$celsius > 70 or exist $broken.part"),
    Subscription("everything", "*::*", ""),
)


def sample_events(seed: int, count: int) -> Iterator[StructuredEvent]:
    """Yield sample events, the same ones for the same seed."""
    random = Random(seed)
    kinds = (_speed, _speed, _speed, _congestion, _communications, _equipment)
    for number in range(1, count + 1):
        yield random.choice(kinds)(random, number)


def _speed(random: Random, number: int) -> StructuredEvent:
    road = random.choice(ROADS)
    usual = 110 if road.startswith("A") else 45
    data: dict[str, object] = {
        "road": road,
        "rate": round(max(0.0, random.gauss(usual, usual / 4)), 1),
    }
    if random.random() > 0.1:  # some cameras do not know their zones
        data["zones"] = sorted(random.sample(range(1, 21), 2))
    return event("Traffic", "Speed", f"car-{number}", data)


def _congestion(random: Random, number: int) -> StructuredEvent:
    data = {"road": random.choice(ROADS), "metres": random.randrange(100, 3_000, 50)}
    return event("Traffic", "Congestion", f"jam-{number}", data)


def _communications(random: Random, number: int) -> StructuredEvent:
    data = {
        "text": random.choice(LINES),
        "node": f"node-{random.randrange(40)}",
        "state": random.choice(("raised", "raised", "cleared")),
    }
    priority = random.randint(0, 6)
    return event("Telecom", "CommunicationsAlarm", f"alarm-{number}", data, priority=priority)


def _equipment(random: Random, number: int) -> StructuredEvent:
    data: dict[str, object] = {
        "node": f"node-{random.randrange(40)}",
        "celsius": round(random.gauss(55, 12), 1),
        "state": "raised",
    }
    if random.random() < 0.3:
        data["broken"] = {"part": random.choice(PARTS), "slot": random.randrange(12)}
    priority = random.randint(0, 6)
    return event("Telecom", "EquipmentAlarm", f"alarm-{number}", data, priority=priority)


def many_subscriptions(seed: int, count: int) -> Iterator[Constraint]:
    """Yield constraints that each watch one node or one zone."""
    random = Random(seed)
    for _ in range(count):
        if random.random() < 0.5:
            celsius, node = random.randrange(60, 110), random.randrange(400)
            yield constraint(f"$node == 'node-{node}' and $celsius > {celsius}")
        else:
            rate, zone = random.randrange(40, 180), random.randrange(1, 400)
            yield constraint(f"$rate > {rate} and $zones[0] == {zone}")


def play_filters(seed: int) -> None:
    """Show who gets which events, why one does not get one, and what matching costs."""
    events = list(sample_events(seed, EVENTS))
    constraints = {one.name: one.constraint() for one in SUBSCRIPTIONS}
    _subscriptions()
    received = _stream(events, constraints)
    _check_by_loop(events, constraints, received)
    _near_miss(events, constraints)
    _many(seed)


def _subscriptions() -> None:
    render.say("Who wants what", "bold")
    rows = [(one.name, one.types, one.text or "(everything)") for one in SUBSCRIPTIONS]
    render.table(("subscription", "event types", "constraint"), rows)
    render.say()


def _stream(events: Sequence[StructuredEvent], constraints: dict[str, Constraint]) -> Counter[str]:
    """Match the events with the index; return how many each subscription received."""
    index: MatchIndex[str] = MatchIndex()
    for name, asked in constraints.items():
        index.add(name, (asked,))
    received: Counter[str] = Counter()
    watched = render.on_terminal()
    render.say(f"{len(events)} events, and who gets them", "bold")
    with render.live_table(_HEADINGS, _NUMBERS) if watched else nullcontext() as show:
        for number, one in enumerate(events, 1):
            names = index.match(fields_of(one))
            received.update(names)
            if show is not None and number % EVENTS_PER_PICTURE == 0:
                show(_counts(received, number))
                time.sleep(SECONDS_TO_WATCH * EVENTS_PER_PICTURE / len(events))
            elif show is None and number <= EVENTS_SHOWN:
                render.say(_delivery(one, names))
    if not watched:
        render.say(f"and {len(events) - EVENTS_SHOWN} more")
        render.say()
        render.table(_HEADINGS, _counts(received, len(events)), _NUMBERS)
    return received


_HEADINGS = ("subscription", "received", "of all")
_NUMBERS = (1, 2)


def _counts(received: Counter[str], events: int) -> list[tuple[str, str, str]]:
    return [
        (one.name, f"{received[one.name]}", f"{received[one.name] / events:.1%}")
        for one in SUBSCRIPTIONS
    ]


def _delivery(one: StructuredEvent, names: Sequence[str]) -> str:
    fields = fields_of(one)
    values = ", ".join(f"{name}: {shown_value(fields[Path(name)])}" for name in one.data)
    ordered = ", ".join(s.name for s in SUBSCRIPTIONS if s.name in names)
    return f"  {one.type} {one.name} ({values}) -> {ordered}"


def _check_by_loop(
    events: Sequence[StructuredEvent], constraints: dict[str, Constraint], received: Counter[str]
) -> None:
    """Evaluate every constraint on every event, and compare."""
    expected = Counter(
        name
        for one in events
        for name, asked in constraints.items()
        if asked.matches(fields_of(one))
    )
    answer = "the same counts" if expected == received else f"OTHER COUNTS: {expected}"
    questions = len(events) * len(constraints)
    render.say(f"Asked one by one, {questions} questions: {answer}.")


def _near_miss(events: Sequence[StructuredEvent], constraints: dict[str, Constraint]) -> None:
    wanted = SUBSCRIPTIONS[0]
    asked = constraints[wanted.name]
    missed = [
        (one, tree)
        for one in events
        if asked.is_tried(one.domain, one.type)
        and not (tree := explain(asked.tree, fields_of(one))).matches
    ]
    if not missed:
        return
    # An error is more instructive than a plain mismatch.
    one, tree = next((pair for pair in missed if pair[1].failed), missed[0])
    render.heading(f"Why {one.name} did not reach {wanted.name!r}")
    render.explanation(verdict(tree), False, f"{one.domain}::{one.type}", why.tree_of(tree))


def _many(seed: int) -> None:
    """Compare the cost of the index with evaluating many subscriptions one by one."""
    render.heading(f"The first {MEASURED_EVENTS} of them, with {MANY:,} subscriptions")
    constraints = list(many_subscriptions(seed, MANY))
    index: MatchIndex[int] = MatchIndex()
    started = time.perf_counter()
    for number, one in enumerate(constraints):
        index.add(number, (one,))
    adding = (time.perf_counter() - started) / MANY
    predicates = [one.predicate for one in constraints]
    by_index, by_loop, matches, equal = [], [], 0, True
    for one_event in sample_events(seed, MEASURED_EVENTS):
        fields = fields_of(one_event)
        expected, slow = _timed(partial(_one_by_one, predicates, fields))
        found, fast = _timed(partial(index.match, fields))
        equal = equal and sorted(found) == expected
        matches += len(expected)
        by_loop.append(slow)
        by_index.append(fast)
    rows = [
        ("asked one by one", _microseconds(median(by_loop))),
        ("the match index", _microseconds(median(by_index))),
    ]
    render.table(("an event, median", "µs"), rows, numbers=[1])
    render.say(
        f"{matches} matches; "
        f"{'the same answers' if equal else 'OTHER ANSWERS'} both ways; "
        f"{median(by_loop) / median(by_index):,.0f} times faster; "
        f"adding a subscription took {_microseconds(adding)} µs."
    )


def _one_by_one(predicates: Sequence[Predicate], fields: Fields) -> list[int]:
    return [number for number, asked in enumerate(predicates) if asked(fields)]


def _timed(call: Callable[[], list[int]]) -> tuple[list[int], float]:
    started = time.perf_counter()
    result = call()
    return result, time.perf_counter() - started


def _microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:,.1f}"
