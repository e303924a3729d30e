from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.channel.machine import named
from tidings.client.transports import http_gap
from tidings.client.transports.http_gap import Gap, Missed
from tidings.errors import CursorNotFound


class _Journal:
    """What a journal still has, by number: the event's priority; two numbers a page."""

    def __init__(self, kept: dict[int, int], last: int, oldest: int = 1) -> None:
        self._kept, self._last, self._oldest = kept, last, oldest

    async def history(self, channel: int, after: int | None, *more: object) -> Any:
        if after is not None and after + 1 < self._oldest:
            raise CursorNotFound("too old")
        found = [seq for seq in sorted(self._kept) if seq > (after or 0)][:2]
        messages = [
            SimpleNamespace(seq=seq, priority=self._kept[seq], event=named("x"), arrival=0)
            for seq in found
        ]
        end = not found or found[-1] == max(self._kept)
        return SimpleNamespace(
            messages=messages, next=found[-1] if found else after, end=end, last=self._last
        )


def _missed(gap: Gap, journal: Any, wish: Any = (None, None)) -> tuple[list[int], str]:
    found: Missed = asyncio.run(gap.missed(journal, 1, wish))
    return [message.seq for message in found.messages], found.words


def _after(*arrived: tuple[int, int]) -> Gap:
    gap = Gap()
    events: Any = [SimpleNamespace(seq=seq, priority=priority) for seq, priority in arrived]
    gap.arrived(SimpleNamespace(events=events))  # type: ignore[arg-type]
    return gap


def test_what_came_after_the_latest_is_missed() -> None:
    journal = _Journal(dict.fromkeys(range(1, 8), 0), 7)
    assert _missed(_after((1, 0), (3, 0)), journal) == ([4, 5, 6, 7], "")
    assert _missed(_after((3, 0)), journal, ("FALSE", None)) == ([], "")
    assert _missed(_after((3, 0)), journal, (None, lambda one: one.seq > 6)) == ([7], "")


def test_what_urgent_events_had_overtaken_is_missed_too() -> None:
    journal = _Journal({1: 0, 2: 0, 3: 0, 4: 5, 5: 0}, 5)
    assert _missed(_after((1, 0), (4, 5)), journal) == ([2, 3, 5], "")


def test_what_is_in_no_journal_is_counted() -> None:
    journal = _Journal({4: 0, 6: 0}, 9)
    assert _missed(_after((3, 0)), journal) == (
        [4, 6],
        "up to 4 events missed: BestEffort, or no longer kept",
    )
    dropped = _Journal({8: 0, 9: 0}, 9, oldest=8)
    assert _missed(_after((3, 0)), dropped)[0] == [8, 9]
    assert _missed(_after((3, 0)), dropped)[1].startswith("up to 4 events missed")


def test_where_nothing_ever_came_the_beginning_counts() -> None:
    journal = _Journal(dict.fromkeys(range(1, 8), 0), 7)
    gap = Gap()
    assert _missed(gap, journal) == ([], "how many events were missed is not known")
    gap.start = 5
    assert _missed(gap, journal) == ([6, 7], "")


def test_too_many_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_gap, "MOST", 4)
    journal = _Journal(dict.fromkeys(range(1, 30), 0), 29)
    found = _missed(_after((3, 0)), journal)
    assert found == ([4, 5, 6, 7], "events after number 7 were missed: there are too many")
