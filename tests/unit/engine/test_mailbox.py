from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.engine.hosts import named, run
from tidings.channel.commands import Ack, Push, Reject, Tick
from tidings.channel.management import Disconnect
from tidings.engine.mailbox import Mailbox, Post, weight
from tidings.errors import Disconnected, TidingsError
from tidings.events.envelope import ProducerMark

MOST = 10_000


def names(post: Post) -> list[str]:
    assert isinstance(post.command, Push)
    return [item.name for item in post.command.items]  # type: ignore[union-attr]


@settings(max_examples=60)
@given(st.lists(st.integers(0, 40), max_size=12), st.integers(4, 60))
def test_slices_keep_the_order_and_lose_nothing(sizes: list[int], room: int) -> None:
    mailbox = Mailbox(MOST)
    mailbox.most = room
    sent = []
    for number, size in enumerate(sizes):
        items = [f"{number}.{at}" for at in range(size)]
        mailbox.post(Push(1, 2, named(*items)), None)
        sent += items
    got = []
    while mailbox:
        posts = mailbox.slice()
        assert posts
        taken = [name for post in posts for name in names(post)]
        assert len(taken) <= room + 1
        got += taken
    assert got == sent


def test_a_slice_of_other_commands_is_bounded_too() -> None:
    mailbox = Mailbox(MOST)
    mailbox.most = 5
    for seq in range(12):
        mailbox.post(Ack(1, 2, [seq]), None)
    assert [len(mailbox.slice()) for _ in range(3)] == [5, 5, 2]
    assert mailbox.slice() == []


def test_a_large_push_is_carried_out_in_parts_with_its_marks() -> None:
    mailbox = Mailbox(MOST)
    mailbox.most = 10
    marks = [ProducerMark("p", number) for number in range(25)]
    mailbox.post(Push(1, 2, named(*range(25)), marks, ("ab" * 16,)), None)
    mailbox.post(Ack(1, 2, [1]), None)
    posts = [*mailbox.slice(), *mailbox.slice(), *mailbox.slice()]
    parts, last = posts[:-1], posts[-1]
    assert isinstance(last.command, Ack)
    assert [post.last for post in parts] == [False, False, True]
    for post in parts:
        assert isinstance(post.command, Push)
        assert post.command.marks is not None
        assert [mark.number for mark in post.command.marks] == [int(n) for n in names(post)]
        assert post.command.hops == ("ab" * 16,)


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


def test_what_the_core_refuses_as_a_whole_is_not_parted() -> None:
    mailbox = Mailbox(20)
    mailbox.most = 10
    mailbox.post(Push(1, 2, named(*range(21))), None)
    mailbox.post(Push(1, 2, named(*range(15)), [ProducerMark("p", 1)]), None)
    assert [len(names(post)) for post in mailbox.slice()] == [21]
    assert [len(names(post)) for post in mailbox.slice()] == [15]


async def answered(*answers: object) -> object:
    future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    parts: list[object] = []
    push = Push(1, 2, named(1, 2))
    for at, answer in enumerate(answers):
        Post(push, future, parts, at == len(answers) - 1).answer(answer)
        if at < len(answers) - 1 and not isinstance(answers[0], TidingsError):
            assert not future.done()
    return await future


def test_the_answers_of_parts_are_put_together_in_order() -> None:
    assert run(answered([1, 2], [3, 4], [5, 6])) == [1, 2, 3, 4, 5, 6]


def test_a_part_that_is_refused_says_so_for_each_of_its_events() -> None:
    error = Disconnected("gone")
    assert run(answered([1, 2], error)) == [1, 2, error, error]


def test_an_error_of_the_first_part_is_the_answer() -> None:
    with pytest.raises(Disconnected, match="gone"):
        run(answered(Disconnected("gone"), [3, 4]))


