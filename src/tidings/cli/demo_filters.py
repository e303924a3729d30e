"""`tidings demo filters`: filters applied to a stream of sample events."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from statistics import median
from typing import Annotated

import typer

from tidings.cli import render, why
from tidings.cli.scene import SUBSCRIPTIONS, many_subscriptions, sample_events
from tidings.events.fields import Fields, fields_of
from tidings.events.paths import Path
from tidings.events.structured import StructuredEvent
from tidings.filters.constraint import Constraint
from tidings.filters.explain import explain
from tidings.filters.to_python import Predicate

EVENTS = 1_000
EVENTS_SHOWN = 10
MANY = 10_000
MEASURED_EVENTS = 100

# Duration of the stream on a terminal, slow enough to watch.
SECONDS_TO_WATCH = 4.0
EVENTS_PER_PICTURE = 10


def filters(
    seed: Annotated[int, typer.Option(help="Another seed, other events.")] = 1,
) -> None:
    """Play a stream of sample events against some subscriptions.

    Shows who gets what, why one event did not reach one of them, and what matching costs
    with many subscriptions. On a terminal the counts move; elsewhere it is plain lines.
    All figures are computed in this run.
    """
    events = list(sample_events(seed, EVENTS))
    constraints = {one.name: one.constraint() for one in SUBSCRIPTIONS}
    _subscriptions()
    received = _stream(events, constraints)
    _check_by_loop(events, constraints, received)
    _near_miss(events, constraints)
    _many(seed)


def _heading(text: str) -> None:
    render.say()
    render.say(text, "bold")


def _subscriptions() -> None:
    render.say("Who wants what", "bold")
    rows = [(one.name, one.types, one.text or "(everything)") for one in SUBSCRIPTIONS]
    render.table(("subscription", "event types", "constraint"), rows)
    render.say()


def _stream(events: Sequence[StructuredEvent], constraints: dict[str, Constraint]) -> Counter[str]:
    """Match the events with the index; return how many each subscription received."""
    from tidings.filters.index import MatchIndex

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
    values = ", ".join(f"{name}: {why.shown_value(fields[Path(name)])}" for name in one.data)
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
    """Explain an event that one subscription nearly received."""
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
    _heading(f"Why {one.name} did not reach {wanted.name!r}")
    render.explanation(why.verdict(tree), False, f"{one.domain}::{one.type}", why.branch_of(tree))


def _many(seed: int) -> None:
    """Compare the cost of the index with evaluating many subscriptions one by one."""
    from tidings.filters.index import MatchIndex

    _heading(f"The first {MEASURED_EVENTS} of them, with {MANY:,} subscriptions")
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
