"""A factory beside its model: what it asks of the outside is done, and both are compared."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from tests.laws.channel_model import ModelChannel, ModelConsumer
from tidings.channel import commands as c
from tidings.channel import effects as x
from tidings.channel.entries import Entry
from tidings.channel.factory import Answer, Factory
from tidings.channel.settings import Limits, Settings


def _settings(**more: Any) -> Settings:
    """Settings under which expired events go at once: the model knows no sweep."""
    made = Settings(**more)
    object.__setattr__(made, "sweep_interval", 0)
    return made


KINDS = {
    "life": _settings(retry_limit=2),
    "full": _settings(retry_limit=2),
    "spill": _settings(limits=Limits(entries_per_consumer=6)),
}
STATES = dict[tuple[int, str, str], dict[str, object]]
SORT_KEYS = {
    "fifo": lambda e: (e.seq,),
    "priority": lambda e: (-e.priority, e.seq),
    "deadline": lambda e: (e.expiry, e.seq),
}


class Observed:
    """A factory, its model and the seed of what happens.

    Attributes:
        met: How often interesting things happened.
    """

    def __init__(self, kind: str, seed: int, met: Counter[str]) -> None:
        self.kind = kind
        self.random = random.Random(f"{kind}{seed}")
        self.met = met
        self.now = 1_000
        self.offset = 0
        self.token = 0
        self.states: STATES = {}
        self.pending: dict[int, tuple[x.Acceptance, set[int]]] = {}
        self.disk: dict[int, list[Entry]] = {}
        self.octets: dict[int, int] = {}
        self.factory = Factory(KINDS[kind], spills=True)
        self.channel = self.supplier = self.made = 0
        self.model = ModelChannel(durable=False)
        self.done: dict[int, Counter[x.Outcome]] = {}
        self.handed: list[tuple[int, ...]] = []
        self.unsettled: set[int] = set()
        self.ended: list[int] = []
        self.again: set[tuple[int, int]] = set()
        self.ends: list[int] = []

    def ask(self, *commands: c.Command) -> Answer:
        """Carries commands out; the last answer. Refills are answered at once."""
        answers, out = self.factory.handle_many(commands, self.now)
        self.seen(out)
        return answers[-1]

    def seen(self, out: list[x.Effect]) -> None:
        """Takes effects in as the engine does."""
        refills = []
        for effect in out:
            if isinstance(effect, x.TopologyChanged):
                self.keep(effect)
            elif isinstance(effect, x.Message):
                seq, accepted = effect.seq, effect.acceptance
                self.octets[seq] = effect.octets
                if accepted is None or accepted.recipients:
                    self.unsettled.add(seq)
                if accepted is not None and accepted.durable:
                    self.pending[seq] = (accepted, set(accepted.durable))
            elif isinstance(effect, x.Done):
                self.strike(effect)
            elif isinstance(effect, x.Spill):
                self.disk.setdefault(effect.proxy, []).extend(effect.entries)
                self.met["spilled"] += 1
            elif isinstance(effect, x.Unspill):
                self.disk.pop(effect.proxy, None)
            elif isinstance(effect, x.Refill):
                refills.append(effect)
            elif isinstance(effect, x.Settled):
                self.met["settled"] += 1
                assert self.kind == "spill" or self.unsettled.issuperset(effect.seqs)
                self.unsettled.difference_update(effect.seqs)
            else:
                self.handing(effect)
        for refill in refills:
            self.refill(refill)

    def keep(self, effect: x.TopologyChanged) -> None:
        """The journal of objects."""
        if effect.state is None:
            self.states.pop(effect[:3], None)
        else:
            self.states[effect[:3]] = dict(effect.state)

    def strike(self, done: x.Done) -> None:
        """The journal of outcomes."""
        self.done.setdefault(done.proxy, Counter())[done.outcome] += done.copies
        self.met[done.outcome.name] += done.copies
        for seq in done.durable:
            if seq in self.pending:
                self.pending[seq][1].discard(done.proxy)

    def handing(self, effect: x.Effect) -> None:
        """What consumers are handed; it must be what the model says."""
        if isinstance(effect, x.Deliver):
            self.handed.append((0, effect.proxy, *(e.seq for e in effect.entries)))
            proxy = self.factory.channel(effect.channel).proxies.get(effect.proxy)
            assert proxy is None or (proxy.attached and not proxy.suspended)
            self.again |= {(effect.proxy, seq) for seq in effect.again}
            self.met["batch"] += len(effect.entries) > 1
        elif isinstance(effect, x.Pulled):
            self.handed.append((1, effect.token, *(e.seq for e in effect.entries)))
            self.again |= {(effect.proxy, seq) for seq in effect.again}
            self.met["empty pull"] += not effect.entries
        elif isinstance(effect, x.PullEnded):
            self.ended.append(effect.token)
        elif isinstance(effect, x.Notice):
            self.met["given up"] += effect.kind is x.NoticeKind.GIVEN_UP

    def refill(self, asked: x.Refill) -> None:
        """The disk answers."""
        waiting = sorted(self.disk.get(asked.proxy, []), key=SORT_KEYS[asked.order])
        back, self.disk[asked.proxy] = waiting[: asked.most], waiting[asked.most :]
        self.met["refilled"] += 1
        left = len(self.disk[asked.proxy])
        self.ask(c.Refilled(self.channel, asked.proxy, back, left))

    def finish_step(self) -> None:
        """Lets what is due happen, and compares."""
        self.pass_time(0)
        self.compare()

    def pass_time(self, microseconds: int) -> None:
        """Time passes; whenever a Tick is due, both get one."""
        until = self.now + microseconds
        for _ in range(100_000):
            due = self.factory.wake_at
            if due is None or due > until:
                break
            self.now = max(self.now, due)
            leased = sum(len(one.leases) for one in self.model.consumers.values())
            self.model.tick(self.now)
            self.met["lease over"] += leased > sum(
                len(one.leases) for one in self.model.consumers.values()
            )
            self.ask(c.Tick())
            self.compare()
        else:
            raise AssertionError("Tick after Tick is due")
        self.now = until

    def compare(self) -> None:
        """The channel and its model agree."""
        model = self.model
        by_whom = _joined if self.kind == "spill" else _by_consumer
        assert by_whom(self.handed) == by_whom(model.handed)
        self.met["handed"] += len(model.handed)
        self.met["redelivered"] += len(self.again)
        assert sorted(self.ended) == sorted(self.ends)
        self.handed, model.handed, self.ended, self.ends = [], [], [], []
        assert self.again == model.again
        self.again, model.again = set(), set()
        channel = self.factory.channel(self.channel)
        live = model.live()
        spilled = Counter(e.seq for entries in self.disk.values() for e in entries)
        assert Counter(channel.live) + spilled == live
        assert channel.spilled == spilled.total()
        assert self.kind == "spill" or self.unsettled == set(channel.live)
        octets = sum(self.octets.get(seq, 0) for seq in channel.live)
        assert self.factory.core.octets == octets
        fates = {id: one.done for id, one in model.consumers.items()} | model.gone
        for id, done in fates.items():
            assert self.done.get(id, Counter()) == +done, id
        for id, one in model.consumers.items():
            self.compare_consumer(id, one)

    def compare_consumer(self, id: int, one: ModelConsumer) -> None:
        """What waits for one consumer, in order."""
        delivery = self.factory.channel(self.channel).consumer(id).consumer
        if delivery is None:
            assert not one.waiting
            assert not one.flight
            return
        assert list(delivery.flight) == list(one.flight)
        assert len(delivery.pulls) == len(one.pulls)
        assert delivery.waiting == len(one.waiting) + len(one.later)
        if not delivery.spilled:
            queue = [entry.seq for entry in delivery.queue.entries()]
            assert queue == [copy.seq for copy in one.in_order()]


def _by_consumer(handed: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """What each consumer or pull was handed; among different ones the order says nothing."""
    return sorted(handed, key=lambda one: one[:2])


def _joined(handed: list[tuple[int, ...]]) -> dict[tuple[int, ...], list[int]]:
    """The same, however it was divided."""
    found: dict[tuple[int, ...], list[int]] = {}
    for one in handed:
        found.setdefault(one[:2], []).extend(one[2:])
    return found
