"""Events that flow from one supplier through a channel to consumers, all in C++."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Final

from tidings.bench.figures import demand
from tidings.bench.iiop_load import Load

_PATIENCE: Final = 60.0
_PAUSE: Final = 0.005


class Flow:
    """A supplier, a channel and its consumers, who all must get all events, once and in order.

    A supplier pushes any, structured or sequence in batches of so many events.

    Attributes:
        rates: Events that came to a consumer, a second, over all consumers; of each round.
        accepted: Calls of the supplier a second, times the batch; of each round.
        waits: From the push to the consumer, in seconds, of all paced events.
    """

    def __init__(self, channel: str, supplier: Load, form: str = "any", batch: int = 1) -> None:
        self.channel = channel
        self.rates: list[float] = []
        self.accepted: list[float] = []
        self.waits: list[float] = []
        self._form = form
        self._batch = batch
        self._supplier = supplier
        self._handle = supplier.number("supply", channel, form)
        self._crowd: list[tuple[Load, int, int]] = []
        self._silent: list[tuple[Load, int]] = []
        self._next = 0

    def add_consumers(self, loads: Sequence[Load], count: int, *, times: bool = False) -> None:
        """Connects so many consumers, shared out evenly to processes."""
        for load in loads:
            each = count // len(loads)
            group = load.number("consume", self.channel, self._form, each, int(times))
            self._crowd.append((load, group, each))

    def add_filtered(self, load: Load, count: int) -> None:
        """Connects so many consumers with filters, of which the first matches."""
        self._crowd.append((load, load.number("filtered", self.channel, 0, 1), 1))
        if count > 1:
            self._silent.append((load, load.number("filtered", self.channel, 1, count - 1)))

    def round(self, events: int) -> None:
        """Pushes events as fast as they are taken, and waits until all have come."""
        first = self._begin(events)
        asked = ("push", self._handle, events, first, self._batch)
        start, end = map(int, self._supplier.ask(*asked))
        last = self._all_came(events)
        consumers = sum(count for _, _, count in self._crowd)
        self.rates.append(events * consumers / (last - start) * 1e9)
        self.accepted.append(events / (end - start) * 1e9)

    def pace(self, events: int) -> None:
        """Pushes single events with pauses; notes how long each took to the first consumer."""
        first = self._begin(events)
        sent = map(int, self._supplier.ask("pace", self._handle, events, first, _PAUSE))
        self._all_came(events)
        load, group, _ = self._crowd[0]
        came = map(int, load.ask("times", group))
        self.waits += [(later - earlier) / 1e9 for earlier, later in zip(sent, came, strict=True)]

    def _begin(self, events: int) -> int:
        """Tells the consumers what to expect; the number of the first event."""
        first = self._next
        self._next += events
        for load, group, _ in self._crowd:
            load.ask("begin", group, events, first)
        return first

    def _all_came(self, events: int) -> int:
        """Wait until all events came once, in order, to the right consumer; when the last did."""
        last = 0
        for load, group, count in self._crowd:
            came = load.came(group, _PATIENCE)
            wanted = events * count
            demand(came.events == wanted, f"{came.events} of {wanted} events came")
            demand(came.wrong == 0, f"{came.wrong} of {wanted} events out of order, or not whole")
            last = max(last, came.last)
        for load, group in self._silent:
            came = load.came(group, 0)
            demand(came.events == 0, f"{came.events} events came to consumers that did not ask")
        return last

    def forget(self) -> None:
        """Measures anew: all so far was to warm up."""
        self.rates.clear()
        self.accepted.clear()
        self.waits.clear()

    @property
    def rate(self) -> float:
        """The median of all rounds."""
        return statistics.median(self.rates)
