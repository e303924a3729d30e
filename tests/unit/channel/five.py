"""Five events such that every order and every discard policy has another opinion of them."""

from __future__ import annotations

from tests.unit.channel.machine import SECOND, named
from tidings.events.structured import StructuredEvent

FIFO, PRIORITY, DEADLINE, LIFO = 1, 2, 3, 4

# Numbers 1 to 5: priorities and lifetimes such that every policy chooses another one.
FIVE = [(0, 500), (3, 400), (-3, 300), (5, 100), (1, 600)]
ORDERS = {FIFO: [1, 2, 3, 4, 5], PRIORITY: [4, 2, 5, 1, 3], DEADLINE: [4, 3, 2, 1, 5]}


def five() -> list[StructuredEvent]:
    return [named("x", priority=p, header={"Timeout": 10 * SECOND * t}) for p, t in FIVE]
