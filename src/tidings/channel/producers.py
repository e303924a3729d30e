"""Which events of which producers were accepted: deduplication by producer number.

A producer numbers what it sends, and resends an event with the same number when it got no answer.
Its numbers rise, but may arrive a little out of order.

Numbers are kept as runs: consecutive numbers that got consecutive sequence numbers. A lone producer
is one run, however much it sends. Where producers alternate, every number is its own run: of the
oldest only the numbers are kept, not the answers, so that runs merge again. Numbers too old to
judge are refused.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from tidings.channel.settings import Limits
from tidings.errors import InvalidEvent, InvalidUsage, NumberTooOld
from tidings.events.envelope import ProducerMark

UNKNOWN_SEQ: Final = -1
"""The answer to a duplicate whose sequence number is forgotten."""

_INT64: Final = 2**63
# The distance from numbers to sequence numbers, for numbers without one and for those whose
# sequence numbers are forgotten: larger than any real one.
_NO_SEQ: Final = -_INT64
_UNKNOWN: Final = -_INT64 + 1
_NONE: Final = -1


class ProducerMarks:
    """The marks a channel has accepted, with the answers it gave.

    `limits` allows at most `producers` producers; the least recently used is forgotten. Each has at
    most `producer_runs` runs with answers and as many without: the lowest run loses its answers
    first, and its numbers when that many gaps lie above them. Beside the newest of each producer
    there are at most `producer_runs_in_all` runs.
    """

    __slots__ = ("_limits", "_numbers", "_older", "_runs", "_spread")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._runs = limits.producer_runs
        # Least recently used first.
        self._numbers: OrderedDict[str, _Numbers] = OrderedDict()
        # How many runs there are beside the newest ones, and whose: in the order they make room.
        self._older = 0
        self._spread: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        """Count the known producers."""
        return len(self._numbers)

    def seen(self, mark: ProducerMark) -> int | None:
        """Return the sequence number a mark was answered with; None if the mark is new.

        It is 0 if a filter stopped the event, `UNKNOWN_SEQ` if the answer is forgotten.
        NumberTooOld means that it is forgotten whether the number came before.
        """
        numbers = self._numbers.get(mark.producer)
        if numbers is None or mark.number > numbers.last:
            return None
        self._numbers.move_to_end(mark.producer)
        if mark.number <= numbers.floor:
            raise NumberTooOld(
                f"number {mark.number} of producer {mark.producer!r} was refused: whether numbers "
                f"up to {numbers.floor} were accepted before is not known any more, because their "
                f"window is over (limits.producer_runs, {self._runs}: twice as many gaps may lie "
                f"above a number); a new event needs a number above {numbers.last}"
            )
        return numbers.seq(mark.number)

    def record(self, mark: ProducerMark, seq: int) -> None:
        """Record an accepted mark, with 0 if a filter stopped it; the first answer stays."""
        number = mark.number
        numbers = self._numbers.get(mark.producer)
        distance = seq - number if seq else _NO_SEQ
        if numbers is None:
            self._numbers[mark.producer] = _Numbers(number, number, distance)
            if len(self._numbers) > self._limits.producers:
                self._drop(next(iter(self._numbers)))
            return
        self._numbers.move_to_end(mark.producer)
        if number == numbers.last + 1 and distance == numbers.distance:
            numbers.last = number
        elif number > numbers.last or (number > numbers.floor and numbers.seq(number) is None):
            before = numbers.older_count()
            numbers.add(number, distance)
            numbers.limit(self._runs)
            self._count(mark.producer, numbers.older_count() - before)

    def forget(self, mark: ProducerMark) -> None:
        """Forget a mark that was not accepted after all: it counts as new again."""
        numbers = self._numbers.get(mark.producer)
        number = mark.number
        if numbers is None or number <= numbers.floor or numbers.seq(number) is None:
            return
        kept: list[tuple[int, int, int]] = []
        for start, last, distance in numbers.runs():
            if not start <= number <= last:
                kept.append((start, last, distance))
                continue
            parts = ((start, number - 1, distance), (number + 1, last, distance))
            kept += [part for part in parts if part[0] <= part[1]]
        if not kept and numbers.floor == _NONE:
            self._drop(mark.producer)
        else:
            made = self._numbers[mark.producer] = _Numbers.of(kept, numbers.floor, numbers.unknown)
            self._count(mark.producer, made.older_count() - numbers.older_count())

    def _drop(self, producer: str) -> None:
        self._older -= self._numbers.pop(producer).older_count()
        self._spread.pop(producer, None)

    def _count(self, producer: str, more: int) -> None:
        """Count a producer's runs; shrink producers in turn while there are too many."""
        self._older += more
        if more > 0:
            self._spread.setdefault(producer)
        while self._older > self._limits.producer_runs_in_all:
            name, _ = self._spread.popitem(last=False)
            numbers = self._numbers[name]
            before = numbers.older_count()
            if before:
                numbers.shrink()
                self._older += numbers.older_count() - before
                self._spread[name] = None

    def highest(self, producer: str) -> int | None:
        """Return a producer's highest accepted number; None for an unknown producer."""
        numbers = self._numbers.get(producer)
        return None if numbers is None else numbers.last

    def to_plain(self) -> list[list[object]]:
        """Return plain data for `from_plain`, the least recently used producer first.

        Each has its name, the highest number that cannot be judged (-1 for none), and its runs
        ``[number, seq, count]`` in rising order; `seq` is 0 for stopped numbers, and -1 if
        forgotten.
        """
        seqs = {_NO_SEQ: 0, _UNKNOWN: UNKNOWN_SEQ}
        return [
            [
                name,
                numbers.floor,
                [
                    [start, seqs.get(distance, start + distance), last + 1 - start]
                    for start, last, distance in numbers.runs()
                ],
            ]
            for name, numbers in self._numbers.items()
        ]

    @classmethod
    def from_plain(cls, data: object, limits: Limits) -> ProducerMarks:
        """Read what `to_plain` wrote, or raise InvalidUsage; forget what exceeds the limits."""
        marks = cls(limits)
        try:
            producers = msgspec.convert(data, list[tuple[str, int, list[tuple[int, int, int]]]])
        except msgspec.ValidationError as error:
            raise InvalidUsage(f"the producers' marks have another form: {error}") from error
        for name, floor, plain_runs in producers:
            where = f"the marks of producer {name!r}"
            if name in marks._numbers:
                raise InvalidUsage(f"{where} are there twice")
            numbers = _read_numbers(floor, plain_runs, where)
            try:
                ProducerMark(name, numbers.last)
            except InvalidEvent as error:
                raise InvalidUsage(f"{where}: {error}") from error
            numbers.limit(limits.producer_runs)
            marks._numbers[name] = numbers
            marks._count(name, numbers.older_count())
            if len(marks._numbers) > limits.producers:
                marks._drop(next(iter(marks._numbers)))
        return marks


