"""Which events of which producers were accepted: the same one is accepted once.

A producer numbers what it sends, and sends an event again, with the same number, when it got no
answer. Its numbers rise, but may arrive a little out of order.

Numbers are remembered as runs: consecutive numbers that got consecutive sequence numbers. A
producer that is alone is one run, however much it sends.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Final

from tidings.errors import InvalidEvent, InvalidUsage
from tidings.events.envelope import ProducerMark

__all__ = ["ProducerMarks"]

_INT64: Final = 2**63
# The distance from numbers to sequence numbers, for numbers that have none: further than any.
_NO_SEQ: Final = -_INT64
_NOTHING_FORGOTTEN: Final = -1


class ProducerMarks:
    """The marks a channel has accepted, with the answers it gave.

    Args:
        producers: At most so many producers; the one unused for longest is forgotten.
        runs: At most so many runs of each. The lowest numbers are forgotten first: all up to
            them count as accepted, with an unknown sequence number.

    Raises:
        InvalidUsage: A limit is below 1.
    """

    __slots__ = ("_numbers", "_producers", "_runs")

    def __init__(self, producers: int, runs: int) -> None:
        if producers < 1 or runs < 1:
            raise InvalidUsage(
                f"at least 1 producer and 1 run must be remembered, not {producers} and {runs}"
            )
        self._producers = producers
        self._runs = runs
        # The one unused for longest comes first.
        self._numbers: OrderedDict[str, _Numbers] = OrderedDict()

    def __len__(self) -> int:
        """How many producers are known."""
        return len(self._numbers)

    def seen(self, mark: ProducerMark) -> int | None:
        """What was answered to this mark; None if it is new.

        Returns:
            The sequence number; 0 if a filter stopped the event or the number is forgotten.
        """
        numbers = self._numbers.get(mark.producer)
        if numbers is None or mark.number > numbers.last:
            return None
        self._numbers.move_to_end(mark.producer)
        return numbers.seq(mark.number)

    def record(self, mark: ProducerMark, seq: int) -> None:
        """The mark was accepted. Of a mark that was seen before the first answer stays.

        Args:
            mark: The mark.
            seq: The event's sequence number; 0 if a filter stopped it.
        """
        number = mark.number
        numbers = self._numbers.get(mark.producer)
        distance = seq - number if seq else _NO_SEQ
        if numbers is None:
            self._numbers[mark.producer] = _Numbers(number, number, distance)
            if len(self._numbers) > self._producers:
                self._numbers.popitem(last=False)
            return
        self._numbers.move_to_end(mark.producer)
        if number == numbers.last + 1 and distance == numbers.distance:
            numbers.last = number
        elif number > numbers.last or numbers.seq(number) is None:
            numbers.add(number, distance)
            numbers.forget(self._runs)

    def forget(self, mark: ProducerMark) -> None:
        """The mark was not accepted after all: it counts as new again."""
        numbers = self._numbers.get(mark.producer)
        number = mark.number
        if numbers is None or number <= numbers.forgotten or numbers.seq(number) is None:
            return
        kept: list[tuple[int, int, int]] = []
        for start, last, distance in numbers.runs():
            if not start <= number <= last:
                kept.append((start, last, distance))
                continue
            parts = ((start, number - 1, distance), (number + 1, last, distance))
            kept += [part for part in parts if part[0] <= part[1]]
        if not kept and numbers.forgotten == _NOTHING_FORGOTTEN:
            del self._numbers[mark.producer]
        else:
            self._numbers[mark.producer] = _Numbers.of(kept, numbers.forgotten)

    def highest(self, producer: str) -> int | None:
        """The highest number of a producer that was accepted; None for an unknown producer."""
        numbers = self._numbers.get(producer)
        return None if numbers is None else numbers.last

    def to_plain(self) -> list[list[object]]:
        """As plain data, for `from_plain`.

        Returns:
            For each producer, the one unused for longest first: its name, the highest forgotten
            number (-1 for none), and its runs ``[number, seq, count]`` in rising order.
        """
        return [
            [
                name,
                numbers.forgotten,
                [
                    [start, 0 if distance == _NO_SEQ else start + distance, last + 1 - start]
                    for start, last, distance in numbers.runs()
                ],
            ]
            for name, numbers in self._numbers.items()
        ]

    @classmethod
    def from_plain(cls, data: object, producers: int, runs: int) -> ProducerMarks:
        """The marks `to_plain` wrote; what is beyond the limits is forgotten.

        Raises:
            InvalidUsage: The data is not of that form; the message says where.
        """
        marks = cls(producers, runs)
        for place, item in enumerate(_items(data, "the producers' marks")):
            where = f"producer {place} of the producers' marks"
            name, forgotten, plain_runs = _parts(item, where)
            if not isinstance(name, str) or name in marks._numbers:
                raise InvalidUsage(f"{where}: a name that stands once is needed, not {name!r}")
            numbers = _read_numbers(forgotten, _items(plain_runs, where), where)
            try:
                ProducerMark(name, numbers.last)
            except InvalidEvent as error:
                raise InvalidUsage(f"{where}: {error}") from error
            numbers.forget(runs)
            marks._numbers[name] = numbers
        while len(marks._numbers) > producers:
            marks._numbers.popitem(last=False)
        return marks


class _Numbers:
    """The numbers of one producer: the run that grows, and the ones below it.

    A run is its first number, its last, and the distance from numbers to sequence numbers.
    """

    __slots__ = ("distance", "forgotten", "last", "older", "start")

    def __init__(self, start: int, last: int, distance: int) -> None:
        self.start = start
        self.last = last
        self.distance = distance
        self.older: _Runs | None = None
        self.forgotten = _NOTHING_FORGOTTEN

    @classmethod
    def of(cls, runs: Sequence[tuple[int, int, int]], forgotten: int) -> _Numbers:
        """The numbers in these runs, rising; without any, the forgotten ones are all there are."""
        *older, newest = runs or [(forgotten, forgotten, _NO_SEQ)]
        made = cls(*newest)
        made.forgotten = forgotten
        for run in older:
            made.older = made.older or _Runs()
            made.older.append(*run)
        return made

    def seq(self, number: int) -> int | None:
        """The sequence number of a number, 0 if it has none or it is forgotten; None if new."""
        if number <= self.forgotten:
            return 0
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
        return 0 if distance == _NO_SEQ else number + distance

    def add(self, number: int, distance: int) -> None:
        """Remembers a number that is new and above the forgotten ones."""
        if self.older is None:
            self.older = _Runs()
        older = self.older
        older.append(self.start, self.last, self.distance)
        if number > self.last:
            self.start, self.last, self.distance = number, number, distance
        else:
            older.add(number, distance)
            self.start, self.last, self.distance = older.pop(-1)

    def forget(self, runs: int) -> None:
        """Keeps only so many runs, those with the highest numbers."""
        older = self.older
        if older is not None:
            while len(older.starts) >= runs:
                self.forgotten = older.pop(0)[1]

    def runs(self) -> Iterator[tuple[int, int, int]]:
        """All runs, in rising order."""
        if self.older is not None:
            yield from zip(self.older.starts, self.older.lasts, self.older.distances, strict=True)
        yield self.start, self.last, self.distance


class _Runs:
    """Runs in rising order, 24 octets each: where producers mix there are many."""

    __slots__ = ("distances", "lasts", "starts")

    def __init__(self) -> None:
        self.starts = array("q")
        self.lasts = array("q")
        self.distances = array("q")

    def append(self, start: int, last: int, distance: int) -> None:
        """Puts a run above all others."""
        self.starts.append(start)
        self.lasts.append(last)
        self.distances.append(distance)

    def insert(self, place: int, start: int, last: int, distance: int) -> None:
        """Puts a run at a place."""
        self.starts.insert(place, start)
        self.lasts.insert(place, last)
        self.distances.insert(place, distance)

    def pop(self, place: int) -> tuple[int, int, int]:
        """Takes a run out."""
        return self.starts.pop(place), self.lasts.pop(place), self.distances.pop(place)

    def add(self, number: int, distance: int) -> None:
        """A number that is in no run: it makes its neighbours longer, or a run of its own."""
        starts, lasts, distances = self.starts, self.lasts, self.distances
        place = bisect_right(starts, number)
        above = place < len(starts) and starts[place] == number + 1 and distances[place] == distance
        if place and lasts[place - 1] == number - 1 and distances[place - 1] == distance:
            lasts[place - 1] = self.pop(place)[1] if above else number
        elif above:
            starts[place] = number
        else:
            self.insert(place, number, number, distance)


def _read_numbers(forgotten: object, plain_runs: list[object], where: str) -> _Numbers:
    """The numbers of one producer from plain data."""
    if type(forgotten) is not int or forgotten < _NOTHING_FORGOTTEN:
        raise InvalidUsage(f"{where}: {forgotten!r} is no highest forgotten number (-1 for none)")
    numbers: _Numbers | None = None
    below = forgotten
    for plain_run in plain_runs:
        start, seq, count = _parts(plain_run, where)
        if (
            type(start) is not int
            or type(seq) is not int
            or type(count) is not int
            or not below < start <= start + count - 1 < _INT64
            or not 0 <= seq <= _INT64 - count
        ):
            raise InvalidUsage(
                f"{where}: {plain_run!r} is no run [number, seq, count] above {below}"
            )
        last, distance = start + count - 1, seq - start if seq else _NO_SEQ
        if numbers is None:
            numbers = _Numbers(start, last, distance)
        else:
            numbers.add(start, distance)
            numbers.last = last
        below = last
    if numbers is None:
        raise InvalidUsage(f"{where}: at least one run is needed")
    numbers.forgotten = forgotten
    return numbers


def _items(data: object, where: str) -> list[object]:
    if not isinstance(data, list | tuple):
        raise InvalidUsage(f"{where}: a list is needed, not {data!r}")
    return list(data)


def _parts(data: object, where: str) -> tuple[object, object, object]:
    items = _items(data, where)
    if len(items) != 3:
        raise InvalidUsage(f"{where}: a list of 3 is needed, not {data!r}")
    return items[0], items[1], items[2]
