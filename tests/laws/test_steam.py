"""STEAM in a simulated radio: who gets what, and long texts over a bad one."""

from __future__ import annotations

import math
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.sphere import metres
from tidings.federation.proximity import Area, Circle, Position, Rectangle, moved
from tidings.services.steam.chunks import MOST_UNFINISHED, PATIENCE, Joiner, chunk_type, split
from tidings.services.steam.datagrams import EventType, Kind, SteamEvent, decode, event_type_of
from tidings.services.steam.machine import (
    Effect,
    Hand,
    Join,
    Leave,
    Send,
    SteamConfig,
    SteamMachine,
)

SUBJECTS = ("Speed", "Braking", "Sign")
CENTRE = Position(0.0, 179.99)  # the line of 180 degrees runs through the town
ALL = "all subjects"


class Car:
    """A node, where it is, and what it was handed."""

    def __init__(self, number: int, position: Position) -> None:
        self.machine = SteamMachine(number, SteamConfig("sim"))
        self.position = position
        self.groups: set[str] = set()
        self.wants: dict[object, str] = {}
        self.got: Counter[tuple[object, int, int]] = Counter()


class Radio:
    """A medium that carries everything at once, and some of it again later."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.now = 0
        self.cars = [Car(number, self.somewhere()) for number in range(1, 6)]
        self.echoes: list[tuple[Send, list[Car]]] = []
        self.expected: list[Counter[tuple[object, int, int]]] = [Counter() for _ in self.cars]
        self.sent = 0
        for car in self.cars:
            self.perform(car, car.machine.start())

    def somewhere(self) -> Position:
        return moved(CENTRE, self.random.uniform(-0.02, 0.02), self.random.uniform(-0.02, 0.02))

    def perform(self, car: Car, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Join):
                car.groups.add(effect.group)
            elif isinstance(effect, Leave):
                car.groups.remove(effect.group)
            elif isinstance(effect, Hand):
                car.got[effect.key, effect.event.node, int(effect.event.values["number"])] += 1
            else:
                hearers = [one for one in self.cars if effect.group in one.groups]
                self.carry(effect, hearers)
                if isinstance(decode(effect.octets), SteamEvent) and self.random.random() < 0.3:
                    self.echoes.append((effect, hearers))

    def carry(self, sent: Send, hearers: list[Car]) -> None:
        for car in hearers:
            self.perform(car, car.machine.receive(sent.octets, car.position, self.now))

    def step(self) -> None:
        at = self.random.randrange(len(self.cars))
        car = self.cars[at]
        act = self.random.choices(
            (
                self.move,
                self.announce,
                self.subscribe,
                self.unsubscribe,
                self.withdraw,
                self.publish,
            ),
            (1, 3, 3, 1, 1, 8),
        )[0]
        act(car)
        if self.echoes and self.random.random() < 0.3:
            self.carry(*self.echoes.pop(self.random.randrange(len(self.echoes))))
        self.now += 500_000
        for one in self.cars:
            self.perform(one, one.machine.tick(self.now, one.position))

    def move(self, car: Car) -> None:
        car.position = self.somewhere()

    def area(self) -> Area:
        relative = self.random.random() < 0.5
        offset = Position(self.random.uniform(-0.01, 0.01), self.random.uniform(-0.01, 0.01))
        middle = offset if relative else self.somewhere()
        if self.random.random() < 0.5:
            return Circle(middle, self.random.uniform(0, 6_000), relative)
        sizes = self.random.uniform(0, 0.08), self.random.uniform(0, 0.08)
        return Rectangle(middle, *sizes, relative)

    def announce(self, car: Car) -> None:
        what = EventType(self.random.choice(SUBJECTS), {"number": Kind.INTEGER})
        self.perform(car, car.machine.announce(what, self.area(), car.position))

    def withdraw(self, car: Car) -> None:
        self.perform(car, car.machine.withdraw(self.random.choice(SUBJECTS)))

    def subscribe(self, car: Car) -> None:
        key, subject = self.random.randrange(3), self.random.choice((*SUBJECTS, ALL))
        car.wants[key] = subject
        wanted = None if subject == ALL else frozenset((subject,))
        self.perform(car, car.machine.subscribe(key, wanted, lambda _: True))

    def unsubscribe(self, car: Car) -> None:
        key = self.random.randrange(3)
        car.wants.pop(key, None)
        self.perform(car, car.machine.unsubscribe(key))

    def publish(self, car: Car) -> None:
        subject = self.random.choice(SUBJECTS)
        if car.machine.announced(subject) is None:
            return
        area = self.area()
        self.sent += 1
        for other, expected in zip(self.cars, self.expected, strict=True):
            if other is not car and inside(area, other.position, car.position):
                for key, wanted in other.wants.items():
                    if wanted in (subject, ALL):
                        expected[key, car.machine.node, self.sent] += 1
        self.perform(
            car, car.machine.publish(subject, {"number": self.sent}, car.position, area=area)
        )


def inside(area: Area, position: Position, producer: Position) -> bool:
    """Whether a place near the equator is in an area, by other means than the program's."""
    middle = area.middle
    if area.relative:
        middle = Position(
            producer.latitude + middle.latitude, producer.longitude + middle.longitude
        )
    if isinstance(area, Circle):
        return metres(middle, position) <= area.radius
    turn = math.degrees(math.asin(math.sin(math.radians(position.longitude - middle.longitude))))
    return (
        abs(turn) <= area.width / 2 and abs(position.latitude - middle.latitude) <= area.height / 2
    )


