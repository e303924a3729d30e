"""What all benches share: rows of a report, the program's events, and a check of answers."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from tidings.errors import InvalidUsage
from tidings.events.build import event
from tidings.events.structured import StructuredEvent

Progress = Callable[[str], None]
"""Told what is being done."""

_PRIORITIES = 5


@dataclass
class Figures:
    """The rows of a report, in the order they were measured."""

    rows: list[dict[str, Any]] = field(default_factory=list)

    def figure(self, name: str, value: float, unit: str) -> None:
        """A figure without a target."""
        self._add(name, value, unit, None, ok=True)

    def at_most(self, name: str, value: float, unit: str, target: float) -> None:
        """A figure that must not be larger than its target."""
        self._add(name, value, unit, f"<= {target:g}", ok=value <= target)

    def at_least(self, name: str, value: float, unit: str, target: float) -> None:
        """A figure that must not be smaller than its target."""
        self._add(name, value, unit, f">= {target:g}", ok=value >= target)

    def _add(self, name: str, value: float, unit: str, target: str | None, ok: bool) -> None:
        row = {"name": name, "value": round(value, 4), "unit": unit, "target": target, "ok": ok}
        self.rows.append(row)

    def fail_all(self) -> None:
        """Nothing counts that was measured against an unfair opponent."""
        for row in self.rows:
            row["ok"] = False


def demand(is_right: bool, what: str) -> None:
    """End a bench whose answers are wrong: figures of wrong answers mean nothing."""
    if not is_right:
        raise AssertionError(f"nothing is reported, because the answers are wrong: {what}")


def least_one(**numbers: int) -> None:
    """Refuse numbers below 1, by their names."""
    for name, number in numbers.items():
        if number < 1:
            raise InvalidUsage(f"{name} must be at least 1, not {number}")


def sample_event(at: int, area: int = 0) -> StructuredEvent:
    """An event of five fields with a Priority; different for each number."""
    data = {"rate": 57.5 + at, "area": area, "lane": at % 4, "zone": at, "car": f"x{at}"}
    return event("Traffic", "Speed", f"car-{at}", data, priority=at % _PRIORITIES)


def sample_events(first: int, count: int, area: int = 0) -> tuple[list[StructuredEvent], float]:
    """Different events, and what it took to build one, in microseconds."""
    start = perf_counter()
    events = [sample_event(at, area) for at in range(first, first + count)]
    return events, (perf_counter() - start) / count * 1e6


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keeps what is in memory now out of collections: they would be charged to who runs then."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
