"""A channel and its model live the same random life, and are compared after every step."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.property.channel_model import Asked, Copy, ModelAdmin, ModelChannel, ModelConsumer
from tests.property.channel_model import ModelPull as Waiting
from tidings.channel import commands as c
from tidings.channel import effects as x
from tidings.channel import management as m
from tidings.channel.entries import NEVER, Entry
from tidings.channel.factory import Answer, Factory
from tidings.channel.settings import Limits, Settings
from tidings.channel.vocabulary import Form, Operator, Place, Side, Style
from tidings.errors import ChannelFull
from tidings.events.build import event
from tidings.events.envelope import ProducerMark
from tidings.filters.constraint import Constraint, EventTypePattern, constraint


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
# How often each thing is tried.
STEPS = {
    "push": 30, "ack": 22, "wait": 8, "pull": 8, "consumer": 4, "fail": 4, "qos": 4,
    "suspend": 3, "resume": 4, "detach": 2, "connect": 4, "filter": 4, "types": 2, "admin": 1,
    "reject": 2, "disconnect": 1, "clock": 2, "cancel": 1, "restart": 1, "idle": 1,
    "destroy_admin": 1, "again": 1, "gone": 1, "destroy": 1,
}  # fmt: skip
WANTED = [
    *STEPS, "handed", "batch", "redelivered", "given up", "duplicate", "refused", "empty pull",
    "lease over", "spilled", "refilled", "settled", "emptied", "start",
    *(outcome.name for outcome in x.Outcome if outcome is not x.Outcome.WITHDRAWN),
]  # fmt: skip


def moment(microseconds: int) -> datetime:
    """A wall time for headers."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)


