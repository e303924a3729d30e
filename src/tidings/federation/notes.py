"""Standing requests, counted over all gateways: who wants what of which service (FES 5.3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from tidings.federation.distribution import distribution
from tidings.federation.records import Note


class Request(NamedTuple):
    """What a standing request is about; notes of one request are counted together.

    Attributes:
        announces: Whether it is an announcement.
        what: The filter's text, or the subject.
        source: The service that asks.
    """

    announces: bool
    what: str
    source: str


def summed(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Count notes of the same request together; those that come to nothing are left out."""
    counts: dict[Note, int] = defaultdict(int)
    for note in notes:
        counts[replace(note, count=0)] += note.count
    return tuple(replace(note, count=count) for note, count in counts.items() if count)


class Notes:
    """The notes of all gateways, summed up."""

    def __init__(self, notes: Iterable[Note]) -> None:
        counts: dict[Request, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for note in notes:
            counts[Request(note.announces, note.what, note.source)][note.targets] += note.count
        self._counts: Mapping[Request, Mapping[str, int]] = counts

    def requests(self) -> Iterable[tuple[Request, Sequence[str]]]:
        """Every request with the distribution lists that it was made for."""
        for request, targets in self._counts.items():
            asked = sorted(text for text, count in targets.items() if count > 0)
            if asked:
                yield request, asked

    def holds(self, request: Request, service: str) -> bool:
        """Whether a request holds at a service: it was asked for more often than taken back."""
        targets = self._counts[request]
        asked = sum(count for text, count in targets.items() if service in distribution(text))
        return asked > 0 and service != request.source

    def at(self, service: str) -> list[Request]:
        """Return the requests that hold at a service."""
        return [request for request in self._counts if self.holds(request, service)]
