"""Records on their way to disk, in batches, and what follows when a batch is there.

Many waiting pushes share one sync: while one batch is written, the next gathers. When a write
fails, its events were never accepted; its other records are owed, and go first the next time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from tidings.channel.catalogue import CATALOGUE
from tidings.channel.commands import Command, Push, Revoke
from tidings.channel.effects import Message
from tidings.channel.management import Connect
from tidings.engine.bodies import Bodies, packed
from tidings.engine.disk import Done
from tidings.engine.mailbox import Post
from tidings.engine.recording import HOST_ORIGIN
from tidings.engine.store import Writable
from tidings.errors import StoreError, TidingsError
from tidings.events.envelope import ProducerMark
from tidings.stores.records import Kind, Record
from tidings.stores.segments import Cursor

log = logging.getLogger(__name__)

_PASSING: Final = frozenset(row.request for row in CATALOGUE if not row.lasts)

# Acknowledgements wait for the next sync, at most this long, in seconds.
_RIDE: Final = 0.1
_MOST_RIDING: Final = 1_000
NOTHING: Final = Record(Kind.RESERVED, HOST_ORIGIN, 0, b"")
"""An empty record."""


class Write:
    """A batch of records.

    Attributes:
        sync: Whether something waits for them to be durable.
        events: The accepted events among them, each with its index.
        unwritable: Events that no record can hold, by channel and number: the producer's mark,
            and the reason.
    """

    __slots__ = ("after", "answers", "events", "records", "sync", "unwritable")

    def __init__(self) -> None:
        self.records: list[Writable] = []
        self.sync = False
        self.events: list[tuple[int, Message]] = []
        self.after: list[Callable[[], None]] = []
        self.answers: list[tuple[Post, object]] = []
        self.unwritable: dict[tuple[int, int], tuple[ProducerMark | None, TidingsError]] = {}

    def precede(self, records: Sequence[Writable]) -> None:
        """Put other records before its own."""
        self.events = [(at + len(records), event) for at, event in self.events]
        self.records = [*records, *self.records]

    def join(self, other: Write) -> None:
        """Append a later batch."""
        base = len(self.records)
        self.events += [(at + base, event) for at, event in other.events]
        self.records += other.records
        self.sync = self.sync or other.sync
        self.after += other.after
        self.answers += other.answers


class Writer:
    """The writes under way, oldest first; `owed` are records that could not be written yet.

    `write` has the disk thread write records and calls back; `revoke` tells everybody that events
    were not accepted after all; `refused` and `taken` say what became of a batch.
    """

    def __init__(
        self,
        bodies: Bodies,
        write: Callable[[Sequence[Writable], bool, Done], None],
        revoke: Callable[[Revoke], None],
        refused: Callable[[StoreError], None],
        taken: Callable[[], None],
    ) -> None:
        self.owed: list[Writable] = []
        self._bodies = bodies
        self._write = write
        self._revoke = revoke
        self._refused = refused
        self._taken = taken
        self._current: Write | None = None  # on its way; what comes meanwhile gathers
        self._next: Write | None = None
        self._riding: list[Writable] = []
        self._ride: asyncio.TimerHandle | None = None
        self._asked: dict[tuple[int, int], list[dict[int, int]]] = {}

    @property
    def under_way(self) -> bool:
        """Return whether something is being written."""
        return self._current is not None

    @property
    def idle(self) -> bool:
        """Return whether nothing is being written or waits to be."""
        return not (self._current or self._riding or self.owed)

    def unwritten(self) -> tuple[list[Writable], list[tuple[int, Message]]]:
        """Return the records not passed to the disk thread yet, and the accepted events in them.

        Only while nothing is being written, as in `after_writes`, is this all that the core knows
        and the journal does not.
        """
        gathered = self._next or Write()
        return [*gathered.records, *self.owed, *self._riding], gathered.events

    def ask_place(self, channel: int, seq: int, places: dict[int, int]) -> None:
        """Add the place of an event that is being written to `places`, once it is known."""
        self._asked.setdefault((channel, seq), []).append(places)

    def begin(self, write: Write) -> None:
        """Write a batch, with what rides on it or is owed before it."""
        ahead = [*self.owed, *self._riding]
        self.owed, self._riding = [], []
        if ahead:
            write.precede(ahead)
        if self._next is not None:
            self._next.join(write)
        else:
            self._next = write
            if self._current is None:
                self._submit()

    def _submit(self) -> None:
        write, self._next = self._next, None
        assert write is not None
        self._current = write
        self._write(write.records, write.sync, self._written)

    def ride(self, records: Sequence[Writable]) -> None:
        """Add records that no caller waits for to the next batch."""
        self._riding += records
        if len(self._riding) >= _MOST_RIDING:
            self.flush()
        elif self._ride is None:
            self._ride = asyncio.get_running_loop().call_later(_RIDE, self.flush)

    def flush(self) -> None:
        """Write and sync what rides or is owed, without waiting for a next batch."""
        if self._ride is not None:
            self._ride.cancel()
            self._ride = None
        if self._riding or self.owed:
            write = Write()
            write.sync = True
            self.begin(write)

    def try_again(self) -> None:
        """Find out whether a disk that refused accepts writes again."""
        if not self.owed and not self.under_way:
            self._riding.append(NOTHING)
        self.flush()

    def after_writes(self, act: Callable[[], None]) -> None:
        """Act in order: after all that is being written, or at once."""
        latest = self._next or self._current
        if latest is None:
            act()
        else:
            latest.after.append(act)

    async def finish(self) -> None:
        """Write what rides or is owed, and wait for it; give up if the disk refuses."""
        self.flush()
        while self.under_way:
            written = asyncio.get_running_loop().create_future()
            self.after_writes(partial(written.set_result, None))
            await written

    def answer_after_writes(self, post: Post, answer: object) -> None:
        """Answer in order: the answer may depend on an event that is being written."""
        latest = self._next or self._current
        if latest is not None and post.command.__class__ is Push:
            latest.answers.append((post, answer))
        else:
            post.answer(answer)

    def _written(self, places: Sequence[Cursor], error: BaseException | None) -> None:
        write = self._current
        assert write is not None
        if error is None:
            self._keep_places(write, places)
            self._taken()
        else:
            self._refuse(write, error)
        for act in write.after:
            try:
                act()
            except Exception:  # a fault of ours or a client's: the others must not wait for ever
                log.exception("something could not be done after a write")
        for post, answer in write.answers:
            post.answer(answer)
        if self._next is None:
            self._current = None
        else:
            # Those just answered may have more to push: what they push in the next two turns of
            # the loop still goes with the batch that waits.
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self._submit)

    def _keep_places(self, write: Write, places: Sequence[Cursor]) -> None:
        bodies, asked = self._bodies, self._asked
        for at, message in write.events:
            channel, seq = message.channel, message.seq
            message.acceptance = None
            if bodies.holds(channel, seq):
                bodies.keep_on_disk(channel, seq, message, places[at])
            if asked:
                for wanted in asked.pop((channel, seq), ()):
                    wanted[seq] = packed(places[at])

    def _refuse(self, write: Write, cause: BaseException) -> None:
        """Refuse a batch that was not written: its events were never accepted, the rest is owed.

        What gathered meanwhile is refused with it: records must not overtake owed ones, an answer
        there may depend on an event that is refused here, and numbers must have no gaps.
        """
        if self._next is not None:
            write.join(self._next)
            self._next = None
        error = cause
        if not isinstance(error, StoreError):
            error = StoreError(f"the journal could not be written: {cause!r}")
        new = {
            at: message
            for at, message in write.events
            if message.acceptance is None or not message.acceptance.redriven
        }
        self.owed = [r for at, r in enumerate(write.records) if at not in new] + self.owed
        refused: dict[int, list[Message]] = {}
        for message in new.values():
            refused.setdefault(message.channel, []).append(message)
            self._asked.pop((message.channel, message.seq), None)
        gone = {channel: {one.seq for one in group} for channel, group in refused.items()}
        for channel, group in refused.items():
            self._bodies.forget(channel, gone[channel])
            marks = [one.mark for one in group if one.mark is not None]
            self._revoke(Revoke(channel, [one.seq for one in group], marks))
        write.answers = [(post, refusal(post, a, gone, error)) for post, a in write.answers]
        self._refused(error)


def must_last(command: Command) -> bool:
    """Return whether a command makes a change that must be on disk when it is answered.

    A client that reconnects must be let in on a full disk: its acknowledgements free space.
    """
    if isinstance(command, Connect):
        return not command.again
    return type(command) not in _PASSING


def refusal(post: Post, answer: object, gone: dict[int, set[int]], error: TidingsError) -> object:
    """Return the answer of a command whose batch could not be written.

    The events of a push are refused one by one. Other changes are made, but not durable yet. Pulls,
    reconnects and redeliveries change nothing that a crash could undo.
    """
    command = post.command
    if isinstance(command, Push):
        if not isinstance(answer, list):
            return answer
        seqs = gone.get(command.channel, set())
        return [error if one in seqs else one for one in answer]
    if isinstance(answer, Exception) or not must_last(command):
        return answer
    return type(error)(f"the change is made, but not on the disk yet: {error}")
