"""One server of the network: what comes in, and what must go out. No I/O, no clock.

Neighbours are clients, servers whose master we are (`child`: clients that say who is behind them),
our master, and peers. With their links they form a tree, whoever dialled::

    client, child ──> filters, advertisements, notifications ──>  server
    server ──> whatever it has of all others ──>  master, peers

- Filters go to the master and to peers, unless a filter that went there covers them; with
  `advertised`, to a peer only if one of its advertisements intersects.
- Notifications go to all neighbours with a filter that matches, and to the master always.
- Advertisements go to the master and to peers, unless one that went there covers them.
- Names of servers go the same way, so that a link that would close a loop is refused.
- `Settle` follows the filters and comes back when they are in force.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import singledispatchmethod
from typing import Final, NamedTuple, TypeAlias

from tidings.errors import InvalidUsage
from tidings.filters.dialects.siena import SienaFilter
from tidings.services.siena.forwarding import Forwarding
from tidings.services.siena.relations import intersects, matches
from tidings.services.siena.table import FilterTable
from tidings.services.siena.wire import (
    Advertise,
    Failed,
    Hello,
    Publish,
    Record,
    Refused,
    Role,
    Servers,
    Settle,
    Settled,
    Subscribe,
    Unadvertise,
    Unsubscribe,
)

MOST_FILTERS: Final = {Role.CLIENT: 10_000}
"""Filters, and as many advertisements, of one neighbour."""
MOST_FILTERS_OF_SERVER: Final = 100_000
MOST_SETTLING: Final = 256
"""Unanswered `Settle` of one neighbour."""
_UP: Final = (Role.PEER, Role.MASTER)


class Send(NamedTuple):
    """A record goes to neighbours, in the order of the effects."""

    to: tuple[int, ...]
    record: Record


class Close(NamedTuple):
    """A neighbour is cut off, after what was sent to it; it is forgotten already."""

    neighbour: int
    cause: str


Effect: TypeAlias = Send | Close


class _Link:
    """A neighbour.

    Attributes:
        role: What it is for us; None before its `Hello`.
        name: Of a server.
        dialled: Whether we have made the connection.
        filters: What it wants.
        offers: What it advertises.
        servers: The names behind it.
        wanted: What we have asked of it; of the master and peers.
        offered: What we have advertised to it; likewise.
        listed: The names that we have told it; likewise.
        settling: Its unanswered `Settle`.
    """

    def __init__(self, key: int, dialled: Role | None) -> None:
        self.key = key
        self.role: Role | None = None
        self.name = ""
        self.dialled = dialled
        self.filters: dict[SienaFilter, None] = {}
        self.offers: dict[SienaFilter, None] = {}
        self.servers: frozenset[str] = frozenset()
        self.wanted = Forwarding()
        self.offered = Forwarding()
        self.listed: frozenset[str] = frozenset()
        self.settling = 0


class _Settling:
    """A `Settle` that waits for other servers."""

    def __init__(self, origin: _Link, token: int, waiting: set[int], missing: int) -> None:
        self.origin = origin
        self.token = token
        self.waiting = waiting
        self.missing = missing


class SienaServer:
    """The state of a server.

    Attributes:
        name: Unique in the network.
        advertised: Whether filters go only to peers that advertise what they ask for; clients
            must then advertise what they publish.
        links: What the servers are for us that we are to connect with: a master, or peers. A
            server below another has no peers: it would not hear of all that its master wants.
    """

    def __init__(self, name: str, *, advertised: bool = False, links: Sequence[Role] = ()) -> None:
        if Role.MASTER in links and len(links) > 1:
            raise InvalidUsage("a SIENA server has one master, or peers, not both")
        self.name = name
        self.advertised = advertised
        self.links = tuple(links)
        self._links: dict[int, _Link] = {}
        # The master and the peers: filters, advertisements and names go there.
        self._up: dict[int, _Link] = {}
        self._table = FilterTable()
        # Who has a filter, or an advertisement.
        self._wanting: dict[SienaFilter, set[int]] = {}
        self._offering: dict[SienaFilter, set[int]] = {}
        self._settling: dict[int, _Settling] = {}
        self._tokens = itertools.count(1)
        self._effects: list[Effect] = []

    # Connections.

    def accepted(self, key: int) -> None:
        """Somebody has connected; the key is new."""
        self._links[key] = _Link(key, None)

    def dialled(self, key: int, role: Role) -> None:
        """We have connected with a server that is a peer or the master; the key is new."""
        self._links[key] = _Link(key, role)
        ours = Role.PEER if role is Role.PEER else Role.CHILD
        self._send(key, Hello(ours, self.name))

    def closed(self, key: int) -> None:
        """A connection has ended; nothing happens if we have ended it."""
        link = self._links.pop(key, None)
        if link is None:
            return
        self._up.pop(key, None)
        for one in link.filters:
            self._unwant(link, one)
        for one in link.offers:
            self._unoffer(link, one)
        for token, settling in list(self._settling.items()):
            if settling.origin is link:
                del self._settling[token]
            elif key in settling.waiting:
                self._has_settled(token, key, 1)
        self._tell_filters()
        if link.servers:
            self._tell_servers()

    def close(self, key: int, cause: str) -> None:
        """End a connection, and tell the other side why."""
        if key in self._links:
            self._send(key, Failed(cause))
            self._effects.append(Close(key, cause))
            self.closed(key)

    def handle(self, key: int, record: Record) -> None:
        """Take a record of a neighbour; nothing happens if it was cut off."""
        link = self._links.get(key)
        if link is None:
            return
        if (link.role is None) is not isinstance(record, Hello):
            self.close(key, "the first record, and no other, is a Hello")
        else:
            self._take(record, link)

    def take_effects(self) -> list[Effect]:
        """Return what must happen outside, in order; once."""
        effects, self._effects = self._effects, []
        return effects

    @property
    def servers(self) -> frozenset[str]:
        """The names of the servers below and beside us, ours among them."""
        return frozenset((self.name,)).union(*(link.servers for link in self._links.values()))

    @singledispatchmethod
    def _take(self, record: Record, link: _Link) -> None:
        """Take a record."""
        self.close(link.key, f"a server does not take {type(record).__name__} from a neighbour")

    @_take.register
    def _hello(self, record: Hello, link: _Link) -> None:
        if link.dialled is None:
            if record.role is Role.MASTER:
                self.close(link.key, "a Hello comes from a client, a child or a peer")
                return
            if record.role is Role.PEER and Role.MASTER in self.links:
                self.close(link.key, f"{self.name} has a master: it can have children, not peers")
                return
            ours = Role.PEER if record.role is Role.PEER else Role.MASTER
            self._send(link.key, Hello(ours, self.name))
        elif record.role is not link.dialled:
            self.close(link.key, f"a {link.dialled} was expected, not a {record.role}")
            return
        link.role = record.role
        if link.role is Role.CLIENT:
            return
        if not self._is_single(link, record.name):
            return
        link.name = record.name
        if link.role in _UP:
            self._up[link.key] = link
            for one, holders in self._offering.items():
                self._offer_to(link, one, holders)
            for one, holders in self._wanting.items():
                self._ask(link, one, holders)
            self._tell_servers()
            self._tell_filters()

    def _is_single(self, link: _Link, name: str) -> bool:
        """Whether a link stays that its server has twice now; on both sides the same one stays."""
        for rival in list(self._links.values()):
            if rival is link or rival.name != name:
                continue
            if (rival.dialled is None) is (link.dialled is None):
                loser = rival  # its connection has gone, and nobody has noticed
            elif (link.dialled is not None) is (self.name < name):
                loser = rival
            else:
                loser = link
            self.close(loser.key, f"{self.name} and {name} have another connection; one will do")
            if loser is link:
                return False
        return True

    @_take.register
    def _failed(self, record: Failed, link: _Link) -> None:
        self._effects.append(Close(link.key, record.cause))
        self.closed(link.key)

    # Filters and advertisements.

    @_take.register
    def _subscribe(self, record: Subscribe, link: _Link) -> None:
        one = record.filter
        if one not in link.filters and self._has_room(link, link.filters):
            link.filters[one] = None
            self._table.add(link.key, one)
            holders = self._wanting.setdefault(one, set())
            holders.add(link.key)
            for other in self._up.values():
                self._ask(other, one, holders)
            self._tell_filters()

    @_take.register
    def _unsubscribe(self, record: Unsubscribe, link: _Link) -> None:
        one = record.filter
        if one in link.filters:
            del link.filters[one]
            self._unwant(link, one)
            self._tell_filters()

    @_take.register
    def _advertise(self, record: Advertise, link: _Link) -> None:
        one = record.filter
        if one not in link.offers and self._has_room(link, link.offers):
            link.offers[one] = None
            holders = self._offering.setdefault(one, set())
            holders.add(link.key)
            for other in self._up.values():
                self._offer_to(other, one, holders)
            if link.role is Role.PEER and self.advertised:
                for wanted, wanting in self._wanting.items():
                    self._ask(link, wanted, wanting)
            self._tell_filters()

    @_take.register
    def _unadvertise(self, record: Unadvertise, link: _Link) -> None:
        one = record.filter
        if one in link.offers:
            del link.offers[one]
            self._unoffer(link, one)
            if link.role is Role.PEER and self.advertised:
                for wanted in [each for each in link.wanted if not _is_offered(link, each)]:
                    link.wanted.discard(wanted)
            self._tell_filters()

    def _has_room(self, link: _Link, filters: dict[SienaFilter, None]) -> bool:
        assert link.role is not None
        most = MOST_FILTERS.get(link.role, MOST_FILTERS_OF_SERVER)
        if len(filters) >= most:
            self.close(link.key, f"a {link.role} has at most {most:,} filters, and advertisements")
            return False
        return True

    def _ask(self, link: _Link, one: SienaFilter, holders: set[int]) -> None:
        """Ask a neighbour for what others want, if it may have it."""
        gated = self.advertised and link.role is Role.PEER
        if holders - {link.key} and (not gated or _is_offered(link, one)):
            link.wanted.add(one)

    def _offer_to(self, link: _Link, one: SienaFilter, holders: set[int]) -> None:
        if holders - {link.key}:
            link.offered.add(one)

    def _unwant(self, link: _Link, one: SienaFilter) -> None:
        self._table.remove(link.key, one)
        for other in self._without(self._wanting, one, link):
            other.wanted.discard(one)

    def _unoffer(self, link: _Link, one: SienaFilter) -> None:
        for other in self._without(self._offering, one, link):
            other.offered.discard(one)

    def _without(
        self, holding: dict[SienaFilter, set[int]], one: SienaFilter, link: _Link
    ) -> Iterable[_Link]:
        """Take a neighbour's filter away; the neighbours for which nobody else has it."""
        holders = holding[one]
        holders.discard(link.key)
        if not holders:
            del holding[one]
        return [other for other in self._up.values() if not holders - {other.key}]

    @_take.register
    def _servers(self, record: Servers, link: _Link) -> None:
        names = frozenset(record.names)
        if link.role in (Role.CLIENT, Role.MASTER) or link.name not in names:
            self.close(link.key, "only peers and children name servers, themselves among them")
            return
        others = (other.servers for other in self._links.values() if other is not link)
        twice = names & frozenset((self.name,)).union(*others)
        if twice:
            self.close(
                link.key,
                f"the link between {self.name} and {link.name} closes a loop (or two servers have "
                f"one name): {self.name} reaches {min(twice)} without it",
            )
            return
        link.servers = names
        self._tell_servers()

    def _tell_servers(self) -> None:
        """Send the master and the peers the names behind us, if they have changed."""
        for link in self._up.values():
            others = (other.servers for other in self._links.values() if other is not link)
            names = frozenset((self.name,)).union(*others)
            if names != link.listed:
                link.listed = names
                self._send(link.key, Servers(tuple(sorted(names))))

    def _tell_filters(self) -> None:
        """Send the master and the peers what has changed of filters and advertisements."""
        for link in self._up.values():
            for forwarding, begin, end in (
                (link.offered, Advertise, Unadvertise),
                (link.wanted, Subscribe, Unsubscribe),
            ):
                begun, ended = forwarding.take_changes()
                for one in begun:
                    self._send(link.key, begin.of(one))
                for one in ended:
                    self._send(link.key, end.of(one))

    # Notifications.

    @_take.register
    def _publish(self, record: Publish, link: _Link) -> None:
        notification = record.attributes
        gated = self.advertised and link.role is Role.CLIENT
        if gated and not any(matches(offer, notification) for offer in link.offers):
            cause = "the notification matches no advertisement of its client: advertise first"
            self._send(link.key, Refused(record.number, cause))
            return
        to = self._table.match(notification)
        to.update(key for key, other in self._up.items() if other.role is Role.MASTER)
        to.discard(link.key)
        if to:
            self._effects.append(Send(tuple(sorted(to)), Publish(notification)))

    # Settling.

    @_take.register
    def _settle(self, record: Settle, link: _Link) -> None:
        waiting = set() if record.near else self._up.keys() - {link.key}
        up = sum(one.dialled is not None for one in self._up.values())
        missing = max(0, len(self.links) - up)
        if not waiting:
            self._send(link.key, Settled(record.token, missing))
        elif link.settling >= MOST_SETTLING:
            self.close(link.key, f"a neighbour has at most {MOST_SETTLING} unanswered Settle")
        else:
            link.settling += 1
            token = next(self._tokens)
            self._settling[token] = _Settling(link, record.token, waiting, missing)
            self._effects.append(Send(tuple(sorted(waiting)), Settle(token)))

    @_take.register
    def _settled(self, record: Settled, link: _Link) -> None:
        # Whoever asked may be gone.
        settling = self._settling.get(record.token)
        if settling is not None and link.key in settling.waiting:
            self._has_settled(record.token, link.key, record.missing)

    def _has_settled(self, token: int, key: int, missing: int) -> None:
        settling = self._settling[token]
        settling.waiting.discard(key)
        settling.missing += missing
        if not settling.waiting:
            del self._settling[token]
            settling.origin.settling -= 1
            self._send(settling.origin.key, Settled(settling.token, settling.missing))

    def _send(self, key: int, record: Record) -> None:
        self._effects.append(Send((key,), record))


def _is_offered(link: _Link, one: SienaFilter) -> bool:
    return any(intersects(offer, one) for offer in link.offers)
