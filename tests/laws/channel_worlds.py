"""A channel and its model live the same random life, and are compared after every step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tests.laws.channel_flow import Flow
from tests.laws.channel_model import Asked, ModelAdmin, ModelChannel, ModelConsumer
from tests.laws.channel_observed import KINDS
from tidings.channel import commands as c
from tidings.channel import effects as x
from tidings.channel import management as m
from tidings.channel.factory import Factory
from tidings.channel.vocabulary import Form, Operator, Place, Side, Style
from tidings.filters.constraint import Constraint, EventTypePattern, constraint

# How often each thing is tried.
STEPS = {
    "push": 30, "ack": 22, "wait": 8, "pull": 8, "consumer": 4, "fail": 4, "qos": 4,
    "suspend": 3, "resume": 4, "detach": 2, "connect": 4, "filter": 4, "types": 2, "admin": 1,
    "reject": 2, "lose": 2, "disconnect": 1, "clock": 2, "cancel": 3, "restart": 1, "idle": 1,
    "purge": 1, "destroy_admin": 1, "give_up": 1, "again": 1, "gone": 1, "destroy": 1,
}  # fmt: skip
WANTED = [
    *STEPS, "handed", "batch", "redelivered", "given up", "duplicate", "refused", "empty pull",
    "lease over", "spilled", "refilled", "settled", "emptied", "start",
    *(outcome.name for outcome in set(x.Outcome) - {x.Outcome.WITHDRAWN, x.Outcome.REDRIVEN}),
]  # fmt: skip


class World(Flow):
    """A whole life: objects come and go, and everything is over in the end."""

    def __init__(self, kind: str, seed: int, met: Counter[str]) -> None:
        super().__init__(kind, seed, met)
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
        self.disk, self.octets, self.pending, self.unsettled = {}, {}, {}, set()
        self.done: dict[int, Counter[x.Outcome]] = {}
        self.channel = self.ask(m.CreateChannel(f"{self.made:032x}", qos, admin))
        self.supplier = self.ask(m.ObtainProxy(self.channel, Side.SUPPLIER, Style.PUSH))
        self.ask(m.Connect(self.channel, self.supplier, reachable=False))
        for _ in range(3):
            self.do_consumer()
        self.finish_step()

    def run(self, steps: int) -> None:
        """Lives so many steps, and then to the end of all events."""
        self.live(self.random.choices(list(STEPS), list(STEPS.values()), k=steps))

    def live(self, steps: Iterable[str]) -> None:
        """Lives these steps, and then to the end of all events."""
        for name in steps:
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

    def do_qos(self) -> bool:
        id = self.some()
        if id is None:
            return False
        one, chance = self.model.consumers[id], self.random
        qos: dict[str, object] = {}
        if chance.random() < 0.6 and not (self.kind == "spill" and one.flight):
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
            one.timeout = chance.choice([0, 900]) if self.kind == "life" else 0
            qos["Timeout"] = 10 * one.timeout
        qos["MaximumBatchSize"] = one.batch = chance.randint(1, 4)
        self.model.hand_over(one, self.now)
        one.trim()
        self.ask(m.SetQoS(Place(self.channel, proxy=id), qos))
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

    def asked_somewhere(self) -> tuple[Place, Asked]:
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
        place, asked = self.asked_somewhere()
        self.ask(m.RemoveAllFilters(place))
        asked.kinds = self.random.sample(range(3), self.random.randint(0, 2))
        for kind in asked.kinds:
            first = _kind_is(self.random.randint(0, 2))
            filter_id, [number] = self.ask(m.CreateFilter([first], private=True))
            self.ask(m.AddFilter(place, filter_id))
            self.ask(m.ModifyConstraints(filter_id, (), {number: _kind_is(kind)}))
        return True

    def do_types(self) -> bool:
        place, asked = self.asked_somewhere()
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
        self.model.restart(self.now)
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
        self.unsettled = set(self.pending)
        self.seen(self.factory.recovered({self.channel: before.plan.version}, self.now))
        self.unsettled = set(channel.live)
        self.supplier = self.ask(m.ObtainProxy(self.channel, Side.SUPPLIER, Style.PUSH))
        self.ask(m.Connect(self.channel, self.supplier, reachable=False))
        return True

    def load(self, accepted: x.Acceptance, proxy: int, start: int | None) -> None:
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
        # The clock may have been set back since its start.
        start = start if any(copy.seq == entry.seq for _, copy in one.later) else None
        self.factory.load_pending(self.channel, entry, start, [proxy], self.now)


def _kind_is(kind: int) -> Constraint:
    return constraint(f"$kind == {kind}")


def shortfalls(met: Counter[str], least: int) -> list[str]:
    """What happened too rarely."""
    return [f"{name}: {met[name]} times, wanted {least}" for name in WANTED if met[name] < least]


def table(met: Counter[str]) -> str:
    """The table a person reads."""
    return "\n".join(f"{name:16}{met[name]:8}" for name in WANTED)
