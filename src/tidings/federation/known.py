"""What the records of all gateways say of requests, kept up to date record by record.

The work follows what has changed, however many requests stand. What it knows is at any time what it
would know if it had read all records anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from tidings.federation.notes import Notes, Request
from tidings.federation.records import Applied, Links, Note, Records


class Known:
    """What the records say.

    Attributes:
        links: Where each gateway is connected.
        notes: The standing requests, counted.
        own_notes: The notes of the gateway itself by their keys.
        standing: By service and request, the gateways that have its filter placed there, each with
            when that was known.
        version: Rises with every change of links.
        own_version: … and of its own notes.
    """

    def __init__(self, records: Records) -> None:
        self.links: dict[str, Links] = {}
        self.notes = Notes()
        self.own_notes: dict[str, Note] = {}
        self.standing: dict[tuple[str, Request], dict[str, int]] = {}
        self.version = self.own_version = 0
        self._records = records
        self._noted: dict[Request, dict[str, int]] = {}  # who has noted it, and how many notes
        self._applied: dict[Request, dict[str, dict[str, Applied]]] = {}
        self._sources: dict[str, dict[Request, None]] = defaultdict(dict)

    def update(self, now: int) -> set[Request]:
        """Take in what has changed since the last time; return the requests that it is about."""
        touched: set[Request] = set()
        placed: dict[tuple[str, str, Request], None] = {}
        for gateway, key, old, new in self._records.take_changes():
            for content, sign in ((old, -1), (new, 1)):
                if isinstance(content, Note):
                    touched.add(self._count(gateway, key, content, sign))
                elif isinstance(content, Applied):
                    request = self._apply(gateway, key, content, sign)
                    touched.add(request)
                    placed[gateway, content.service, request] = None
                elif isinstance(content, Links):
                    self._link(gateway, content, sign)
        for gateway, service, request in placed:
            self._stand(gateway, service, request, now)
        return touched

    def _count(self, gateway: str, key: str, note: Note, sign: int) -> Request:
        request = self.notes.add(note, sign)
        by = self._noted.setdefault(request, {})
        by[gateway] = by.get(gateway, 0) + sign
        if not by[gateway]:
            del by[gateway]
        if by:
            self._sources[request.source][request] = None
        else:
            del self._noted[request]
            self._sources[request.source].pop(request, None)
        if gateway == self._records.own:
            self.own_version += 1
            self.own_notes.pop(key, None)
            if sign > 0:
                self.own_notes[key] = note
        return request

    def _apply(self, gateway: str, key: str, applied: Applied, sign: int) -> Request:
        request = Request(applied.announces, applied.what, applied.source)
        by = self._applied.setdefault(request, {})
        if sign > 0:
            by.setdefault(gateway, {})[key] = applied
        else:
            del by[gateway][key]
            if not by[gateway]:
                del by[gateway]
            if not by:
                del self._applied[request]
        return request

    def _link(self, gateway: str, links: Links, sign: int) -> None:
        self.version += 1
        if sign > 0:
            self.links[gateway] = links
        else:
            self.links.pop(gateway, None)

    def _stand(self, gateway: str, service: str, request: Request, now: int) -> None:
        """Note whether a gateway has a filter placed; since when, if it had it before, too."""
        at = service, Request(False, request.what, request.source)
        said = self._applied.get(at[1], {}).get(gateway, {})
        if any(one.service == service and not one.cause for one in said.values()):
            self.standing.setdefault(at, {}).setdefault(gateway, now)
        elif at in self.standing:
            self.standing[at].pop(gateway, None)
            if not self.standing[at]:
                del self.standing[at]

    def owners(self, request: Request) -> tuple[str, ...]:
        """Return the gateways that have noted a request, by name."""
        return tuple(sorted(self._noted.get(request, ())))

    def applied(self, request: Request, gateways: Collection[str]) -> Mapping[str, Applied]:
        """Return where these gateways have applied a request, or could not."""
        said = self._applied.get(request, {})
        return {
            one.service: one
            for gateway in sorted(said)
            if gateway in gateways
            for one in said[gateway].values()
        }

    def sources(self) -> Iterable[str]:
        """Return the services that ask for something."""
        return [source for source, requests in self._sources.items() if requests]

    def of_source(self, source: str) -> Iterable[Request]:
        """Return the requests of a service."""
        return self._sources.get(source, ())
