"""The accounts: what each bidder should have got, against what came.

What should have come is computed from the houses' ledgers alone, by asking every constraint of
every acknowledged offer; the service has no say in it.
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
    """One bidder's account.

    Attributes:
        bidder: Whose.
        expected: How many alerts were due.
        closed: How many more would have been, had they not closed while the bidder was away.
        received: How many different alerts came.
        again: How many came once more, marked as such: they were on their way in the crash.
        lost: Due, and did not come.
        twice: Came once more without being marked.
        unasked: Came, and were not due.
        disordered: Came before one that should have been earlier.
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
        """Whether nothing is lost, nothing came twice or unasked, and the order was kept."""
        return not (self.lost or self.twice or self.unasked or self.disordered)


def account_of(
    bidder: Bidder,
    offers: Sequence[Acknowledged],
    taken: Sequence[Taken],
    back: int | None = None,
) -> Account:
    """Compares.

    Args:
        bidder: Who.
        offers: All acknowledged offers.
        taken: What came, in the order it came.
        back: When the bidder came back from being away since before the first offer: what had
            closed by then is not due.
    """
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
    """Alerts that came too late in their order.

    Of equal priority, the one accepted first comes first, always. Of a stock that had gathered,
    the higher priority comes first, too.
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
    """The priorities of a stock in the order they came: each with how many came in a row."""
    priorities = {one.id: bidder.priority(fields_of(one.offer)) for one in offers}
    came = [priorities[one.id] for one in taken if one.stock and one.id in priorities]
    return [(priority, len(list(run))) for priority, run in groupby(came)]
