"""What a channel does, on plain lists that are sorted when somebody asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tidings.channel.effects import Outcome
from tidings.channel.entries import NEVER

FIFO, PRIORITY, DEADLINE, LIFO = 1, 2, 3, 4


@dataclass
class Copy:
    """One consumer's copy of an event."""

    seq: int
    priority: int
    expiry: int
    absolute: bool
    persistent: bool


@dataclass
class ModelPull:
    """A pull that waits."""

    token: int
    most: int
    until: int | None
    lease: int | None


@dataclass
class Asked:
    """What an admin or a consumer asks for: one of its kinds, and one of its types; none is all."""

    kinds: list[int] = field(default_factory=list)
    types: set[str] = field(default_factory=set)


@dataclass
class ModelAdmin:
    """An admin of consumers."""

    either: bool
    asked: Asked = field(default_factory=Asked)


@dataclass
class ModelConsumer:
    """A consumer, and all that waits for it.

    Attributes:
        waiting: Copies in the order they came.
        returned: Numbers of copies that came back from flight.
        again: Numbers of copies that were in flight before.
        done: What became of its copies.
    """

    admin: int
    pulls_itself: bool
    sequence: bool
    window: int
    durable: bool
    order: int = PRIORITY
    discard: int = FIFO
    most: int = 0
    timeout: int = 0
    priority: int = 0
    batch: int = 1
    asked: Asked = field(default_factory=Asked)
    attached: bool = True
    suspended: bool = False
    failures: int = 0
    retry_at: int = 0
    waiting: list[Copy] = field(default_factory=list)
    later: list[tuple[int, Copy]] = field(default_factory=list)
    flight: dict[int, Copy] = field(default_factory=dict)
    leases: dict[int, int] = field(default_factory=dict)
    pulls: list[ModelPull] = field(default_factory=list)
    returned: set[int] = field(default_factory=set)
    again: set[int] = field(default_factory=set)
    done: Counter[Outcome] = field(default_factory=Counter)

    def in_order(self) -> list[Copy]:
        if self.order == PRIORITY:
            return sorted(self.waiting, key=lambda copy: -copy.priority)
        if self.order == DEADLINE:
            return sorted(self.waiting, key=lambda copy: (copy.expiry, copy.seq))
        return self.waiting[:]

    def finish(self, copies: Iterable[Copy], outcome: Outcome) -> None:
        for copy in copies:
            self.done[outcome] += 1
            self.again.discard(copy.seq)

    def expire(self, now: int) -> None:
        self.finish([x for x in self.waiting if x.expiry <= now], Outcome.EXPIRED)
        self.waiting = [x for x in self.waiting if x.expiry > now]

    def take(self, most: int) -> list[Copy]:
        taken = self.in_order()[:most]
        self.waiting = [x for x in self.waiting if x not in taken]
        return taken

    def put_back(self, seqs: Iterable[int]) -> None:
        back = [self.flight.pop(seq) for seq in list(seqs) if seq in self.flight]
        for copy in back:
            self.leases.pop(copy.seq, None)
        self.again |= {copy.seq for copy in back}
        if back:
            highest = max(copy.seq for copy in back)
            front = {x.seq for x in self.waiting if x.seq in self.returned and x.seq < highest}
            self.returned |= {copy.seq for copy in back}
            back += [x for x in self.waiting if x.seq in front]
            rest = [x for x in self.waiting if x.seq not in front]
            self.waiting = sorted(back, key=lambda copy: copy.seq) + rest

    def victim(self) -> Copy:
        if self.discard == LIFO:
            return self._by_arrival()[-1]
        if self.discard == PRIORITY:
            # Of equals the first in the queue.
            lowest = min(copy.priority for copy in self.waiting)
            equals = [copy for copy in self.waiting if copy.priority == lowest]
            return equals[0] if self.order == PRIORITY else min(equals, key=lambda x: x.seq)
        expiring = [copy for copy in self.waiting if copy.expiry != NEVER]
        if self.discard == DEADLINE and expiring:
            return min(expiring, key=lambda copy: (copy.expiry, copy.seq))
        return self._by_arrival()[0]

    def _by_arrival(self) -> list[Copy]:
        return self.waiting if self.order == FIFO else sorted(self.waiting, key=lambda x: x.seq)

    def trim(self) -> None:
        """Discards what is too much."""
        while self.most and len(self.waiting) + len(self.later) > self.most:
            if self.waiting:
                gone = self.victim()
                self.waiting.remove(gone)
            else:
                last = max(self.later, key=lambda item: (item[0], item[1].expiry, item[1].seq))
                self.later.remove(last)
                gone = last[1]
            self.finish([gone], Outcome.DISCARDED)