def test_an_answer_nobody_waits_for_is_dropped() -> None:
    async def late() -> None:
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        future.cancel()
        Post(Ack(1, 2, [1]), future).answer(None)
        Post(Ack(1, 2, [1]), None).answer(None)

    run(late())


def test_the_size_of_slices_follows_the_cost() -> None:
    mailbox = Mailbox(MOST)
    for _ in range(50):
        mailbox.took(10, 100_000)
    assert mailbox.most == 1
    for _ in range(80):
        mailbox.took(1_000, 1_000)
    assert mailbox.most == 512
    mailbox.took(0, 10**9)
    assert mailbox.most == 512


def test_what_comes_together_is_in_the_next_slice_whatever_befalls_others() -> None:
    box = Mailbox(100)

    def spoiled() -> None:
        raise RuntimeError("planted")

    box.post(Tick(), None)
    box.gather(spoiled)
    box.gather(lambda: box.post(Disconnect(1, 2), None))
    assert [post.command for post in box.slice()] == [Tick(), Disconnect(1, 2)]
    assert box.slice() == []


SOURCES = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 90)), max_size=12)


@settings(max_examples=60)
@given(SOURCES, st.integers(4, 60))
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
        for post in mailbox.slice():
            command = post.command
            assert isinstance(command, Push | Disconnect)
            found = names(post) if isinstance(command, Push) else ["end"]
            got[command.proxy] += found
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


def test_who_waits_goes_on_however_costly_events_are() -> None:
    mailbox = Mailbox(MOST)
    mailbox.most = 1
    mailbox.post(Push(1, 2, named(*range(20))), None)
    slices = 0
    while mailbox:
        mailbox.post(Push(1, 3, named("new")), None, slices) if slices < 40 else None
        mailbox.post(Tick(), None) if slices < 40 else None
        mailbox.slice()
        slices += 1
        if not any(post.command.proxy == 2 for post in _waiting(mailbox)):  # type: ignore[union-attr]
            break
    assert slices < 80


def _waiting(mailbox: Mailbox) -> list[Post]:
    return [post for queue in mailbox._queues.values() for post in queue]


def test_a_push_does_not_overtake_what_is_about_its_proxy() -> None:
    mailbox = Mailbox(MOST)
    mailbox.most = 8
    for seq in range(50):
        mailbox.post(Ack(1, 9, [seq]), None)
    mailbox.post(Disconnect(1, 2), None)
    mailbox.post(Push(1, 2, named("a")), None)
    mailbox.post(Push(1, 2, named("b")), None)
    mailbox.post(Push(1, 3, named("c")), None)
    order = []
    while mailbox:
        order += [post.command for post in mailbox.slice()]
    mine = [type(one) for one in order if getattr(one, "proxy", 0) == 2]
    assert mine == [Disconnect, Push, Push]
    mailbox.post(Push(1, 2, named("d")), None)
    assert len(mailbox._queues) == 1


def test_many_who_come_anew_do_not_stop_who_waits() -> None:
    mailbox = Mailbox(MOST)
    mailbox.post(Push(1, 1, named(*range(1_000))), None)
    mailbox.slice()
    for proxy in range(2, 500):
        mailbox.post(Push(1, proxy, named(proxy)), None)
    for _ in range(3):
        assert any(post.command.proxy == 1 for post in mailbox.slice())  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", [Ack, Reject])
def test_many_answers_are_carried_out_in_parts(kind: type[Ack] | type[Reject]) -> None:
    async def work() -> None:
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        mailbox = Mailbox(MOST)
        rest = () if kind is Ack else ("why",)
        mailbox.post(kind(1, 2, list(range(5_000)), *rest), future)
        posts = []
        while mailbox:
            (post,) = mailbox.slice()
            assert weight(post.command) <= mailbox.most + 1
            assert not future.done()
            post.answer(None)
            posts.append(post)
        assert [seq for post in posts for seq in post.command.seqs] == list(range(5_000))  # type: ignore[union-attr]
        assert future.done()

    run(work())
