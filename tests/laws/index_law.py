"""The law of the match index, asked of one world: its answer is that of the plain loop."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.laws.filter_events import Scene
from tests.laws.filter_quota import Quota
from tests.laws.filter_reference import answer, fits
from tests.laws.index_worlds import Plan, World
from tidings.events.fields import Fields
from tidings.filters.constraint import Constraint
from tidings.filters.explain import explain
from tidings.filters.index import MatchIndex
from tidings.filters.printing import print_tree

BURSTS = (3, 10, 30, 60)


class Compared:
    """An index and the plain loop, changed and asked together."""

    def __init__(self) -> None:
        self.index: MatchIndex[int] = MatchIndex()
        self.plain: dict[int, list[Constraint]] = {}

    def change(self, what: str, key: int, world: World) -> None:
        """Adds a subscription to both, or removes it from both."""
        if what == "remove":
            self.index.remove(key)
            del self.plain[key]
        else:
            self.plain[key] = world.constraints()
            self.index.add(key, self.plain[key])

    def expected(self, fields: Fields) -> set[int]:
        """By the reference, which shares no code with the index."""
        event_type = fields.event_type
        return {
            key
            for key, asked in self.plain.items()
            if not asked
            or any(fits(c.event_types, event_type) and answer(c.tree, fields) for c in asked)
        }

    def differences(self, scene: Scene) -> Iterator[str]:
        """What is wrong about the index's answer; it is asked with fresh fields."""
        found = self.index.match(scene.fresh())
        expected = self.expected(scene.fields)
        looped = {
            key
            for key, asked in self.plain.items()
            if not asked or any(one.matches(scene.fields) for one in asked)
        }
        wrong = {
            "missed": expected - set(found),
            "wrongly reported": set(found) - expected,
            "by the plain loop not as by the reference": looped ^ expected,
            "reported twice": {key for key in found if found.count(key) > 1},
        }
        for what, keys in wrong.items():
            for key in keys:
                yield f"{what}: {[print_tree(c.tree) for c in self.plain.get(key, [])]}"

    def count(self, scene: Scene, quota: Quota) -> None:
        """Counts the pairs of every constraint with the event."""
        for asked in self.plain.values():
            for one in asked:
                quota.add(explain(one.tree, scene.fields), scene)


def broken_in_world(rng: Random, bursts: int, quota: Quota | None = None) -> Iterator[str]:
    """What goes wrong in one world, from the first subscription to none again."""
    world, plan, compared = World(rng), Plan(rng), Compared()
    for _ in range(bursts):
        for what, key in plan.changes(rng.choice(BURSTS)):
            compared.change(what, key, world)
        if len(compared.index) != len(compared.plain):
            yield f"{len(compared.index)} subscriptions, expected {len(compared.plain)}"
        for scene in world.scenes:
            yield from compared.differences(scene)
            if quota is not None:
                compared.count(scene, quota)
    for key in rng.sample(list(compared.plain), len(compared.plain)):
        compared.change("remove", key, world)
    for scene in world.scenes:
        yield from compared.differences(scene)