Handed = list[tuple[int, ...]]


class ModelChannel:
    """A channel: who gets what, and in which order.

    Attributes:
        seq: The latest number.
        handed: What the step handed over: for a push ``(0, proxy, seqs …)``, for a pull
            ``(1, token, seqs …)``.
        again: Which of these were handed over before, as proxy and number.
        gone: What became of the copies of consumers that are gone.
    """

    def __init__(self, durable: bool, most: int = 0, rejects: bool = True) -> None:
        self.durable = durable
        self.most = most
        self.rejects = rejects
        self.seq = 0
        self.admins = {0: ModelAdmin(False)}
        self.consumers: dict[int, ModelConsumer] = {}
        self.handed: Handed = []
        self.again: set[tuple[int, int]] = set()
        self.marks: dict[int, int] = {}
        self.gone: dict[int, Counter[Outcome]] = {}

    def live(self) -> Counter[int]:
        """How many wait for each event."""
        found: Counter[int] = Counter()
        for one in self.consumers.values():
            found.update(copy.seq for copy in one.waiting)
            found.update(copy.seq for _, copy in one.later)
            found.update(list(one.flight))
        return found

    def _id(self, one: ModelConsumer) -> int:
        return next(id for id, other in self.consumers.items() if other is one)

    # Who wants it.

    def wants(self, one: ModelConsumer, kind: int, type: str) -> bool:
        admin = self.admins[one.admin]
        for asked in (admin.asked, one.asked):
            if asked.types and type not in asked.types:
                return False
        groups = [asked.kinds for asked in (admin.asked, one.asked) if asked.kinds]
        verdicts = [kind in kinds for kinds in groups]
        if not verdicts:
            return True
        return any(verdicts) if admin.either else all(verdicts)

    # The flow.

    def push(
        self, event: Copy, start: int | None, kind: int, type: str, own: set[str], now: int
    ) -> bool:
        """Takes an event in; whether it was accepted."""
        if self.most and self.rejects and len(self.live()) >= self.most:
            return False
        self.seq += 1
        event = replace(event, seq=self.seq)
        for one in self.consumers.values():
            if not self.wants(one, kind, type):
                continue
            copy = replace(event)
            if "Priority" not in own:
                copy.priority = one.priority
            if "Timeout" not in own and one.timeout and now + one.timeout <= copy.expiry:
                copy.expiry, copy.absolute = now + one.timeout, False
            if start is not None and start > now:
                one.later.append((start, copy))
            else:
                one.waiting.append(copy)
            self._after_arrival(one, now)
        while self.most and not self.rejects and len(self.live()) > self.most:
            self._discard_for_all(min(self.live()))
        return True

    def _after_arrival(self, one: ModelConsumer, now: int) -> None:
        one.expire(now)
        self.hand_over(one, now)
        one.trim()

    def _discard_for_all(self, seq: int) -> None:
        for one in self.consumers.values():
            for copy in [x for x in one.waiting if x.seq == seq]:
                one.waiting.remove(copy)
                one.finish([copy], Outcome.DISCARDED)
            for item in [x for x in one.later if x[1].seq == seq]:
                one.later.remove(item)
                one.finish([item[1]], Outcome.DISCARDED)
            if seq in one.flight:
                one.leases.pop(seq, None)
                one.finish([one.flight.pop(seq)], Outcome.DISCARDED)

    def hand_over(self, one: ModelConsumer, now: int) -> None:
        proxy = self._id(one)
        if not one.attached or one.suspended:
            return
        if one.pulls_itself:
            self.serve(one, now)
            return
        one.expire(now)
        while one.waiting and one.retry_at <= now:
            if one.sequence:
                if one.flight and len(one.flight) + one.batch > one.window:
                    return
                room = one.batch
            else:
                room = one.window - len(one.flight)
                if room <= 0:
                    return
            taken = one.take(room)
            one.flight.update((copy.seq, copy) for copy in taken)
            self.handed.append((0, proxy, *(copy.seq for copy in taken)))
            self.again |= {(proxy, copy.seq) for copy in taken if copy.seq in one.again}

    def serve(self, one: ModelConsumer, now: int) -> None:
        one.expire(now)
        while one.pulls and one.waiting:
            pull = one.pulls.pop(0)
            taken = one.take(pull.most)
            self.handed.append((1, pull.token, *(copy.seq for copy in taken)))
            self.again |= {(self._id(one), x.seq) for x in taken if x.seq in one.again}
            for copy in taken:
                one.flight[copy.seq] = copy
                if pull.lease is not None:
                    one.leases[copy.seq] = now + pull.lease

    def pull(self, one: ModelConsumer, pull: ModelPull, now: int) -> None:
        one.attached = True
        if not one.sequence and pull.lease is None:
            pull.most = 1
        one.pulls.append(pull)
        self.serve(one, now)
        if pull.until == now and pull in one.pulls:
            one.pulls.remove(pull)
            self.handed.append((1, pull.token))

    def tick(self, now: int) -> None:
        """Everything whose time has come."""
        for one in self.consumers.values():
            joining = [x for x in one.later if x[0] <= now]
            for item in sorted(joining, key=lambda x: (x[0], x[1].expiry, x[1].seq)):
                one.later.remove(item)
                one.waiting.append(item[1])
                if one.most and len(one.waiting) + len(one.later) > one.most:
                    self._after_arrival(one, now)
            one.put_back([seq for seq, until in one.leases.items() if until <= now])
            if one.pulls:
                self.serve(one, now)
                for pull in [x for x in one.pulls if x.until is not None and x.until <= now]:
                    one.pulls.remove(pull)
                    self.handed.append((1, pull.token))
            one.expire(now)
            self.hand_over(one, now)

    # Answers.

    def fail(self, proxy: int, seqs: list[int], now: int, limit: int) -> None:
        one = self.consumers[proxy]
        known = [seq for seq in seqs if seq in one.flight]
        one.put_back(known)
        if not known or one.retry_at > now or one.pulls_itself:
            return
        one.failures += 1
        if not one.durable and one.failures >= limit:
            every = [*one.flight.values(), *one.waiting, *(copy for _, copy in one.later)]
            one.finish(every, Outcome.DEAD)
            self.end(proxy, already_done=True)
            return
        one.retry_at = now + min(1_000_000 << (one.failures - 1), 30_000_000)

    def end(self, proxy: int, *, already_done: bool = False) -> None:
        """A consumer is gone."""
        one = self.consumers.pop(proxy)
        if not already_done:
            every = [*one.flight.values(), *one.waiting, *(copy for _, copy in one.later)]
            one.finish(every, Outcome.DISCONNECTED)
        self.gone[proxy] = one.done

    def cut(self, one: ModelConsumer) -> list[int]:
        """The line of a consumer is cut; the tokens of the pulls that end."""
        one.put_back(list(one.flight))
        ended = [pull.token for pull in one.pulls]
        one.pulls = []
        return ended

    def clock_set(self, moved: int) -> None:
        for one in self.consumers.values():
            one.later = [(start + moved, copy) for start, copy in one.later]
            every = [*one.waiting, *one.flight.values(), *(copy for _, copy in one.later)]
            for copy in every:
                if copy.absolute:
                    copy.expiry += moved

    def restart(self, now: int) -> None:
        """What survives: durable consumers, and the Persistent events that wait for them."""
        for one in self.consumers.values():
            one.put_back(list(one.flight))
        self.consumers = {id: one for id, one in self.consumers.items() if one.durable}
        self.gone = {}
        for one in self.consumers.values():
            kept = [*one.waiting, *(copy for _, copy in one.later)]
            starts = {copy.seq: start for start, copy in one.later}
            kept = sorted((copy for copy in kept if copy.persistent), key=lambda copy: copy.seq)
            one.done, one.again = Counter(), {copy.seq for copy in kept}
            one.returned, one.pulls, one.leases = set(), [], {}
            one.attached, one.failures, one.retry_at = False, 0, 0
            one.waiting, one.later = [], []
            for copy in kept:
                if copy.seq in starts:
                    one.later.append((starts[copy.seq], copy))
                else:
                    one.waiting.append(copy)
                if one.most and len(one.waiting) + len(one.later) > one.most:
                    one.expire(now)
                    one.trim()