class _Numbers:
    """The numbers of one producer: the run that grows, and the ones below it.

    A run is its first number, its last, and the distance from numbers to sequence numbers. Numbers
    up to `floor` can no longer be judged, and answers to numbers up to `unknown` are not kept.
    """

    __slots__ = ("distance", "floor", "last", "older", "start", "unknown")

    def __init__(self, start: int, last: int, distance: int) -> None:
        self.start = start
        self.last = last
        self.distance = distance
        self.older: _Runs | None = None
        self.floor = _NONE
        self.unknown = _NONE

    @classmethod
    def of(cls, runs: Sequence[tuple[int, int, int]], floor: int, unknown: int) -> _Numbers:
        *older, newest = runs or [(floor + 1, floor, _NO_SEQ)]
        made = cls(*newest)
        made.floor, made.unknown = floor, unknown
        for run in older:
            made.older = made.older or _Runs()
            made.older.append(*run)
        return made

    def seq(self, number: int) -> int | None:
        """Return the answer to a number above the floor; None if it is new."""
        if number > self.last:
            return None
        if number >= self.start:
            distance = self.distance
        elif self.older is None:
            return None
        else:
            older = self.older
            place = bisect_right(older.starts, number) - 1
            if place < 0 or number > older.lasts[place]:
                return None
            distance = older.distances[place]
        if distance == _UNKNOWN:
            return UNKNOWN_SEQ
        return 0 if distance == _NO_SEQ else number + distance

    def add(self, number: int, distance: int) -> None:
        """Add a new number above the floor."""
        if self.older is None:
            self.older = _Runs()
        older = self.older
        if self.start <= self.last:
            older.append(self.start, self.last, self.distance)
        if number > self.last:
            self.start, self.last, self.distance = number, number, distance
        else:
            older.add(number, _UNKNOWN if number <= self.unknown else distance)
            self.start, self.last, self.distance = older.pop(-1)

    def limit(self, runs: int) -> None:
        """Forget the lowest answers, then the lowest numbers, beyond the limit."""
        older = self.older
        if older is None:
            return
        while len(older.starts) - (place := self._unknown_runs(older)) >= runs:
            self._forget_answers(older, place)
        while self._unknown_runs(older) > runs:
            self.floor = older.pop(0)[1]

    def shrink(self) -> None:
        """Remove one of the older runs, answers first; there must be one."""
        older = self.older
        assert older is not None
        before = len(older.starts)
        for place in range(self._unknown_runs(older), before):
            self._forget_answers(older, place)
            if len(older.starts) < before:
                return
        self.floor = older.pop(0)[1]

    def _unknown_runs(self, older: _Runs) -> int:
        """Count the lowest runs, those without answers."""
        return bisect_right(older.lasts, self.unknown)

    def _forget_answers(self, older: _Runs, place: int) -> None:
        """Drop the answers of the lowest run that has any; it may merge with the one below."""
        start, self.unknown, _ = older.pop(place)
        if place and older.lasts[place - 1] == start - 1:
            older.lasts[place - 1] = self.unknown
        else:
            older.insert(place, start, self.unknown, _UNKNOWN)

    def older_count(self) -> int:
        return 0 if self.older is None else len(self.older.starts)

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """Iterate over all runs, rising."""
        if self.older is not None:
            yield from zip(self.older.starts, self.older.lasts, self.older.distances, strict=True)
        if self.start <= self.last:
            yield self.start, self.last, self.distance


