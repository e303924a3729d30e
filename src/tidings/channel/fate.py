"""The fate of one event: who it was for, and what became of each copy."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from tidings.channel.effects import Outcome

State: TypeAlias = Literal[
    "waiting", "in_flight", "delivered", "expired", "discarded", "purged", "rejected", "dead",
    "disconnected", "lost", "not_recorded", "not_found",
]  # fmt: skip
Kept: TypeAlias = Literal["kept", "removed", "damaged", "missing"]

_STATES: Final[Mapping[Outcome, State]] = {
    Outcome.DELIVERED: "delivered",
    Outcome.EXPIRED: "expired",
    Outcome.DISCARDED: "discarded",
    Outcome.PURGED: "purged",
    Outcome.REJECTED: "rejected",
    Outcome.DEAD: "dead",
    Outcome.DISCONNECTED: "disconnected",
    Outcome.LOST: "lost",
}
BURIED: Final[frozenset[State]] = frozenset({"rejected", "dead"})
"""States of a copy that became a dead letter, which may be delivered again."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a copy ended.

    Attributes:
        state: What became of it.
        at: When, microseconds since 1970; null if that was not recorded.
    """

    state: State
    at: int | None


@dataclass(frozen=True, slots=True)
class EventCopy:
    """One consumer's copy of an event.

    Attributes:
        proxy: Whose.
        name: The name of that proxy; empty if it has none, or has ended.
        state: What became of the copy, or where it is. `not_recorded`: the consumer's connection is
            BestEffort, so its outcomes are not in the journal. `not_found`: nothing was found in
            the part of the journal that was read so far.
        at: When it ended, microseconds since 1970; null if it has not, or that was not recorded.
        letter: The id of its dead letter; null for none.
        earlier: How it had ended before it was delivered again, the first ending first; not looked
            for while it waits.
    """

    proxy: int
    name: str
    state: State
    at: int | None = None
    letter: int | None = None
    earlier: tuple[Ending, ...] = ()


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of an event.

    Attributes:
        channel: Its channel.
        number: The event's number.
        record: Whether the journal has it: `kept`; `removed` by retention; `damaged`; `missing` if
            it was never there, as with BestEffort events, or the caller may not see it.
        arrival: When it was accepted, microseconds since 1970; null if the journal does not say.
        plan: Version of the rules that chose its consumers; null if the journal does not say.
        rules: Version of the rules now.
        counts: How many copies are in each state.
        copies: The copies, by rising ids of proxies; page on with `after`.
        complete: Whether the journal was read as far as needed. If not, the same request goes on.
        unknown: What cannot be known, in sentences.
    """

    channel: int
    number: int
    record: Kept
    arrival: int | None
    plan: int | None
    rules: int
    counts: Mapping[str, int]
    copies: tuple[EventCopy, ...]
    complete: bool
    unknown: tuple[str, ...]


def ending_of(outcome: Outcome, at: int | None) -> Ending | None:
    """Return the ending that an outcome in the journal stands for; None for none."""
    state = _STATES.get(outcome)
    return None if state is None else Ending(state, at)


def needs_search(endings: Sequence[Ending], letter: int | None) -> bool:
    """Return whether more may have become of a copy that does not wait now.

    It ends once, unless it became a dead letter that is not there any more.
    """
    return not endings or (endings[-1].state in BURIED and letter is None)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of an event's copies, by proxy.

    Attributes:
        held: Those that are waiting or in flight.
        listed: Those whose outcomes the journal records.
        endings: Outcomes found in the journal, in order.
        letters: Dead letters.
        matched: Whom the rules of that time chose; empty if these are unknown.
        complete: Whether the journal was read as far as needed.
    """

    held: Mapping[int, State]
    listed: Collection[int]
    endings: Mapping[int, Sequence[Ending]]
    letters: Mapping[int, int]
    matched: Collection[int]
    complete: bool

    def proxies(self) -> list[int]:
        """Return everybody who has or had a copy, by rising ids."""
        return sorted({*self.held, *self.listed, *self.endings, *self.letters, *self.matched})

    def copy(self, proxy: int, name: str, durable: bool | None) -> EventCopy:
        """Return what became of a copy; `durable` is None if the proxy has ended."""
        endings = tuple(self.endings.get(proxy, ()))
        letter = self.letters.get(proxy)
        held = self.held.get(proxy)
        if held is not None:
            return EventCopy(proxy, name, held, None, letter, endings)
        if endings:
            *earlier, last = endings
            return EventCopy(proxy, name, last.state, last.at, letter, tuple(earlier))
        return EventCopy(proxy, name, self._without_ending(proxy, durable), None, letter)

    def _without_ending(self, proxy: int, durable: bool | None) -> State:
        if proxy in self.letters:
            return "dead"  # the outcome went with old segments
        if proxy not in self.listed:
            return "not_recorded"
        if not self.complete:
            return "not_found"
        if durable is None:
            return "disconnected"
        return "waiting" if durable else "not_recorded"