@pytest.mark.parametrize("seed", range(20))
def test_moving_nodes_get_exactly_what_is_valid_where_they_are(seed: int) -> None:
    radio = Radio(Random(seed))
    for _ in range(200):
        radio.step()
    assert [car.got for car in radio.cars] == radio.expected
    assert sum(map(len, radio.expected)) > 10


@given(
    st.lists(st.tuples(st.integers(0, 30_000), st.sampled_from("aäß漢")), min_size=1, max_size=4),
    st.integers(0, 2**32),
    st.booleans(),
)
def test_a_long_text_arrives_whole_or_not_at_all(
    sizes: list[tuple[int, str]], seed: int, complete: bool
) -> None:
    random = Random(seed)
    texts = [f"{number}:" + letter * size for number, (size, letter) in enumerate(sizes)]
    parts = [(1 + number % 2, part) for number, text in enumerate(texts) for part in split(text)]
    for _, part in parts:
        assert event_type_of("C", part) == chunk_type("C")
    sent = [part for part in parts if complete or random.random() < 0.8]
    if not complete:
        sent += random.choices(parts, k=3)
    random.shuffle(sent)
    joiner, found = Joiner(), []
    for sender, part in sent:
        forged = {"Text1": "forged", "Part": random.choice((0, 1, 2, 200))}
        wrong = forged if not complete and random.random() < 0.3 else {}
        found.append(joiner.add(sender, {**part, **wrong}, 0))
    whole = [text for text in found if text is not None]
    if complete:
        assert sorted(whole) == sorted(texts)
    else:
        assert set(whole) <= set(texts)


def test_what_is_missing_for_long_is_given_up() -> None:
    joiner, (first, second) = Joiner(), split("x" * 10_000)
    assert joiner.add(1, first, 0) is None
    assert joiner.add(1, second, PATIENCE + 1) is None
    assert joiner.dropped == 1
    assert joiner.add(1, first, PATIENCE + 2) == "x" * 10_000


def test_unfinished_texts_are_bounded() -> None:
    joiner = Joiner()
    for number in range(1_000):
        first, _ = split(f"{number}" + "y" * 9_000)
        assert joiner.add(number, first, 0) is None
    whole = 0
    for number in reversed(range(1_000)):
        _, second = split(f"{number}" + "y" * 9_000)
        whole += joiner.add(number, second, 0) is not None
    assert whole == MOST_UNFINISHED
