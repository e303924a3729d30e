"""Compare the alerts that each bidder should have received with those that arrived.

The expected alerts come from the houses' ledgers alone, by evaluating every constraint on every
acknowledged offer; the service is not asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from tidings.apps.auction_alert.ledger import Acknowledged, Taken
from tidings.apps.auction_alert.scene import Bidder, closing, wants
from tidings.events.fields import fields_of

EventId = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Account:
    """Expected and received alerts of one bidder.

    Attributes:
        closed: Alerts not due because the offer closed while the bidder was away.
        again: Alerts flagged as redelivered; they were in flight during the crash.
        twice: Duplicates without that flag.
        disordered: Alerts that arrived after one that they should precede.
    """

    bidder: Bidder
    expected: int
    closed: int
    received: int
    again: int
    lost: tuple[EventId, ...]
    twice: tuple[EventId, ...]
    unasked: tuple[EventId, ...]
    disordered: tuple[EventId, ...]

    @property
    def holds(self) -> bool:
        """Whether no alert is missing, duplicated, unexpected or out of order."""
        return not (self.lost or self.twice or self.unasked or self.disordered)


def account_of(
    bidder: Bidder,
    offers: Sequence[Acknowledged],
    taken: Sequence[Taken],
    back: int | None = None,
) -> Account:
    """Compare expected and received alerts; offers that closed before `back` are not due."""
    wanted = [one for one in offers if wants(bidder, one.offer)]
    due = {one.id for one in wanted if back is None or closing(one.offer) > back}
    first: dict[EventId, Taken] = {}
    again, twice = 0, []
    for one in taken:
        if one.id not in first:
            first[one.id] = one
        elif one.again:
            again += 1
        else:
            twice.append(one.id)
    return Account(
        bidder,
        expected=len(due),
        closed=len(wanted) - len(due),
        received=len(first),
        again=again,
        lost=tuple(sorted(due - first.keys())),
        twice=tuple(twice),
        unasked=tuple(sorted(first.keys() - due)),
        disordered=_disordered(bidder, offers, list(first.values())),
    )


def _disordered(
    bidder: Bidder, offers: Sequence[Acknowledged], taken: Sequence[Taken]
) -> tuple[EventId, ...]:
    """Return the alerts that arrived after one of lower rank.

    Equal priorities arrive in the order of acceptance; in a backlog, higher priorities come first.
    """
    priorities = {one.id: bidder.priority(fields_of(one.offer)) for one in offers}
    latest: dict[int, int] = {}
    lowest: int | None = None
    found = []
    for one in taken:
        priority, seq = priorities.get(one.id, 0), one.id[1]
        overtaken = one.stock and lowest is not None and priority > lowest
        if overtaken or seq < latest.get(priority, 0):
            found.append(one.id)
        latest[priority] = max(seq, latest.get(priority, 0))
        if one.stock:
            lowest = priority if lowest is None else min(priority, lowest)
    return tuple(found)


def stock_of(
    bidder: Bidder, offers: Sequence[Acknowledged], taken: Sequence[Taken]
) -> list[tuple[int, int]]:
    """Return the priorities of a backlog in order of arrival, each with the length of its run."""
    priorities = {one.id: bidder.priority(fields_of(one.offer)) for one in offers}
    came = [priorities[one.id] for one in taken if one.stock and one.id in priorities]
    return [(priority, len(list(run))) for priority, run in groupby(came)]