class _Runs:
    """Rising runs, 24 octets each: where producers mix there are many."""

    __slots__ = ("distances", "lasts", "starts")

    def __init__(self) -> None:
        self.starts = array("q")
        self.lasts = array("q")
        self.distances = array("q")

    def append(self, start: int, last: int, distance: int) -> None:
        self.starts.append(start)
        self.lasts.append(last)
        self.distances.append(distance)

    def insert(self, place: int, start: int, last: int, distance: int) -> None:
        self.starts.insert(place, start)
        self.lasts.insert(place, last)
        self.distances.insert(place, distance)

    def pop(self, place: int) -> tuple[int, int, int]:
        return self.starts.pop(place), self.lasts.pop(place), self.distances.pop(place)

    def add(self, number: int, distance: int) -> None:
        """Add a number that is in no run: extend its neighbours, or start a run."""
        starts, lasts, distances = self.starts, self.lasts, self.distances
        place = bisect_right(starts, number)
        above = place < len(starts) and starts[place] == number + 1 and distances[place] == distance
        if place and lasts[place - 1] == number - 1 and distances[place - 1] == distance:
            lasts[place - 1] = self.pop(place)[1] if above else number
        elif above:
            starts[place] = number
        else:
            self.insert(place, number, number, distance)


def _read_numbers(floor: int, plain_runs: list[tuple[int, int, int]], where: str) -> _Numbers:
    if floor < _NONE:
        raise InvalidUsage(f"{where}: {floor} is not a highest forgotten number (-1 for none)")
    runs: list[tuple[int, int, int]] = []
    below, unknown = floor, _NONE
    for start, seq, count in plain_runs:
        if (
            not below < start <= start + count - 1 < _INT64
            or not UNKNOWN_SEQ <= seq <= _INT64 - count
        ):
            run = [start, seq, count]
            raise InvalidUsage(f"{where}: {run} is not a run [number, seq, count] above {below}")
        below = start + count - 1
        if seq == UNKNOWN_SEQ:
            unknown = below
        runs.append((start, below, seq - start if seq else _NO_SEQ))
    if below == _NONE:
        raise InvalidUsage(f"{where}: at least one run is needed")
    known = bisect_left(runs, (unknown + 1,))
    runs[:known] = [(start, last, _UNKNOWN) for start, last, _ in runs[:known]]
    return _Numbers.of(runs, floor, unknown)