class World:
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
        self.pending: dict[int, tuple[x.Accepted, set[int]]] = {}
        self.disk: dict[int, list[Entry]] = {}
        self.octets: dict[int, int] = {}
        self.plan: int = 0
        self.factory = Factory(KINDS[kind], spills=True)
        self.made = 0
        self.handed: list[tuple[int, ...]] = []
        self.ended: list[int] = []
        self.again: set[tuple[int, int]] = set()
        self.ends: list[int] = []
        self.begin()

    def begin(self) -> None:
        """A fresh channel with a supplier."""
        durable = self.kind == "spill" or self.random.random() < 0.6
        qos = {"EventReliability": 1, "ConnectionReliability": 1} if durable else {}
        admin: dict[str, object] = {}
        most, rejects = 0, True
        if self.kind == "full":
            most, rejects = 5, self.random.random() < 0.5
            admin = {"MaxQueueLength": most, "RejectNewEvents": rejects}
        self.made += 1
        self.model = ModelChannel(durable, most, rejects)
        self.filters: dict[tuple[str, int], tuple[int, int, int]] = {}
        self.disk, self.octets, self.pending = {}, {}, {}
        self.done: dict[int, Counter[x.Outcome]] = {}
        self.channel = self.ask(m.CreateChannel(f"{self.made:032x}", qos, admin))
        self.supplier = self.ask(m.ObtainProxy(self.channel, Side.SUPPLIER, Style.PUSH))
        self.ask(m.Connect(self.channel, self.supplier, reachable=False))
        self.finish_step()

    # Running.

    def run(self, steps: int) -> None:
        """Lives so many steps, and then to the end of all events."""
        names, weights = list(STEPS), list(STEPS.values())
        for name in self.random.choices(names, weights, k=steps):
            self.step(name)
        self.wind_up()

    def step(self, name: str) -> None:
        """One step, if it can be done."""
        if getattr(self, f"do_{name}")() is not False:
            self.met[name] += 1
        self.finish_step()

    def wind_up(self) -> None:
        """Everybody comes back and takes everything: nothing must be left."""
        for id, one in self.model.consumers.items():
            if not one.pulls_itself:
                self.reconnect(id, one)
                if one.suspended:
                    one.suspended = False
                    self.ask(m.Resume(self.channel, id))
                    self.model.hand_over(one, self.now)
            self.finish_step()
        for _ in range(400):
            if not self.model.live():
                break
            for id in list(self.model.consumers):
                self.take_all(id)
            self.pass_time(40_000_000)
        assert self.factory.channel(self.channel).live == {}
        assert self.factory.core.octets == 0
        self.met["emptied"] += 1

    def take_all(self, id: int) -> None:
        """A consumer takes what it can get."""
        one = self.model.consumers[id]
        if one.pulls_itself and one.waiting and not one.pulls:
            self.pull(id, one, 1, 0, None)
        elif one.flight:
            self.ack(id, one, list(one.flight))
        self.finish_step()

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
            elif isinstance(effect, x.Accepted):
                self.octets[effect.seq] = effect.entry.octets
                if effect.durable:
                    self.pending[effect.seq] = (effect, set(effect.durable))
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

    # Comparing.

    def finish_step(self) -> None:
        """Lets what is due happen, and compares."""
        self.compare()
        self.pass_time(0)

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
        self.again = set()
        channel = self.factory.channel(self.channel)
        live = model.live()
        spilled = Counter(e.seq for entries in self.disk.values() for e in entries)
        assert Counter(channel.live) + spilled == live
        assert channel.spilled == spilled.total()
        octets = sum(self.octets.get(seq, 0) for seq in channel.live)
        assert self.factory.core.octets == octets
        fates = {id: one.done for id, one in model.consumers.items()} | model.gone
        for id, done in fates.items():
            assert self.done.get(id, Counter()) == +done, id
        for id, one in model.consumers.items():
            self.compare_consumer(id, one)

    def compare_consumer(self, id: int, one: ModelConsumer) -> None:
        """What waits for one consumer, in order."""
        delivery = self.factory.channel(self.channel).proxy(id).delivery
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

    # Steps.

    def some(self, *, pulls: bool | None = None) -> int | None:
        """One of the consumers."""
        found = [
            id for id, one in self.model.consumers.items() if pulls in (None, one.pulls_itself)
        ]
        return self.random.choice(found) if found else None

    def do_consumer(self) -> bool:
        if len(self.model.consumers) >= 5:
            return False
        chance = self.random
        style = chance.choice([Style.PUSH, Style.PUSH, Style.PULL])
        form = Form.STRUCTURED if self.kind == "spill" else chance.choice(list(Form))
        durable = self.model.durable and (self.kind == "spill" or chance.random() < 0.7)
        admin = chance.choice(list(self.model.admins))
        qos: dict[str, object] = {"ConnectionReliability": int(durable)}
        made = self.ask(m.ObtainProxy(self.channel, Side.CONSUMER, style, form, admin, qos))
        window = chance.randint(1, 4)
        self.ask(m.Connect(self.channel, made, window=window))
        pulls_itself = style is Style.PULL
        one = ModelConsumer(admin, pulls_itself, form is Form.SEQUENCE, window, durable)
        self.model.consumers[made] = one
        return True

    def do_push(self) -> bool:
        chance, model = self.random, self.model
        header: dict[str, object] = {}
        copy = Copy(0, 0, NEVER, False, model.durable)
        start: int | None = None
        if chance.random() < 0.5:
            header["Priority"] = copy.priority = chance.randint(-2, 2)
        if chance.random() < 0.3:
            life = chance.choice([50, 400, 3_000])
            header["Timeout"], copy.expiry = 10 * life, self.now + life
        if model.durable and self.kind != "spill" and chance.random() < 0.3:
            header["EventReliability"], copy.persistent = 0, False
        times: dict[str, datetime] = {}
        if chance.random() < 0.2:
            stop = self.now + chance.randint(-10, 900)
            times["stop"] = moment(stop + self.offset)
            if stop < copy.expiry:
                copy.expiry, copy.absolute = stop, True
        if chance.random() < 0.15:
            start = self.now + chance.randint(-10, 600)
            times["start"] = moment(start + self.offset)
            self.met["start"] += 1
        kind, type = chance.randint(0, 2), chance.choice("AB")
        number = chance.randint(1, 400)
        made = event("W", type, data={"kind": kind}, header=header, **times)  # type: ignore[arg-type]
        known = model.marks.get(number)
        push = c.Push(self.channel, self.supplier, [made], [ProducerMark("p", number)])
        [answer] = self.ask(push)
        if known is not None:
            self.met["duplicate"] += 1
            assert answer == known
        elif model.push(copy, start, kind, type, set(header), self.now):
            model.marks[number] = model.seq
            assert answer == model.seq
            for one in model.consumers.values():
                model.hand_over(one, self.now)
        else:
            self.met["refused"] += 1
            assert isinstance(answer, ChannelFull)
        return True

    def ack(self, id: int, one: ModelConsumer, seqs: list[int]) -> None:
        """A consumer acknowledges."""
        known = [one.flight.pop(seq) for seq in seqs if seq in one.flight]
        for copy in known:
            one.leases.pop(copy.seq, None)
        one.finish(known, x.Outcome.DELIVERED)
        if known:
            one.failures = one.retry_at = 0
            self.model.hand_over(one, self.now)
        self.ask(c.Ack(self.channel, id, [*seqs, 99_999]))

    def flying(self) -> tuple[int, ModelConsumer, list[int]] | None:
        """A consumer with events in flight, and some of them."""
        found = [(id, one) for id, one in self.model.consumers.items() if one.flight]
        if not found:
            return None
        id, one = self.random.choice(found)
        count = self.random.randint(1, len(one.flight))
        return id, one, self.random.sample(list(one.flight), count)

    def do_ack(self) -> bool:
        chosen = self.flying()
        if chosen is not None:
            self.ack(*chosen)
        return chosen is not None

    def do_fail(self) -> bool:
        chosen = self.flying()
        if chosen is None:
            return False
        id, one, seqs = chosen
        self.model.fail(id, seqs, self.now, KINDS[self.kind].retry_limit)
        if id in self.model.consumers:
            self.model.hand_over(one, self.now)
        else:
            self.ends += [pull.token for pull in one.pulls]
        self.ask(c.Failed(self.channel, id, seqs, "no answer"))
        return True

    def do_gone(self) -> bool:
        id = self.some()
        if id is None or self.random.random() < 0.5:
            return False
        self.ends += [pull.token for pull in self.model.consumers[id].pulls]
        self.model.end(id)
        self.ask(c.Failed(self.channel, id, [], "gone", gone=True))
        return True

    def do_reject(self) -> bool:
        chosen = self.flying()
        if chosen is None:
            return False
        id, one, seqs = chosen
        for seq in seqs:
            one.leases.pop(seq, None)
        one.finish([one.flight.pop(seq) for seq in seqs], x.Outcome.DEAD)
        self.model.hand_over(one, self.now)
        self.ask(c.Reject(self.channel, id, seqs, "bad"))
        return True

    def do_wait(self) -> bool:
        self.pass_time(self.random.choice([10, 100, 700, 5_000, 40_000, 2_000_000]))
        return True

    def pull(
        self, id: int, one: ModelConsumer, most: int, wait: int | None, lease: int | None
    ) -> None:
        """A consumer pulls."""
        self.token += 1
        until = None if wait is None else self.now + wait
        self.model.pull(one, Waiting(self.token, most, until, lease), self.now)
        self.ask(c.Pull(self.channel, id, self.token, most, wait, lease))

    def do_pull(self) -> bool:
        id = self.some(pulls=True)
        if id is None:
            return False
        most = 1 if self.kind == "spill" else self.random.randint(1, 3)
        wait = self.random.choice([0, 0, None, 50, 3_000])
        lease = self.random.choice([None, 60, 4_000])
        self.pull(id, self.model.consumers[id], most, wait, lease)
        return True

    def do_cancel(self) -> bool:
        found = [(id, one) for id, one in self.model.consumers.items() if one.pulls]
        if not found:
            return False
        id, one = self.random.choice(found)
        gone = one.pulls.pop(self.random.randrange(len(one.pulls)))
        self.ask(c.CancelPull(self.channel, id, gone.token))
        return True

    def do_suspend(self) -> bool:
        id = self.some(pulls=False)
        if id is None or self.model.consumers[id].suspended:
            return False
        self.model.consumers[id].suspended = True
        self.ask(m.Suspend(self.channel, id))
        return True

    def do_resume(self) -> bool:
        found = [id for id, one in self.model.consumers.items() if one.suspended]
        if not found:
            return False
        one = self.model.consumers[found[0]]
        one.suspended = False
        self.ask(m.Resume(self.channel, found[0]))
        self.model.hand_over(one, self.now)
        return True

    def do_detach(self) -> bool:
        id = self.some()
        if id is None:
            return False
        one = self.model.consumers[id]
        self.ends += self.model.cut(one)
        one.attached = False
        self.ask(m.Detach(self.channel, id))
        return True

    def reconnect(self, id: int, one: ModelConsumer) -> None:
        """A consumer connects again."""
        self.ends += self.model.cut(one)
        one.attached, one.failures, one.retry_at = True, 0, 0
        one.window = self.random.randint(1, 4)
        self.ask(m.Connect(self.channel, id, window=one.window, again=True))
        self.model.hand_over(one, self.now)

    def do_connect(self) -> bool:
        found = [id for id, one in self.model.consumers.items() if not one.attached]
        if not found:
            return False
        id = self.random.choice(found)
        self.reconnect(id, self.model.consumers[id])
        return True

    def do_again(self) -> bool:
        id = self.some()
        if id is None:
            return False
        self.reconnect(id, self.model.consumers[id])
        return True

    def do_disconnect(self) -> bool:
        id = self.some()
        if id is None:
            return False
        self.ends += [pull.token for pull in self.model.consumers[id].pulls]
        self.model.end(id)
        self.ask(m.Disconnect(self.channel, id))
        return True

    def do_qos(self) -> bool:
        id = self.some()
        if id is None:
            return False
        one, chance = self.model.consumers[id], self.random
        qos: dict[str, object] = {}
        if chance.random() < 0.6:
            qos["OrderPolicy"] = order = chance.randint(1, 3)
            if order != one.order:
                one.waiting.sort(key=lambda copy: copy.seq)
            one.order = order
        if chance.random() < 0.5:
            qos["DiscardPolicy"] = one.discard = chance.randint(1, 4)
        if chance.random() < 0.5 and self.kind == "life":
            qos["MaxEventsPerConsumer"] = one.most = chance.choice([0, 2, 3, 5])
        if chance.random() < 0.3 and self.kind != "full":
            qos["Priority"] = one.priority = chance.randint(-1, 1)
            one.timeout = chance.choice([0, 900])
            qos["Timeout"] = 10 * one.timeout
        qos["MaximumBatchSize"] = one.batch = chance.randint(1, 4)
        self.model.hand_over(one, self.now)
        one.trim()
        self.ask(m.SetQoS(Place(self.channel, proxy=id), qos))
        return True

    def do_clock(self) -> bool:
        if self.kind == "spill":
            return False
        moved = self.random.choice([-200, -30, 30, 200])
        self.offset += moved
        self.model.clock_set(-moved)
        for one in self.model.consumers.values():
            self.model.hand_over(one, self.now)
        self.ask(c.ClockSet(self.offset))
        return True

    def do_admin(self) -> bool:
        if len(self.model.admins) >= 4:
            return False
        either = self.random.random() < 0.5
        operator = Operator.OR if either else Operator.AND
        made = self.ask(m.NewAdmin(self.channel, Side.CONSUMER, operator))
        self.model.admins[made] = ModelAdmin(either)
        return True

    def do_destroy_admin(self) -> bool:
        id = self.random.choice(list(self.model.admins))
        for proxy, one in list(self.model.consumers.items()):
            if one.admin == id:
                self.ends += [pull.token for pull in one.pulls]
                self.model.end(proxy)
        del self.model.admins[id]
        if id == 0:
            self.model.admins = {0: ModelAdmin(False), **self.model.admins}
        self.ask(m.DestroyAdmin(self.channel, Side.CONSUMER, id))
        return True

    def asked_somewhere(self) -> tuple[Place, Asked] | None:
        """An admin or consumer, and what it asks for."""
        places = [
            (Place(self.channel, Side.CONSUMER, id), admin.asked)
            for id, admin in self.model.admins.items()
        ]
        places += [
            (Place(self.channel, proxy=id), one.asked) for id, one in self.model.consumers.items()
        ]
        return self.random.choice(places)

    def do_filter(self) -> bool:
        place, asked = self.asked_somewhere() or (Place(0), Asked())
        self.ask(m.RemoveAllFilters(place))
        asked.kinds = self.random.sample(range(3), self.random.randint(0, 2))
        for kind in asked.kinds:
            first = _kind_is(self.random.randint(0, 2))
            filter_id, [number] = self.ask(m.CreateFilter([first], private=True))
            self.ask(m.AddFilter(place, filter_id))
            self.ask(m.ModifyConstraints(filter_id, (), {number: _kind_is(kind)}))
        return True

    def do_types(self) -> bool:
        place, asked = self.asked_somewhere() or (Place(0), Asked())
        added = set(self.random.sample("AB", self.random.randint(0, 2)))
        removed = asked.types - added
        asked.types = added
        patterns = [[EventTypePattern("W", type) for type in sorted(x)] for x in (added, removed)]
        self.ask(m.SubscriptionChange(place, *patterns))
        return True

    def do_idle(self) -> bool:
        id = self.some()
        if self.kind != "spill" or id is None:
            return False
        self.ask(c.Idle(self.channel, id))
        return True

    def do_destroy(self) -> bool:
        if self.random.random() < 0.6:
            return False
        for id, one in list(self.model.consumers.items()):
            self.ends += [pull.token for pull in one.pulls]
            self.model.end(id)
        self.ask(m.DestroyChannel(self.channel))
        assert self.factory.core.octets == 0
        assert sorted(self.ended) == sorted(self.ends)
        self.ended, self.ends = [], []
        self.begin()
        return True

    def do_restart(self) -> bool:
        if self.random.random() < 0.3:
            return False
        before = self.factory.channel(self.channel)
        self.factory = Factory(KINDS[self.kind], spills=True)
        self.factory.core.offset = self.offset
        self.factory.restore(self.states, self.channel)
        self.model.restart()
        self.disk, self.done, self.octets = {}, {}, {}
        channel = self.factory.channel(self.channel)
        channel.seq, channel.seq_reserved = before.seq, before.seq_reserved
        channel.marks = before.marks
        pending, self.pending = sorted(self.pending.items()), {}
        for seq, (accepted, proxies) in pending:
            start = None if accepted.start is None else accepted.start - self.offset
            for proxy in sorted(proxies):
                self.load(accepted, proxy, start)
            self.pending[seq] = (accepted, proxies)
        self.seen(self.factory.recovered({self.channel: before.plan.version}, self.now))
        self.supplier = self.ask(m.ObtainProxy(self.channel, Side.SUPPLIER, Style.PUSH))
        self.ask(m.Connect(self.channel, self.supplier, reachable=False))
        return True

    def load(self, accepted: x.Accepted, proxy: int, start: int | None) -> None:
        """One consumer's copy waits again, as its clock says now."""
        one = self.model.consumers.get(proxy)
        if one is None:
            return
        copies = [*one.waiting, *(copy for _, copy in one.later)]
        entry = accepted.views.get(proxy, accepted.entry)
        # The journal has wall times: an end that moves with the clock is worked out again.
        for copy in copies:
            if copy.seq == entry.seq:
                entry = entry._replace(expiry=copy.expiry)
        self.factory.load_pending(self.channel, entry, start, [proxy], self.now)


def _kind_is(kind: int) -> Constraint:
    return constraint(f"$kind == {kind}")


def _by_consumer(handed: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """What each consumer or pull was handed; among different ones the order says nothing."""
    return sorted(handed, key=lambda one: one[:2])


def _joined(handed: list[tuple[int, ...]]) -> dict[tuple[int, ...], list[int]]:
    """The same, however it was divided."""
    found: dict[tuple[int, ...], list[int]] = {}
    for one in handed:
        found.setdefault(one[:2], []).extend(one[2:])
    return found


def shortfalls(met: Counter[str], least: int) -> list[str]:
    """What happened too rarely."""
    return [f"{name}: {met[name]} times, wanted {least}" for name in WANTED if met[name] < least]


def table(met: Counter[str]) -> str:
    """The table a person reads."""
    return "\n".join(f"{name:16}{met[name]:8}" for name in WANTED)
