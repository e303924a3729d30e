"""Random lives of a channel whose past is read: pushes, retention, restarts, crashes."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.edges.engine.hosts import consumer, happened, new_channel, soon, supplier
from tidings import constraint
from tidings.channel.commands import Push
from tidings.channel.management import Detach
from tidings.engine.host import Host
from tidings.errors import CursorNotFound
from tidings.stores.payloads import stored_event
from tidings.stores.records import Kind
from tidings.stores.retention import Retention

__all__ = ["World", "acts"]

SEGMENT = 3_000
CHEAP = constraint("$n < 5")


def acts() -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """What happens to a channel, in order."""
    pushes = st.tuples(
        st.just("push"), st.lists(st.tuples(st.booleans(), st.integers(0, 9)), max_size=12)
    )
    others = st.sampled_from([("clean",), ("restart",), ("crash",)])
    reads = st.tuples(st.just("read"), st.integers(1, 9), st.booleans(), st.integers(0, 80))
    return st.lists(st.one_of(pushes, pushes, others, reads), min_size=3, max_size=14)


class World:
    """One channel, and what it should remember.

    Attributes:
        kept: The Persistent events that were accepted: their number and content.
        lost: Up to which number they were gone when they were last read.
    """

    def __init__(self, folder: Path) -> None:
        self.kept: list[tuple[int, int]] = []
        self.lost = 0
        self._folder = folder / "0"
        self._crashes = 0
        self._host: Host | None = None
        self._channel = self._source = 0

    @property
    def host(self) -> Host:
        assert self._host is not None
        return self._host

    async def play(self, acts: Sequence[tuple[Any, ...]]) -> None:
        """Has all of it happen; reads everything at the end."""
        await self._open()
        try:
            self._channel = await new_channel(self.host)
            self._source = await supplier(self.host, self._channel)
            slow, _ = await consumer(self.host, self._channel, text="$n == 3")
            await soon(self.host.ask(Detach(self._channel, slow)))
            for act, *args in acts:
                await getattr(self, f"_{act}")(*args)
            await self._read(3, False, 0)
            await self._restart()
            await self._read(1_000, True, 0)
        finally:
            await self.host.close(0.0)

    async def _open(self) -> None:
        retention = Retention(keep_octets=4_000)
        self._host = await Host.open(self._folder, segment_octets=SEGMENT, retention=retention)

    async def _push(self, events: list[tuple[bool, int]]) -> None:
        sent = [happened("x" * 60, persistent, n=n) for persistent, n in events]
        seqs = await soon(self.host.ask(Push(self._channel, self._source, sent)))
        for seq, (persistent, n) in zip(seqs, events, strict=True):
            if persistent:
                self.kept.append((seq, n))

    async def _clean(self) -> None:
        self.host.writer.flush()
        await soon(self.host.housekeeping.run_once())

    async def _restart(self) -> None:
        await self.host.close(0.0)
        await self._open()

    async def _crash(self) -> None:
        self._crashes += 1
        copied = self._folder.with_name(str(self._crashes))
        shutil.copytree(self._folder, copied)
        await self.host.close(0.0)
        self._folder = copied
        await self._open()

    async def _read(self, most: int, filtered: bool, after: int) -> None:
        self.lost = lost = self._lost()
        last = self.host.factory.channel(self._channel).seq
        wanted = [seq for seq, n in self.kept if n < 5 or not filtered]
        asked = CHEAP if filtered else None
        found = await self._pages(most, asked, None)
        assert found == [seq for seq in wanted if seq > lost]
        after = min(after, last)
        try:
            found = await self._pages(most, asked, after)
        except CursorNotFound as error:
            told = str(error)
            assert (after < lost, told.endswith(f"is {lost + 1}")) == (True, True), told
        else:
            assert after >= lost
            assert found == [seq for seq in wanted if seq > after]

    async def _pages(self, most: int, asked: Any, after: int | None) -> list[int]:
        found: list[int] = []
        page = None
        while page is None or not page.end:
            page = await soon(
                self.host.history.page(self._channel, after=after, most=most, constraint=asked)
            )
            found += [message.seq for message in page.messages]
            after = page.next
        return found

    def _lost(self) -> int:
        """The highest number that is not in the journal any more, other than as a copy."""
        store = self.host.store
        assert store is not None
        origin = bytes.fromhex(self.host.origins[self._channel])
        there = {
            entry.record.seq
            for entry in store.journal.read()
            if entry.record.kind == Kind.EVENT
            and entry.record.channel == origin
            and not stored_event(entry.record.payload).carried
        }
        return max((seq for seq, _ in self.kept if seq not in there), default=0)
