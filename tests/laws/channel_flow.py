"""Steps in the life of a channel: the flow of events."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.laws.channel_model import Copy, ModelConsumer
from tests.laws.channel_model import ModelPull as Waiting
from tests.laws.channel_observed import KINDS, Observed
from tidings.channel import commands as c
from tidings.channel import effects as x
from tidings.channel import management as m
from tidings.channel.entries import NEVER
from tidings.errors import ChannelFull
from tidings.events.build import event
from tidings.events.envelope import ProducerMark

# On the disk nothing expires until it comes back: in a world of spills nothing expires at all.
DAY = 86_400_000_000
LIVES = {"life": (50, 400, 3_000), "full": (50, 400, 3_000), "spill": (DAY, 2 * DAY, 3 * DAY)}


def moment(microseconds: int) -> datetime:
    """A wall time for headers."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)


class Flow(Observed):
    """What suppliers, consumers and time do; a step says whether it could be done."""

    def some(self, *, pulls: bool | None = None) -> int | None:
        """One of the consumers."""
        found = [
            id for id, one in self.model.consumers.items() if pulls in (None, one.pulls_itself)
        ]
        return self.random.choice(found) if found else None

    def do_push(self) -> bool:
        chance, model = self.random, self.model
        header: dict[str, object] = {}
        copy = Copy(0, 0, NEVER, False, model.durable)
        start: int | None = None
        if chance.random() < 0.5:
            header["Priority"] = copy.priority = chance.randint(-2, 2)
        if chance.random() < 0.3:
            life = chance.choice(LIVES[self.kind])
            header["Timeout"], copy.expiry = 10 * life, self.now + life
        if model.durable and self.kind != "spill" and chance.random() < 0.3:
            header["EventReliability"], copy.persistent = 0, False
        times: dict[str, datetime] = {}
        if chance.random() < 0.2 and self.kind != "spill":
            # In a full channel one that is over already would push another one out.
            stop = self.now + chance.randint(1 if self.kind == "full" else -10, 900)
            times["stop"] = moment(stop + self.offset)
            if stop < copy.expiry:
                copy.expiry, copy.absolute = stop, True
        if chance.random() < 0.15 and self.kind != "spill":  # the disk sorts by number
            drawn = self.now + chance.randint(-10, 600)
            if drawn < copy.expiry:  # one that ends before it begins is refused
                start = drawn
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
        self.fail(chosen[0], chosen[2])
        return True

    def fail(self, id: int, seqs: list[int]) -> None:
        """Events cannot be handed over."""
        one = self.model.consumers[id]
        self.model.fail(id, seqs, self.now, KINDS[self.kind].retry_limit)
        if id in self.model.consumers:
            self.model.hand_over(one, self.now)
        else:
            self.ends += [pull.token for pull in one.pulls]
        self.ask(c.Failed(self.channel, id, seqs, "no answer"))

    def do_give_up(self) -> bool:
        found = [
            id
            for id, one in self.model.consumers.items()
            if one.flight and not one.durable and not one.pulls_itself and one.attached
        ]
        if not found:
            return False
        while found[0] in self.model.consumers and self.model.consumers[found[0]].flight:
            self.fail(found[0], list(self.model.consumers[found[0]].flight))
            self.finish_step()
            self.pass_time(31_000_000)
        return True

    def do_gone(self) -> bool:
        id = self.some()
        if id is None or self.random.random() < 0.5:
            return False
        self.ends += [pull.token for pull in self.model.consumers[id].pulls]
        self.model.end(id)
        self.ask(c.Failed(self.channel, id, [], "gone", gone=True))
        return True

    def do_lose(self) -> bool:
        chosen = self.flying()
        if chosen is None or self.random.random() < 0.7:
            return False
        id, one, seqs = chosen
        for seq in seqs:
            one.leases.pop(seq, None)
        one.finish([one.flight.pop(seq) for seq in seqs], x.Outcome.LOST)
        self.model.hand_over(one, self.now)
        self.ask(c.Lost(self.channel, id, [*seqs, 99_999]))
        return True

    def do_reject(self) -> bool:
        chosen = self.flying()
        if chosen is None:
            return False
        id, one, seqs = chosen
        for seq in seqs:
            one.leases.pop(seq, None)
        one.finish([one.flight.pop(seq) for seq in seqs], x.Outcome.REJECTED)
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

    def do_purge(self) -> bool:
        id = self.some()
        if id is None:
            return False
        one = self.model.consumers[id]
        gone = [*one.waiting, *(copy for _, copy in one.later)]
        one.finish(gone, x.Outcome.PURGED)
        one.waiting, one.later = [], []
        assert self.ask(m.Purge(self.channel, id)) == len(gone)
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
