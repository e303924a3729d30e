"""An archive of several alike channels, and a fault planted in each: one audit finds them all."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from tests.archive_story import Story
from tests.archive_worlds import World
from tests.real.pipeline.archive_faults import ArchiveCopy, Row
from tests.real.pipeline.auditing import final_outcomes, origin_of
from tidings.channel.vocabulary import Place
from tidings.engine.host import Host
from tidings.stores.archive.columns import EVENTS, OUTCOMES, PLANS

__all__ = ["AlikeChannels", "spoil"]

Rows: TypeAlias = tuple[Row, ...]


class AlikeChannels(Story):
    """Each channel has a consumer that takes events and one that waits, and its rules change."""

    async def begin(self, host: Host) -> None:
        """Events for one of them, for both, and for none, before and after a change of rules."""
        self.host = host
        for name in _FAULTS:
            channel = await self.new_channel(name)
            takes = await self.consumer(channel, "$zone == 0;$zone == 1;$zone == 2")
            await self.join(name, takes, channel)
            waits = await self.consumer(channel, "$zone == 2;$zone == 3")
            await self.join(f"{name}, waiting", waits, channel)
            feed = await self.supplier(channel)
            await self.push(channel, feed, self.share * 2)
            await self.add_filter(Place(channel, proxy=takes), "$speed > 95")
            await self.push(channel, feed, self.share)
            await self.take(self.ends[name])
        await self.host.writer.finish()

    async def go_on(self, host: Host) -> None:
        """Nothing happens after the restart."""


def spoil(copy: ArchiveCopy, world: World) -> dict[str, Rows]:
    """Plants each fault in the channel that is named for it; the rows it concerns."""
    return {name: plant(copy, world, name) for name, plant in _FAULTS.items()}


def _missing_outcome(copy: ArchiveCopy, world: World, channel: str) -> Rows:
    row = final_outcomes(copy, world, channel)[5]
    copy.remove_outcome(row)
    return (row,)


def _doubled_outcome(copy: ArchiveCopy, world: World, channel: str) -> Rows:
    row = final_outcomes(copy, world, channel)[3]
    copy.double_outcome(row)
    return (row,)


def _wrong_proxy(copy: ArchiveCopy, world: World, channel: str) -> Rows:
    recipients = {(one.origin, one.seq): one.recipients for one in world.firsts}
    origin = origin_of(world, channel)
    row, wrong = next(
        (row, proxy)
        for row in final_outcomes(copy, world, channel)
        for proxy in world.proxies[origin]
        if proxy not in recipients[origin, row["seq"]]
    )
    copy.deliver_to(row, wrong)
    return row, {**row, "proxy": wrong}


def _missing_event(copy: ArchiveCopy, world: World, channel: str) -> Rows:
    row = final_outcomes(copy, world, channel)[7]
    copy.remove_event(row["origin"], row["seq"])
    return (row,)


def _event_without_outcome(copy: ArchiveCopy, world: World, channel: str) -> Rows:
    with_outcome = {(row["origin"], row["seq"]) for row in copy.rows(OUTCOMES)}
    here = origin_of(world, channel)
    waiting = {(origin, seq) for origin, seq, _ in world.pending if origin == here}
    origin, seq = min(waiting - with_outcome)
    copy.remove_event(origin, seq)
    return ({"seq": seq},)


def _judged_versions(copy: ArchiveCopy, world: World, channel: str) -> list[Row]:
    """Versions of a channel's plan that judged events, and the one before them."""
    origin = origin_of(world, channel)
    used = {row["plan"] for row in copy.rows(EVENTS) if row["origin"] == origin}
    return [
        row
        for row in copy.rows(PLANS)
        if row["origin"] == origin and row["version"] >= min(used) - 1
    ]


def _swapped_plan(copy: ArchiveCopy, world: World, channel: str) -> Rows:
    first, second = _judged_versions(copy, world, channel)[:2]
    copy.swap_plans(first, second)
    return first, second


def _careful_plan(copy: ArchiveCopy, world: World, channel: str) -> Rows:
    """The filters of consumers are made to let nothing pass."""
    versions = _judged_versions(copy, world, channel)
    row = next(row for row in versions if '"filters"' in row["change"])
    text = re.sub(r'"text":"[^"]*"', '"text":"FALSE"', row["change"])

    def edit(one: Row) -> list[Row]:
        return [{**one, "change": text} if one["position"] == row["position"] else one]

    assert copy.change(PLANS, edit) == 1
    return (row,)


def _two_outcomes_and_an_event(copy: ArchiveCopy, world: World, channel: str) -> Rows:
    first, second, *_, lost = final_outcomes(copy, world, channel)
    assert len({first["seq"], second["seq"], lost["seq"]}) == 3
    for row in (first, second):
        copy.remove_outcome(row)
    copy.remove_event(lost["origin"], lost["seq"])
    return first, second, lost


def _doubled_and_wrong(copy: ArchiveCopy, world: World, channel: str) -> Rows:
    moved, wrong = _wrong_proxy(copy, world, channel)
    twice = next(row for row in final_outcomes(copy, world, channel) if row["seq"] != moved["seq"])
    copy.double_outcome(twice)
    return twice, moved, wrong


_FAULTS: dict[str, Callable[[ArchiveCopy, World, str], Rows]] = {
    "missing-outcome": _missing_outcome,
    "doubled-outcome": _doubled_outcome,
    "wrong-proxy": _wrong_proxy,
    "missing-event": _missing_event,
    "event-without-outcome": _event_without_outcome,
    "swapped-plan": _swapped_plan,
    "careful-plan": _careful_plan,
    "two-outcomes-and-an-event": _two_outcomes_and_an_event,
    "doubled-and-wrong": _doubled_and_wrong,
}
