"""Notices that are not in the channel yet: made, coalesced, handed out to be published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final

from tidings.changes.model import ChangeKind, Notice, Transaction
from tidings.changes.notice_event import event_of, notice_from, value_of
from tidings.changes.requests import PublishNotices
from tidings.cores import Keep, State
from tidings.events.anyvalue import Value
from tidings.events.codecs.json_text import parse_json, write_json
from tidings.events.codecs.json_values import value_from_plain, value_to_plain

CHANNEL: Final = "service-changes"
"""The channel of all notices."""
MOST_PENDING: Final = 100_000
"""Notices that wait to be published; some 2 kB each. Further ones are given up, and counted."""
MOST_AT_ONCE: Final = 200
"""Notices of one push."""
_PAUSE: Final = 1_000_000


class Pending:
    """The notices by number, the oldest first.

    Attributes:
        last: The number of the latest notice.
        transactions: The number of the latest transaction.
        coalesced: Changes that went into the notice of another one.
        lost: Notices that were given up.
        problem: Why they wait.
    """

    def __init__(self, core: str, version: int) -> None:
        self.last = self.transactions = 0
        self.coalesced = self.lost = 0
        self.problem = ""
        self._core = core
        self._version = version
        self._notices: dict[int, Notice] = {}
        self._of_offer: dict[str, list[int]] = {}
        self._under_way = False
        # Notices up to this one may be in the channel already: nothing is taken into them.
        self._sealed = 0
        self._retry_at = 0

    def __len__(self) -> int:
        return len(self._notices)

    @property
    def wake_at(self) -> int | None:
        """When the next ones may be published; None if there are none, or some are under way."""
        if self._under_way or not self._notices:
            return None
        return self._retry_at

    def add(self, notices: Sequence[Notice], coalesce_after: int) -> tuple[list[str], list[Keep]]:
        """Number notices, several as a transaction; return their ids and what is to be kept.

        A change of an offer of which many notices wait already goes into the last of these.
        """
        if len(notices) == 1 and (merged := self._merged(notices[0], coalesce_after)) is not None:
            self.coalesced += 1
            return [merged.id], [self._put(int(merged.id[2:]), merged)]
        if len(self._notices) + len(notices) > MOST_PENDING:
            self.lost += len(notices)
            return [], []
        transaction = ""
        if len(notices) > 1:
            self.transactions += 1
            transaction = f"T{self.transactions}"
        ids: list[str] = []
        kept: list[Keep] = []
        for place, notice in enumerate(notices, 1):
            self.last += 1
            ids.append(f"EV{self.last}")
            whole = Transaction(transaction, place, len(notices)) if transaction else None
            kept.append(self._put(self.last, replace(notice, id=ids[-1], transaction=whole)))
        return ids, kept

    def _put(self, number: int, notice: Notice) -> Keep:
        if notice.offer and number not in self._notices:
            self._of_offer.setdefault(notice.offer, []).append(number)
        self._notices[number] = notice
        return Keep(self._core, f"notice {number}", self._state(notice))

    def _merged(self, notice: Notice, coalesce_after: int) -> Notice | None:
        """Return the last notice of the same offer with a change taken in; None for a new one."""
        waiting = self._of_offer.get(notice.offer, [])
        if len(waiting) < coalesce_after or notice.kind is not ChangeKind.CHANGE_PROPERTY_VAL:
            return None
        last = self._notices[waiting[-1]]
        is_alike = (last.kind, last.time_indicator) == (notice.kind, notice.time_indicator)
        if waiting[-1] <= self._sealed or last.transaction is not None or not is_alike:
            return None
        assert last.before is not None
        gone = {**last.deleted, **notice.deleted}
        return replace(
            last,
            timestamp=notice.timestamp,
            expiry=notice.expiry,
            deleted={
                name: last.before.properties[name]
                for name in gone
                if name not in notice.modified and name in last.before.properties
            },
            modified={
                name: value
                for name, value in {**last.modified, **notice.modified}.items()
                if name not in notice.deleted
            },
            changes=last.changes + notice.changes,
        )

    # Publishing.

    def next(self, now: int) -> PublishNotices | None:
        """Hand out the next ones to be published, if there are any and none are under way."""
        at = self.wake_at
        if at is None or at > now:
            return None
        some = list(self._notices.items())[:MOST_AT_ONCE]
        self._under_way, self._sealed = True, max(self._sealed, some[-1][0])
        return PublishNotices(CHANNEL, tuple((number, event_of(one)) for number, one in some))

    def published(self, upto: int, refused: int) -> Iterator[Keep]:
        """Forget those up to a number."""
        self._under_way, self.problem = False, ""
        self.lost += refused
        for number in list(takewhile(lambda number: number <= upto, self._notices)):
            offer = self._notices.pop(number).offer
            if offer:
                self._of_offer[offer].remove(number)
                if not self._of_offer[offer]:
                    del self._of_offer[offer]
            yield Keep(self._core, f"notice {number}", None, waits=False)

    def delayed(self, problem: str, now: int) -> None:
        """Try again later."""
        self._under_way, self._retry_at, self.problem = False, now + _PAUSE, problem

    # The journal.

    def _state(self, notice: Notice) -> State:
        text = write_json(value_to_plain(value_of(notice))).decode()
        return {"version": self._version, "notice": text}

    def snapshot(self) -> Iterator[tuple[str, State]]:
        """Each notice as it is when it is reached."""
        for number in list(self._notices):
            notice = self._notices.get(number)
            if notice is not None:
                yield f"notice {number}", self._state(notice)

    def restore(self, states: Mapping[str, Any]) -> None:
        """Take notices back."""
        found = {int(key.split()[1]): state for key, state in states.items()}
        for number in sorted(found):
            value: Value = value_from_plain(parse_json(found[number]["notice"]))
            self._put(number, notice_from(value))
            self.last = self._sealed = max(self.last, number)
