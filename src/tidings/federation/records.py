"""What gateways tell each other: numbered records, so that each learns all without a centre.

Every gateway writes its own records and numbers them; of several under one key the latest counts.
A part is all that a gateway has written after one number, up to another: whoever has everything up
to the first knows everything up to the second once it has the part. A gateway that starts anew
begins above all numbers it had before (its clock gives the start).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from tidings.errors import InvalidEvent, InvalidUsage, LimitExceeded
from tidings.federation.capabilities import Survival
from tidings.federation.distribution import checked_name, distribution

MOST_GATEWAYS: Final = 1_024
"""Gateways of one federation that are remembered."""
MOST_NAMES: Final = 16 * MOST_GATEWAYS
"""The same, with those that were deleted."""
MOST_RECORDS: Final = 20_000
"""Records of one gateway."""
MOST_ENDED: Final = 1_000
"""Records of one gateway that no longer hold, and are remembered for those who do not know it."""
MOST_IN_A_PART: Final = 64
"""Records that travel together."""


class AttachedService(msgspec.Struct, frozen=True, array_like=True):
    """An event service that a gateway is connected with.

    Attributes:
        service: Its id.
        kind: Of the adapter.
        up: Whether the connection stands.
        control: Whether control events pass.
        hears: The other gateways that are heard there.
        place: Where clients find it; empty if that is not known.
        context: What becomes of each part of an event's context there, in the order of `CONTEXT`.
    """

    service: str
    kind: str
    up: bool
    control: bool
    hears: tuple[str, ...] = ()
    place: str = ""
    context: tuple[Survival, ...] = ()


class Links(msgspec.Struct, frozen=True, tag="links"):
    """Where a gateway is connected; its key is empty.

    Attributes:
        services: The event services.
    """

    services: tuple[AttachedService, ...]


class Note(msgspec.Struct, frozen=True, tag="note"):
    """A standing request: a subscription or an announcement (FES 5.2, counted).

    Attributes:
        announces: Whether it is an announcement.
        what: The filter's text, or the subject.
        source: The service that wants the events, or where what is announced is published.
        targets: The distribution list.
        count: How often it was asked for; what was taken back elsewhere counts below zero.
    """

    announces: bool
    what: str
    source: str
    targets: str
    count: int


class Applied(msgspec.Struct, frozen=True, tag="applied"):
    """What became of a note at one service.

    Attributes:
        announces: As in the note; so are the next two.
        what: …
        source: …
        service: Where it was applied.
        cause: Why it could not be; empty if it was.
        how: The filter as the service has it, and what comes too much.
        exact: Whether the service hands over nothing else.
    """

    announces: bool
    what: str
    source: str
    service: str
    cause: str = ""
    how: str = ""
    exact: bool = True


class Served(msgspec.Struct, frozen=True):
    """A request that a gateway serves at one of its sides; kept over a restart.

    Attributes:
        adapter: The side.
        what: The filter's text.
        source: The service that wants the events.
        by: The gateways that have noted it: it holds until they say otherwise.
    """

    adapter: str
    what: str
    source: str
    by: tuple[str, ...]


class Memory(msgspec.Struct, frozen=True):
    """What a gateway knows again after a restart.

    Attributes:
        notes: The standing requests that were made at it.
        served: What it serves: events for that may wait in services that hold them.
        peers: The gateways that it has heard: they know the rest.
    """

    notes: tuple[Note, ...] = ()
    served: tuple[Served, ...] = ()
    peers: tuple[str, ...] = ()


NOTHING: Final = Memory()
"""What a gateway knows that is new."""

Content = Links | Note | Applied


class Record(msgspec.Struct, frozen=True):
    """One record.

    Attributes:
        number: Rising, for each gateway.
        key: What it replaces.
        content: What it says; None if what was said under the key no longer holds.
    """

    number: int
    key: str
    content: Content | None


class Part(msgspec.Struct, frozen=True):
    """Everything that a gateway has written after a number, up to another.

    Attributes:
        gateway: Who has written it.
        after: …
        upto: …
        records: In the order of their numbers.
        floor: Up to this number, records that no longer hold are forgotten: whoever knows less
            cannot tell which of its own do not, and begins anew.
    """

    gateway: str
    after: int
    upto: int
    records: tuple[Record, ...]
    floor: int = 0


class State(msgspec.Struct, frozen=True):
    """The body of a control event of the kind state.

    Attributes:
        known: How far the sender knows each gateway's records.
        parts: What it passes on.
        time: By the sender's clock, in microseconds since 1970.
    """

    known: Mapping[str, int]
    parts: tuple[Part, ...] = ()
    time: int = 0


def state_text(state: State) -> str:
    """Return a state as JSON."""
    return msgspec.json.encode(state).decode()


def state_of_text(text: str) -> State:
    """Read a state; InvalidEvent says what is wrong."""
    try:
        state = msgspec.json.decode(text, type=State)
        for part in state.parts:
            checked_name("gateway", part.gateway)
            for record in part.records:
                _check(record.content)
    except (msgspec.MsgspecError, RecursionError, InvalidUsage) as error:
        raise InvalidEvent(f"no state of a gateway: {error}", "data.Body") from error
    return state


def _check(content: Content | None) -> None:
    """Raise InvalidUsage if a record has names that no gateway of ours would have written."""
    if isinstance(content, Note):
        checked_name("source", content.source)
        distribution(content.targets)
    elif isinstance(content, Links):
        for one in content.services:
            checked_name("service", one.service)


class _Written:
    """The records of one gateway."""

    def __init__(self) -> None:
        self.upto = 0
        self.floor = 0
        self.records: dict[str, Record] = {}  # by key, in the order of their numbers
        self._ended: dict[str, int] = {}  # the numbers of those without content, likewise

    @property
    def holds(self) -> bool:
        """Whether any of it holds; that of a deleted gateway does not."""
        return len(self.records) > len(self._ended)

    def put(self, record: Record) -> None:
        self.records.pop(record.key, None)
        self._ended.pop(record.key, None)
        self.records[record.key] = record
        if record.content is None:
            self._ended[record.key] = record.number
            if len(self._ended) > MOST_ENDED:
                key = next(iter(self._ended))
                self.floor = self._ended.pop(key)
                del self.records[key]


class Records:
    """All records that one gateway knows.

    Attributes:
        own: The gateway.
        version: Rises with every change of content.
    """

    def __init__(self, own: str, start: int) -> None:
        self.own = own
        self.version = 0
        self._by_gateway: dict[str, _Written] = {own: _Written()}
        self._by_gateway[own].upto = start
        # What held before under each key that was written since the changes were taken.
        self._before: dict[tuple[str, str], Content | None] = {}

    @property
    def known(self) -> dict[str, int]:
        """How far the records of each gateway are known."""
        return {gateway: written.upto for gateway, written in self._by_gateway.items()}

    def knows(self, gateway: str) -> bool:
        """Whether anything of a gateway was heard."""
        written = self._by_gateway.get(gateway)
        return written is not None and written.upto > 0

    def contents(self) -> Iterable[tuple[str, str, Content]]:
        """Gateway, key and content of all that holds."""
        for gateway, written in self._by_gateway.items():
            for record in written.records.values():
                if record.content is not None:
                    yield gateway, record.key, record.content

    def content(self, gateway: str, key: str) -> Content | None:
        """Return what a gateway says under a key; None for nothing."""
        written = self._by_gateway.get(gateway)
        record = written and written.records.get(key)
        return record.content if record else None

    def take_changes(self) -> list[tuple[str, str, Content | None, Content | None]]:
        """Return what has changed since the last time: gateway, key, content before and now."""
        before, self._before = self._before, {}
        changes = [
            (gateway, key, old, self.content(gateway, key))
            for (gateway, key), old in before.items()
        ]
        return [one for one in changes if one[2] != one[3]]

    def write(self, key: str, content: Content | None) -> Part | None:
        """Write a record of one's own, and return what to pass on; None if nothing has changed."""
        own = self._by_gateway[self.own]
        if self.content(self.own, key) == content:
            return None
        self._before.setdefault((self.own, key), self.content(self.own, key))
        before, own.upto = own.upto, own.upto + 1
        own.put(Record(own.upto, key, content))
        self.version += 1
        return Part(self.own, before, own.upto, (own.records[key],), own.floor)

    def take(self, part: Part) -> bool:
        """Take a part in; return whether anything in it was new.

        Raises:
            LimitExceeded: There are too many gateways, or records of this one.
        """
        if part.gateway == self.own:
            self._take_back(part)
            return False
        written = self._by_gateway.get(part.gateway)
        if written is None:
            holding = sum(one.holds for one in self._by_gateway.values())
            if holding >= MOST_GATEWAYS or len(self._by_gateway) >= MOST_NAMES:
                raise LimitExceeded(
                    f"gateway {part.gateway} is one too many: {MOST_GATEWAYS} are known"
                )
            written = self._by_gateway[part.gateway] = _Written()
        if written.upto < part.floor > written.floor:
            self._note_before(part.gateway, written.records)
            written = self._by_gateway[part.gateway] = _Written()
            self.version += 1
        if part.after > written.upto or part.upto <= written.upto:
            return False
        new = [one for one in part.records if one.number > written.upto]
        if len(written.records) + len(new) > MOST_RECORDS:
            raise LimitExceeded(
                f"gateway {part.gateway} says more than others remember: {MOST_RECORDS} records"
            )
        self._note_before(part.gateway, [one.key for one in new])
        for record in new:
            written.put(record)
        written.upto = part.upto
        written.floor = max(written.floor, part.floor)
        self.version += bool(new)
        return True

    def _note_before(self, gateway: str, keys: Iterable[str]) -> None:
        for key in keys:
            self._before.setdefault((gateway, key), self.content(gateway, key))

    def _take_back(self, part: Part) -> None:
        """Go above numbers that others have heard in an earlier life, if the clock has not."""
        own = self._by_gateway[self.own]
        if part.upto > own.upto:
            records, floor = own.records, own.floor
            own = self._by_gateway[self.own] = _Written()
            own.upto, own.floor = part.upto, floor
            for record in records.values():
                own.upto += 1
                own.put(Record(own.upto, record.key, record.content))
            for record in part.records:  # what the earlier life said, and this one does not
                if record.key not in own.records:
                    own.upto += 1
                    own.put(Record(own.upto, record.key, None))

    def parts_for(self, known: Mapping[str, int]) -> list[Part]:
        """Return what somebody lacks who knows so much, in small parts."""
        parts = []
        for gateway, written in self._by_gateway.items():
            at = known.get(gateway, 0)
            if written.upto > at:
                parts += _divided(gateway, at, written)
        return parts

    def lacks(self, known: Mapping[str, int]) -> bool:
        """Whether somebody who knows so much knows more of any gateway."""
        mine = self._by_gateway
        return any(
            gateway not in mine or mine[gateway].upto < upto for gateway, upto in known.items()
        )


def _divided(gateway: str, after: int, written: _Written) -> list[Part]:
    lacking = [one for one in written.records.values() if one.number > after]
    parts = []
    for start in range(0, len(lacking), MOST_IN_A_PART) or (0,):
        chosen = tuple(lacking[start : start + MOST_IN_A_PART])
        last = start + MOST_IN_A_PART >= len(lacking)
        upto = written.upto if last else chosen[-1].number
        parts.append(Part(gateway, after, upto, chosen, written.floor))
        after = upto
    return parts
