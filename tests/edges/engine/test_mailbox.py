"""Commands that wait: the order of each source, slices of what is long, large events."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edges.engine.hosts import collect, consumer, hosted, named, soon, supplier
from tidings.channel.commands import Ack, Push, Tick
from tidings.channel.management import Disconnect
from tidings.channel.translation import approximate_octets
from tidings.engine import judging
from tidings.engine.mailbox import Mailbox, Post
from tidings.errors import Disconnected
from tidings.events.build import event
from tidings.events.structured import StructuredEvent
from tidings.live.model import ObjectUpdate
from tidings.live.requests import SetObjects

MOST = 10_000


def names(post: Post) -> list[str]:
    assert isinstance(post.command, Push)
    return [item.name for item in post.command.items]  # type: ignore[union-attr]


def large(name: str, end: str) -> StructuredEvent:
    """An event with a long text, of which it is known how large it is."""
    found = event("a", "b", name, body="needle " * 20_000 + end)
    approximate_octets(found)
    return found


def test_the_rest_of_a_push_that_is_refused_whole_is_dropped() -> None:
    mailbox = Mailbox(MOST)
    mailbox.most = 10
    items = named(*range(25))
    mailbox.post(Push(1, 2, items, whole=items), None)
    mailbox.post(Ack(1, 2, [1]), None)
    [first] = mailbox.slice()
    assert isinstance(first.command, Push)
    assert (first.command.whole, first.command.more) == (items, True)
    mailbox.drop_rest(first)
    mailbox.drop_rest(first)
    assert [type(post.command) for post in mailbox.slice()] == [Ack]


@pytest.mark.parametrize("slices_before", [0, 1])
def test_on_a_slow_machine_a_push_does_not_overtake_an_acknowledgement(slices_before: int) -> None:
    mailbox = Mailbox(MOST)
    mailbox.most = 1
    for _ in range(slices_before):
        mailbox.slice()
    taken: list[type] = []
    for _ in range(3):
        mailbox.post(Ack(1, 2, [1]), None)
        mailbox.post(Push(1, 3, named("a")), None)
        while mailbox:
            taken += [type(post.command) for post in mailbox.slice()]
    assert taken == [Ack, Push] * 3


def test_the_parts_of_a_whole_push_stand_in_different_slices() -> None:
    mailbox = Mailbox(MOST)
    mailbox.most = 100
    items = named(*range(90))
    mailbox.post(Push(1, 2, items, whole=items), None)
    mailbox.post(Push(1, 3, named("other")), None)
    sizes = []
    while mailbox:
        pushes = [post.command for post in mailbox.slice()]
        sizes.append([len(one.items) for one in pushes if one.proxy == 2])  # type: ignore[union-attr]
    assert sizes == [[32], [58]]


async def test_a_part_that_is_refused_says_so_for_each_of_its_events() -> None:
    future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    push, parts, error = Push(1, 2, named(1, 2)), list[object](), Disconnected("gone")
    Post(push, future, parts, last=False).answer([1, 2])
    assert not future.done()
    Post(push, future, parts).answer(error)
    assert await future == [1, 2, error, error]


def test_what_comes_together_is_in_the_next_slice_whatever_befalls_others() -> None:
    box = Mailbox(100)

    def spoiled() -> None:
        raise RuntimeError("planted")

    box.post(Tick(), None)
    box.gather(spoiled)
    box.gather(lambda: box.post(Disconnect(1, 2), None))
    assert [post.command for post in box.slice()] == [Tick(), Disconnect(1, 2)]
    assert box.slice() == []


@settings(max_examples=100)
@given(
    st.integers(1, 3).flatmap(
        lambda most: st.lists(st.tuples(st.integers(1, most), st.integers(0, 90)), max_size=12)
    ),
    st.integers(4, 60),
)
def test_each_source_keeps_its_order_with_what_is_about_its_proxy(
    pushes: list[tuple[int, int]], room: int
) -> None:
    mailbox = Mailbox(MOST)
    mailbox.most = room
    sent: dict[int, list[str]] = {}
    for number, (proxy, size) in enumerate(pushes):
        items = [f"{number}.{at}" for at in range(size)]
        mailbox.post(Push(1, proxy, named(*items)), None)
        sent.setdefault(proxy, []).extend(items)
    for proxy, items in sent.items():
        mailbox.post(Disconnect(1, proxy), None)
        items.append("end")
    got: dict[int, list[str]] = {proxy: [] for proxy in sent}
    while mailbox:
        posts, taken = mailbox.slice(), 0
        assert posts
        for post in posts:
            assert isinstance(post.command, Push | Disconnect)
            found = names(post) if isinstance(post.command, Push) else ["end"]
            got[post.command.proxy] += found
            taken += len(found)
        assert taken <= room + 1 or len(sent) > 1
    assert got == sent


def test_a_few_events_do_not_wait_behind_thousands_of_others() -> None:
    mailbox = Mailbox(MOST)
    for number in range(64):
        mailbox.post(Push(1, 1, named(*range(number * 1_000, number * 1_000 + 1_000))), None)
    mailbox.slice()
    mailbox.post(Push(1, 2, named("light")), None)
    mailbox.post(Push(1, 1, named("shared")), None, source="another request")
    slice_ = mailbox.slice()
    assert [names(post) for post in slice_[:2]] == [["light"], ["shared"]]
    assert sum(len(names(post)) for post in slice_) == mailbox.most  # and the others go on


def test_a_large_event_waits_until_it_is_ready_and_others_go_on() -> None:
    asked: list[Push] = []

    def ready(push: Push) -> bool:
        asked.append(push)
        return len(asked) % 3 == 0

    mailbox = Mailbox(MOST, ready)
    mailbox.most = 500
    mailbox.post(
        Push(1, 2, [*named(1, 2), large("large", ""), large("large", ""), *named(3)]), None
    )
    slices = []
    for number in range(8):
        mailbox.post(Push(1, 7, named(f"other {number}")), None)
        slices.append([name for post in mailbox.slice() for name in names(post)])
    mine = [[name for name in one if "other" not in name] for one in slices]
    assert mine == [["1", "2"], [], [], ["large"], [], [], ["large"], ["3"]]
    assert len(asked) == 6
    assert {len(push.items) for push in asked} == {1}
    assert all(f"other {number}" in one for number, one in enumerate(slices))
    assert not mailbox


def test_a_large_event_may_be_all_there_is() -> None:
    answers = iter([False, True])
    mailbox = Mailbox(MOST, lambda push: next(answers))
    mailbox.post(Push(1, 2, [large("large", "")]), None)
    assert mailbox.slice() == []
    assert mailbox
    assert [names(post) for post in mailbox.slice()] == [["large"]]
    assert not mailbox


async def test_a_long_text_is_looked_through_in_slices_and_others_overtake_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(judging, "_AT_ONCE", 1)
    searches = 10
    asked = " or ".join(f"'needle {n}' ~ $.remainder_of_body" for n in range(searches))
    async with hosted(qos={}) as (host, channel, first):
        second = await supplier(host, channel)
        _, endpoint = await consumer(host, channel, text=asked)
        items = [event("a", "b", "0"), large("1", "needle 9"), large("2", ""), event("a", "b", "3")]
        slow = host.ask(Push(channel, first, items))
        others = 0
        while not slow.done():
            assert await soon(host.ask(Push(channel, second, [event("a", "b")]))) > [0]
            others += 1
        assert others >= searches
        numbers = slow.result()
        assert numbers == sorted(numbers)
        (message,) = await collect(endpoint, 1)
        assert (message.seq, message.event.name) == (numbers[1], "1")
        await soon(host.ask(Push(channel, first, [large("4", "")])))  # with nobody else
        assert not host._judging._waiting
        for at, why in ((channel, "no proxy 77"), (99, "no channel 99")):
            with pytest.raises(Exception, match=why):
                await soon(host.ask(Push(at, 77, [large("1", "")])))


def test_setting_many_objects_counts_as_many() -> None:
    mailbox = Mailbox(1_000)
    command = SetObjects([ObjectUpdate(f"flight/{at}") for at in range(1_000)])
    for _ in range(3):
        mailbox.post(command, None)
    assert [len(mailbox.slice()) for _ in range(4)] == [1, 1, 1, 0]
