"""Queues led through the same steps as their model, and a count of what was met on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from random import Random
from unittest import mock

from tests.laws.queue_model import ModelQueue
from tidings.channel.entries import ABSOLUTE, NEVER, Entry, EntryRun
from tidings.channel.qos import DiscardPolicy, OrderPolicy
from tidings.channel.queues import Queue

ORDERS = [OrderPolicy.FIFO, OrderPolicy.PRIORITY, OrderPolicy.DEADLINE]
POLICIES = [policy for policy in DiscardPolicy if policy is not DiscardPolicy.ANY]

# A step is a name and a number, from which it draws the rest. Names that stand twice come twice
# as often.
STEPS = (
    *("push", "push", "burst", "burst", "burst", "late", "again"),
    *("take", "take", "put_back", "put_back", "take_last", "discard", "discard", "discard"),
    *("expire", "remove", "look", "reorder", "shift"),
)
Step = tuple[str, int]

# What must be met in every order, and how often at least.
MET = (
    *(f"discard {policy.name}" for policy in POLICIES),
    *("discard of nothing", "deadline discard of entries that do not expire"),
    *("taken", "taken of equal priority", "expired in take", "expired", "taken last"),
    *("put back", "put back before its equal", "removed", "reordered", "shifted"),
    *("late", "again", "emptied"),
)
AT_LEAST = 20


@contextmanager
def small_bounds() -> Iterator[None]:
    """Bounds so small that a short queue goes over them."""
    with (
        mock.patch("tidings.channel.sorted_runs._MOST_IN_A_BUCKET", 4),
        mock.patch("tidings.channel.lines._FEW", 2),
    ):
        yield


def random_steps(seed: int, count: int) -> list[Step]:
    """Steps that are always the same for a seed."""
    draw = Random(seed)
    return [(draw.choice(STEPS), draw.randrange(1 << 16)) for _ in range(count)]


class World:
    """A queue and its model; every step asserts that they agree.

    Attributes:
        met: What happened, by order and kind.
    """

    def __init__(self, order: OrderPolicy, met: Counter[tuple[str, str]]) -> None:
        self.queue = Queue(order)
        self.model = ModelQueue(order)
        self.met = met
        self.now = 0
        self.numbers = 0
        self.withheld: list[int] = []
        self.taken: list[Entry] = []
        self.left: list[Entry] = []

    def run(self, steps: Iterable[Step]) -> None:
        """Takes the steps, and looks at everything in the end."""
        for name, number in steps:
            getattr(self, f"step_{name}")(Random(number))
            assert len(self.queue) == len(self.model.waiting), name
            assert self.queue.octets == self.model.octets, name
            if not self.model.waiting and name.startswith("take"):
                self.meet("emptied")
        self.step_look(Random(0))

    def meet(self, kind: str) -> None:
        self.met[self.model.order.name, kind] += 1

    def push(self, entry: Entry) -> None:
        self.queue.push(entry)
        self.model.push(entry)

    def new_entry(self, draw: Random, seq: int) -> Entry:
        expiry = draw.choice([NEVER, self.now + draw.randint(1, 30)])
        return Entry(
            expiry, seq, draw.choice([-1, 0, 0, 7]), draw.randint(0, 9), draw.randint(0, 3)
        )

    def next_entry(self, draw: Random) -> Entry:
        # Every other number is held back for an event that starts later.
        self.numbers += 2
        self.withheld.append(self.numbers - 1)
        return self.new_entry(draw, self.numbers)

    def step_push(self, draw: Random) -> None:
        self.push(self.next_entry(draw))

    def step_burst(self, draw: Random) -> None:
        """Several come together."""
        entries = [self.next_entry(draw) for _ in range(draw.randint(2, 12))]
        self.queue.extend(EntryRun(entries))
        for entry in entries:
            self.model.push(entry)

    def step_late(self, draw: Random) -> None:
        if self.withheld:
            self.push(self.new_entry(draw, self.withheld.pop(draw.randrange(len(self.withheld)))))
            self.meet("late")

    def step_again(self, draw: Random) -> None:
        """What left the queue comes again: the very entry, or the same event on the disk."""
        if self.left:
            entry = self.left.pop(draw.randrange(len(self.left)))
            self.push(entry._replace(octets=0) if draw.random() < 0.3 else entry)
            self.meet("again")

    def step_take(self, draw: Random) -> None:
        most = draw.choice([0, 1, 1, 2, 2, 3, 5, 8, 200])
        self.now += draw.choice([0, 0, 3])
        expired: list[Entry] = []
        expected: list[Entry] = []
        found = self.queue.take(most, self.now, expired)
        assert found == self.model.take(most, self.now, expected)
        assert expired == expected
        self.left += expired
        self.left += self.taken
        self.taken = found
        self.meet("taken") if found else None
        self.meet("expired in take") if expired else None
        if len({entry.priority for entry in found}) < len(found):
            self.meet("taken of equal priority")

    def step_put_back(self, draw: Random) -> None:
        back = self.taken[: draw.choice([1, 3, 50])]
        del self.taken[: len(back)]
        priorities = {entry.priority for entry in self.model.waiting}
        self.queue.put_back(tuple(back))
        self.model.put_back(back)
        self.meet("put back") if back else None
        if any(entry.priority in priorities for entry in back):
            self.meet("put back before its equal")

    def step_take_last(self, draw: Random) -> None:
        most = draw.choice([0, 1, 1, 2, 4, 4, 8, 200])
        found = self.queue.take_last(most)
        assert found == self.model.take_last(most)
        self.left += found
        self.meet("taken last") if found else None

    def step_discard(self, draw: Random) -> None:
        policy = draw.choice(POLICIES)
        for _ in range(draw.choice([1, 1, 6])):
            if not self.model.waiting:
                self.discard_nothing(policy)
                return
            if policy is DiscardPolicy.DEADLINE and self.model.next_expiry() is None:
                self.meet("deadline discard of entries that do not expire")
            victim = self.queue.discard(policy)
            assert victim == self.model.discard(policy), policy
            self.left.append(victim)
            self.meet(f"discard {policy.name}")

    def discard_nothing(self, policy: DiscardPolicy) -> None:
        try:
            self.queue.discard(policy)
        except IndexError:
            self.meet("discard of nothing")
        else:
            raise AssertionError("discarded from an empty queue")

    def step_expire(self, draw: Random) -> None:
        self.now += draw.choice([0, 2, 9])
        expired = self.queue.expire(self.now)
        assert expired == self.model.expire(self.now)
        self.left += expired
        self.meet("expired") if expired else None

    def step_remove(self, draw: Random) -> None:
        numbers = [entry.seq for entry in self.model.waiting]
        seqs = [*draw.sample(numbers, len(numbers) // 4), self.numbers + 1]
        removed = self.queue.remove(seqs)
        assert removed == self.model.remove(seqs)
        self.left += removed
        self.meet("removed") if removed else None

    def step_reorder(self, draw: Random) -> None:
        order = draw.choice(ORDERS)
        self.queue.reorder(order)
        self.model.reorder(order)
        assert self.queue.order is order
        self.meet("reordered")

    def step_shift(self, draw: Random) -> None:
        delta = draw.randint(-9, 9)
        before = self.model.waiting
        self.queue.shift_absolute(delta)
        self.model.shift_absolute(delta)
        if before != self.model.waiting:
            assert any(entry.flags & ABSOLUTE for entry in before)
            self.meet("shifted")

    def step_look(self, draw: Random) -> None:
        """Not after each step: what is put off until somebody looks must not get easier."""
        found = self.queue.entries()
        assert found == self.model.entries()
        nearest = self.model.next_expiry()
        assert self.queue.next_expiry() == (NEVER if nearest is None else nearest)
        ranked = [draw.choice(found) for _ in found[:4]]
        for one, other in pairwise(ranked):
            by_number = sorted([one, other], key=lambda entry: entry.seq)
            pair = ModelQueue(self.model.order)
            pair.waiting = by_number
            expected = one != other and pair.entries()[0] == one
            assert self.queue.is_before(one, other) == expected


def shortfalls(met: Counter[tuple[str, str]]) -> list[str]:
    """Where the worlds fall short of the quota."""
    return [
        f"{kind} in the order {order.name}: {met[order.name, kind]} times, wanted {AT_LEAST}"
        for order in ORDERS
        for kind in MET
        if met[order.name, kind] < AT_LEAST
    ]


def table(met: Counter[tuple[str, str]]) -> str:
    """The table a person reads."""
    head = f"{'':48}" + "".join(f"{order.name:>10}" for order in ORDERS)
    counts = ("".join(f"{met[order.name, kind]:10}" for order in ORDERS) for kind in MET)
    return "\n".join([head, *(f"{k:48}{c}" for k, c in zip(MET, counts, strict=True))])
