"""Carries out effects: keeps contents, writes records, then lets things leave.

Effects that depend on records leave when these are on disk. While they are being written, the core
goes on with the next batch.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from tidings.channel import effects as e
from tidings.channel.commands import Revoke
from tidings.channel.entries import PERSISTENT, Entry
from tidings.cores import Keep
from tidings.engine.bodies import Bodies
from tidings.engine.dead_letters import DeadLetters
from tidings.engine.losses import LossReports
from tidings.engine.mailbox import Post
from tidings.engine.recording import Recorder
from tidings.engine.sender import Later, Sender
from tidings.engine.spilling import Spilling
from tidings.engine.storage import Storage
from tidings.engine.store import Store
from tidings.engine.writing import Write, Writer, refusal
from tidings.errors import StoreError, TidingsError

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Performer:
    """Carries out what the core decided, effect by effect.

    `listeners` receive the effects of other classes; `revoke` tells the core at once of events that
    were never accepted.
    """

    storage: Storage
    out: Sender
    spilling: Spilling
    dead_letters: DeadLetters
    reports: LossReports
    notice: Callable[[e.Notice], None]
    revoke: Callable[[Revoke], None]
    now: Callable[[], int]
    counts: Counter[e.Outcome] = field(default_factory=Counter)
    listeners: dict[type, list[Callable[[Any], None]]] = field(default_factory=dict)
    _store: Store | None = field(init=False)
    _bodies: Bodies = field(init=False)
    _recorder: Recorder = field(init=False)
    _writer: Writer = field(init=False)

    def __post_init__(self) -> None:
        storage, out, spilling = self.storage, self.out, self.spilling
        self._store, self._bodies = storage.store, storage.bodies
        self._recorder, self._writer = storage.recorder, storage.writer
        # What others do when all before it is on disk.
        self.listeners |= {
            e.DisconnectPeer: [out.disconnect],
            e.Poll: [out.poll],
            e.Refill: [spilling.refill],
            e.TellOffers: [out.tell_offers],
            e.TellSubscriptions: [out.tell_subscriptions],
            e.Unspill: [spilling.unspill],
        }

    def perform(
        self, posts: Sequence[Post], answers: Sequence[object], effects: Sequence[object]
    ) -> None:
        """Carry out one batch."""
        write = Write()
        left = iter(effects)
        find, tell = _PERFORM.get, Performer._tell
        while True:
            try:
                for effect in left:
                    find(effect.__class__, tell)(self, effect, write)
                break
            except Exception:  # a fault of ours or a client's: the others must not suffer from it
                log.exception("an effect could not be carried out")
        if write.unwritable:
            answers = self._refused(posts, answers, write)
        self._send(posts, answers, write)
        for (channel, seq), (mark, _) in write.unwritable.items():
            marks = () if mark is None else (mark,)
            self.revoke(Revoke(channel, [seq], marks))

    def _send(self, posts: Sequence[Post], answers: Sequence[object], write: Write) -> None:
        """Have the gathered records written, and the callers answered."""
        writer = self._writer
        if write.sync:
            write.answers += zip(posts, answers, strict=True)
            writer.begin(write)
            return
        if write.records:
            writer.ride(write.records)
        for act in write.after:
            writer.after_writes(act)
        tell = writer.answer_after_writes if writer.under_way else Post.answer
        for post, answer in zip(posts, answers, strict=True):
            if post.waiting is not None:
                tell(post, answer)

    def _refused(
        self, posts: Sequence[Post], answers: Sequence[object], write: Write
    ) -> list[object]:
        """Return the answers, with errors for events that no record can hold."""
        found = list(answers)
        for (channel, seq), (_, error) in write.unwritable.items():
            gone = {channel: {seq}}
            found = [refusal(post, a, gone, error) for post, a in zip(posts, found, strict=True)]
        return found

    # Contents and records.

    def _accepted(self, message: e.Message, write: Write) -> None:
        accepted = message.acceptance
        if accepted is not None:
            try:
                record = self._recorder.event(message, accepted)
            except Exception as fault:  # noqa: BLE001 -- this event's trouble, not that of others
                write.unwritable[message.channel, message.seq] = (message.mark, _told(fault))
                return
            message.octets = len(record.payload)
            write.events.append((len(write.records), message))
            write.records.append(record)
            write.sync = True
            if not accepted.recipients:
                return
        self._bodies.keep(message.channel, message.seq, message)

    def _settled(self, effect: e.Settled, write: Write) -> None:
        self._bodies.forget(effect.channel, effect.seqs)

    def _done(self, effect: e.Done, write: Write) -> None:
        self.counts[effect.outcome] += effect.copies
        if effect.durable and self._store is not None:
            write.records.append(self.dead_letters.outcome(effect, self.now()))

    def _topology(self, effect: e.TopologyChanged, write: Write) -> None:
        if effect.kind == "channel":
            if effect.state is None:
                self._bodies.drop_channel(effect.channel)
                self.reports.losses.forget(effect.channel)
                self._recorder.origin_texts.pop(effect.channel, None)
            else:
                self._recorder.origin_texts[effect.channel] = str(effect.state["origin"])
        if self._store is not None:
            # Twice, like the headers of segments: one flipped bit must not cost an object, and
            # with it all its events.
            record = self._recorder.topology(effect)
            write.records += (record, record)
            write.sync = True

    def _keep(self, effect: Keep, write: Write) -> None:
        if self._store is not None:
            record = self._recorder.object(effect.core, effect.key, effect.state)
            write.records += (record, record) if effect.waits else (record,)
            write.sync = write.sync or effect.waits

    def _plan(self, effect: e.PlanChanged, write: Write) -> None:
        if self._store is not None:
            write.records.append(self._recorder.plan(effect))

    def _reserved(self, effect: e.Reserved, write: Write) -> None:
        if self._store is not None:
            write.records.append(self._recorder.reserved(effect))
            write.sync = True

    def _dead(self, effect: e.DeadLetter, write: Write) -> None:
        self.dead_letters.bury(effect, write)

    # Things that leave.

    def _deliver(self, effect: e.Deliver, write: Write) -> None:
        if write.unwritable:
            effect = replace(effect, entries=_writable(effect, write))
        self.out.deliver(effect, self._later(effect.entries, write))

    def _pulled(self, effect: e.Pulled, write: Write) -> None:
        if write.unwritable:
            effect = replace(effect, entries=_writable(effect, write))
        self.out.pulled(effect, self._later(effect.entries, write))

    def _later(self, entries: Sequence[Entry], write: Write) -> Later | None:
        """Return what runs an action after the sync that events must wait for; None for none."""
        writer = self._writer
        if not (write.sync or writer.under_way):
            return None
        if not any(entry[4] & PERSISTENT for entry in entries):
            return None
        return write.after.append if write.sync else writer.after_writes

    def _pull_ended(self, effect: e.PullEnded, write: Write) -> None:
        self.out.pull_ended(effect.token, effect.error)

    def _tell(self, effect: object, write: Write) -> None:
        for listener in self.listeners.get(effect.__class__, ()):
            write.after.append(partial(listener, effect))

    def _notice(self, effect: e.Notice, write: Write) -> None:
        self.notice(effect)

    # Entries on the disk.

    def _spill(self, effect: e.Spill, write: Write) -> None:
        held = self._bodies.of(effect.channel)
        places: dict[int, int] = {}
        for entry in effect.entries:
            found = held.get(entry.seq)
            if isinstance(found, int):
                places[entry.seq] = found
            else:  # it is on its way to the disk
                self._writer.ask_place(effect.channel, entry.seq, places)
        write.after.append(partial(self.spilling.spill, effect, places))


def _writable(effect: e.Deliver | e.Pulled, write: Write) -> list[Entry]:
    channel, gone = effect.channel, write.unwritable
    return [entry for entry in effect.entries if (channel, entry.seq) not in gone]


def _told(fault: Exception) -> TidingsError:
    if isinstance(fault, TidingsError):
        return fault
    return StoreError(f"the event could not be recorded: {fault!r}")


_PERFORM: Final[dict[type, Callable[[Performer, Any, Write], None]]] = {
    e.DeadLetter: Performer._dead,
    e.Deliver: Performer._deliver,
    e.Done: Performer._done,
    e.Message: Performer._accepted,
    e.Notice: Performer._notice,
    e.PlanChanged: Performer._plan,
    e.PullEnded: Performer._pull_ended,
    e.Pulled: Performer._pulled,
    e.Reserved: Performer._reserved,
    e.Settled: Performer._settled,
    e.Spill: Performer._spill,
    e.TopologyChanged: Performer._topology,
    Keep: Performer._keep,
}
