"""Standing requests, counted over all gateways: who wants what of which service (FES 5.3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
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
    """Notes, summed up."""

    def __init__(self, notes: Iterable[Note] = ()) -> None:
        self._counts: dict[Request, dict[str, int]] = {}
        for note in notes:
            self.add(note)

    def add(self, note: Note, times: int = 1) -> Request:
        """Count a note, or take it back (-1)."""
        request = Request(note.announces, note.what, note.source)
        counts = self._counts.setdefault(request, {})
        count = counts.get(note.targets, 0) + times * note.count
        if count:
            counts[note.targets] = count
        else:
            counts.pop(note.targets, None)
            if not counts:
                del self._counts[request]
        return request

    def requests(self) -> list[Request]:
        """Return every request that somebody has asked for."""
        return [request for request in self._counts if self.targets(request)]

    def targets(self, request: Request) -> Sequence[str]:
        """Return the distribution lists that a request was made for."""
        counts = self._counts.get(request, {})
        return sorted(text for text, count in counts.items() if count > 0)

    def holds(self, request: Request, service: str) -> bool:
        """Whether a request holds at a service: it was asked for more often than taken back."""
        counts = self._counts.get(request, {})
        asked = sum(count for text, count in counts.items() if service in distribution(text))
        return asked > 0 and service != request.source

    def at(self, service: str) -> list[Request]:
        """Return the requests that hold at a service."""
        return [request for request in self._counts if self.holds(request, service)]
