"""SIENA: what its relations between filters promise, and what its network delivers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from random import Random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.laws.dialect_worlds import field_tree
from tests.laws.filter_events import PATHS, Scene, draw_event
from tests.laws.filter_strategies import sources
from tests.laws.filter_trees import constraint_of, draw_types
from tests.laws.siena_network import Client, Network
from tidings.errors import InvalidEvent
from tidings.events.anyvalue import Value
from tidings.events.fields import StructuredFields
from tidings.events.structured import StructuredEvent
from tidings.federation.marks import Mark
from tidings.filters.constraint import constraint
from tidings.filters.dialects.siena import AttributeTest, Operator, SienaFilter, write
from tidings.gateways.adapters.siena import EventMapping
from tidings.services.siena.forwarding import Forwarding
from tidings.services.siena.relations import (
    Notification,
    covers,
    holds,
    intersects,
    matches,
    widest,
)
from tidings.services.siena.table import FilterTable

O = Operator  # noqa: E741 -- as short as the operators
ORDERED = (O.LESS, O.LESS_EQUAL, O.GREATER, O.GREATER_EQUAL)
OF_TEXTS = (O.PREFIX, O.SUFFIX, O.SUBSTRING)
EQUALITY = (O.EQUAL, O.NOT_EQUAL)
LARGE = 2**53

names = st.sampled_from(["a", "b", "event_name"])
# Few values, so that filters meet; the large ones are one double.
NUMBERS = (-1, 0, 1, 1.0, 1.5, 2, LARGE, LARGE + 1, float(LARGE))
TEXTS = ("", "a", "ab", "ba", "aba", "b")
numbers = st.sampled_from(NUMBERS)
texts = st.sampled_from(TEXTS)
values = st.one_of(numbers, texts, st.booleans())
tests = st.one_of(
    st.builds(AttributeTest, names, st.sampled_from([*EQUALITY, *ORDERED]), numbers),
    st.builds(AttributeTest, names, st.sampled_from([*EQUALITY, *ORDERED]), texts),
    st.builds(AttributeTest, names, st.sampled_from(EQUALITY), st.booleans()),
    st.builds(AttributeTest, names, st.sampled_from(OF_TEXTS), texts),
    st.builds(AttributeTest, names, st.just(O.ANY)),
)  # fmt: skip
filters = st.lists(tests, max_size=3).map(tuple)
notifications = st.dictionaries(names, values, max_size=3)


def t(name: str, operator: Operator, value: str | float | None = None) -> AttributeTest:
    return AttributeTest(name, operator, value)


@given(filters, filters, notifications)
def test_what_a_covered_filter_matches_the_covering_one_matches(
    wide: SienaFilter, narrow: SienaFilter, sent: Notification
) -> None:
    if covers(wide, narrow):
        assert matches(wide, sent) or not matches(narrow, sent)


def test_covering_of_single_tests_is_sound() -> None:
    """For each pair of tests, over all values: exhaustively, for the cases are few."""
    some: list[str | float] = [*NUMBERS, *TEXTS, True, False]
    every = [t("a", O.ANY)]
    every += [t("a", operator, value) for operator in EQUALITY for value in some]
    every += [t("a", operator, value) for operator in ORDERED for value in (*NUMBERS, *TEXTS)]
    every += [t("a", operator, value) for operator in OF_TEXTS for value in TEXTS]
    passing = {one: {at for at, value in enumerate(some) if holds(one, value)} for one in every}
    for wide, narrow in itertools.product(every, every):
        assert passing[narrow] <= passing[wide] or not covers((wide,), (narrow,)), (wide, narrow)
        assert not passing[narrow] & passing[wide] or intersects((wide,), (narrow,)), (wide, narrow)


@given(filters, filters, notifications)
def test_filters_with_a_notification_in_common_intersect(
    one: SienaFilter, other: SienaFilter, sent: Notification
) -> None:
    if matches(one, sent) and matches(other, sent):
        assert intersects(one, other)


def test_covering_finds_what_it_should() -> None:
    speed, fast = t("s", O.EQUAL, "Speed"), t("rate", O.GREATER, 100)
    assert covers((), (speed,))
    assert covers((speed,), (speed, fast))
    assert not covers((speed, fast), (speed,))
    for wide, narrow in (
        (t("a", O.ANY), t("a", O.EQUAL, 1)),
        (t("a", O.GREATER, 1), t("a", O.GREATER, 2.0)),
        (t("a", O.GREATER_EQUAL, 1), t("a", O.GREATER, 1)),
        (t("a", O.LESS, 3), t("a", O.LESS_EQUAL, 2)),
        (t("a", O.LESS, 3.0), t("a", O.LESS, 3)),
        (t("a", O.NOT_EQUAL, 5), t("a", O.LESS, 5)),
        (t("a", O.NOT_EQUAL, "x"), t("a", O.PREFIX, "y")),
        (t("a", O.PREFIX, "ab"), t("a", O.EQUAL, "abc")),
        (t("a", O.PREFIX, "ab"), t("a", O.PREFIX, "abc")),
        (t("a", O.SUBSTRING, "b"), t("a", O.SUFFIX, "abc")),
    ):
        assert covers((wide,), (narrow,)), (wide, narrow)
        assert not covers((narrow,), (wide,)) or wide.operator is narrow.operator
    for one, other in (
        (t("a", O.EQUAL, 1), t("a", O.EQUAL, True)),
        (t("a", O.EQUAL, 1), t("a", O.GREATER, 1)),
        (t("a", O.LESS, 2), t("a", O.GREATER_EQUAL, 2)),
        (t("a", O.PREFIX, "ab"), t("a", O.PREFIX, "b")),
    ):
        assert not intersects((one,), (other,)), (one, other)
        assert not intersects((other,), (one,)), (one, other)


@given(st.lists(filters, max_size=6), notifications)
def test_the_widest_filters_match_the_same(some: list[SienaFilter], sent: Notification) -> None:
    kept = widest(some)
    assert any(matches(one, sent) for one in kept) == any(matches(one, sent) for one in some)
    assert not any(covers(a, b) for a in kept for b in kept if a is not b)


@given(
    st.lists(st.tuples(st.integers(0, 3), filters), unique=True, max_size=12),
    st.lists(notifications, min_size=1, max_size=4),
)
@example([(1, ()), (0, (t("a", O.LESS, LARGE + 1),))], [{"a": float(LARGE)}])
def test_the_table_finds_the_neighbours_that_want_a_notification(
    wants: list[tuple[int, SienaFilter]], sent: list[Notification]
) -> None:
    table = FilterTable()
    for neighbour, one in wants:
        table.add(neighbour, one)
    for neighbour, one in wants[::2]:
        table.remove(neighbour, one)
    for each in sent:
        assert table.match(each) == {n for n, one in wants[1::2] if matches(one, each)}


@given(st.lists(st.tuples(st.booleans(), filters), max_size=20))
@example([(True, (t("a", O.ANY),)), (True, ()), (False, ())])
@example([(True, (t("a", O.EQUAL, 1),)), (True, (t("a", O.EQUAL, 1.0),))])
@example([(True, (t("a", O.EQUAL, 1), t("a", O.EQUAL, 1.0))), (True, (t("a", O.EQUAL, 1),))])
def test_a_neighbour_is_asked_for_everything_and_nothing_twice(
    steps: list[tuple[bool, SienaFilter]],
) -> None:
    forwarding, wanted, told = Forwarding(), set[SienaFilter](), set[SienaFilter]()
    for adds, one in steps:
        (forwarding.add if adds else forwarding.discard)(one)
        (wanted.add if adds else wanted.discard)(one)
        begun, ended = forwarding.take_changes()
        assert not told & set(begun)
        told |= set(begun)
        assert told >= set(ended)
        told -= set(ended)
        assert told <= wanted == set(forwarding)
        assert all(any(covers(root, each) for root in told) for each in wanted)
        assert not any(covers(a, b) for a in told for b in told if a is not b)


def some_filter(random: Random) -> SienaFilter:
    """A filter on few attributes, so that many cover each other."""
    made = [t("s", O.EQUAL, random.choice("xy"))] if random.random() < 0.7 else []
    if random.random() < 0.6:
        operator = random.choice([O.LESS, O.GREATER, O.EQUAL, O.ANY])
        made.append(t("n", operator, None if operator is O.ANY else random.randrange(4)))
    return tuple(made)


def some_notification(random: Random) -> dict[str, str | int | float | bool]:
    return {"s": random.choice("xyz"), "n": random.randrange(4)}


class Story:
    """What happens in a network, one thing after the other."""

    def __init__(self, seed: int, *, advertised: bool) -> None:
        self.random = random = Random(seed)
        servers = random.randint(1, 6)
        peers = random.randint(1, servers)
        self.net = Network(random, servers, peers, advertised=advertised)
        for number in range(random.randint(2, 6)):
            client = self.net.join(f"c{number}", random.choice(self.net.names))
            self._subscribe(client)
            self._advertise(client)

    def turn(self) -> None:
        net, random = self.net, self.random
        client = random.choice(list(net.clients.values()))
        ways: list[Callable[[Client], None]] = [
            *(self._subscribe, self._subscribe, self._unsubscribe),
            *(self._publish, self._publish, self._publish),
        ]
        if net.advertised:
            ways += [self._advertise, self._advertise, self._unadvertise]
        if random.random() < 0.07:
            net.crash(random.choice(net.names))
        else:
            random.choice(ways)(client)

    def _subscribe(self, client: Client) -> None:
        self.net.subscribe(client, some_filter(self.random))
        self.net.settle(client)

    def _unsubscribe(self, client: Client) -> None:
        if client.filters:
            one = self.random.choice(sorted(client.filters, key=repr))
            self.net.unsubscribe(client, one)
            self.net.settle(client)

    def _advertise(self, client: Client) -> None:
        self.net.advertise(client, some_filter(self.random))
        self.net.settle(client)

    def _unadvertise(self, client: Client) -> None:
        if client.offers:
            one = self.random.choice(sorted(client.offers, key=repr))
            self.net.unadvertise(client, one)
            self.net.settle(client)

    def _publish(self, client: Client) -> None:
        for _ in range(8):
            sent = some_notification(self.random)
            if not self.net.advertised or any(matches(one, sent) for one in client.offers):
                self.net.publish(client, sent)
                return


@given(st.integers(0, 2**32), st.booleans())
@settings(max_examples=150)
def test_a_network_delivers_what_one_server_would(seed: int, advertised: bool) -> None:
    story = Story(seed, advertised=advertised)
    for _ in range(25):
        story.turn()
    story.net.run()


def test_filters_go_only_where_they_are_advertised_and_not_covered() -> None:
    net = Network(Random(0), 3, 3, advertised=True)
    reader, writer = net.join("reader", "s0"), net.join("writer", net.names[-1])
    wide, narrow = (t("s", O.EQUAL, "x"),), (t("s", O.EQUAL, "x"), t("n", O.GREATER, 1))
    other = (t("s", O.EQUAL, "y"),)
    net.subscribe(reader, other)
    net.subscribe(reader, wide)
    net.run()
    assert not net.asked
    net.advertise(writer, wide)
    net.run()
    assert net.asked
    assert {record.filter for _, record in net.asked} == {wide}  # type: ignore[attr-defined]
    net.asked.clear()
    net.subscribe(reader, narrow)
    net.run()
    assert not net.asked
    net.unsubscribe(reader, wide)
    net.run()
    assert {record.filter for _, record in net.asked} == {narrow[::-1]}  # type: ignore[attr-defined]


# Events as notifications.


def carried(one: StructuredEvent) -> StructuredEvent:
    """What of an event SIENA can carry."""
    mapping = EventMapping()

    def fits(name: str, value: Value) -> bool:
        try:
            mapping.notification(StructuredEvent(data={name: value}))
        except InvalidEvent:
            return False
        return True

    header = {name: value for name, value in one.header.items() if fits(name, value)}
    data = {name: v for name, v in one.data.items() if fits(name, v) and name not in header}
    return StructuredEvent(one.domain, one.type, one.name, header, data)


@given(sources())
def test_filters_at_siena_miss_no_event_and_exact_ones_find_no_other(rng: Random) -> None:
    scene, mapping = Scene(carried(draw_event(rng))), EventMapping()
    types = draw_types(rng) if rng.random() < 0.2 else ()
    wanted = constraint_of(field_tree(rng, scene), types)
    written = write(wanted, mapping.seen)
    sent = mapping.notification(scene.event)
    found = any(matches(one, sent) for one in written.filters)
    expected = wanted.matches(scene.fresh())
    assert found or not expected
    assert found is expected or not written.exact


def test_a_part_of_a_value_is_not_its_attribute() -> None:
    mapping = EventMapping()
    written = write(constraint("$rate.kmh == 5"), mapping.seen)
    sent = mapping.notification(StructuredEvent(data={"rate": 5, "other": 1}))
    found = any(matches(one, sent) for one in written.filters)
    assert found
    assert not written.exact


@given(sources())
def test_an_event_comes_back_as_it_went(rng: Random) -> None:
    sent, mapping = carried(draw_event(rng)), EventMapping()
    mark = Mark("test", "es 1", "stream,1", rng.randrange(2**63), ("a", "b"), ("other",))
    back = mapping.arrival(mapping.notification(sent, mark))
    assert back.mark == mark
    fields, expected = StructuredFields(back.event), StructuredFields(sent)
    for path in PATHS:
        assert fields[path] == expected[path] or "$." in path or "_id" in path
    assert set(back.event.header) == set(sent.header)
    assert set(back.event.data) == set(sent.data)
