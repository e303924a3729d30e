"""Lines, pulls and pushes of the HTTP transport, without a socket; what a cut does to them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import count
from types import SimpleNamespace
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edges.channel.machine import named
from tests.edges.engine.recorded_answers import turns
from tidings import event
from tidings.api.frames import (
    EventsFrame,
    PushedFrame,
    PushFrame,
    read_client_frame,
    read_server_frame,
    write_events,
)
from tidings.api.items import write_delivered
from tidings.api.operations import Call
from tidings.channel.commands import Ack, Command, Push
from tidings.channel.effects import Message
from tidings.channel.management import Connect
from tidings.client.transports.http import lines as http_lines
from tidings.client.transports.http import pushes as http_pushes
from tidings.client.transports.http.lines import Gap, HandlerLine, Line, StreamLine, SupplierLine
from tidings.client.transports.http.pulls import Pulls
from tidings.client.transports.http.pushes import Pushes
from tidings.client.transports.http.redelivery import Redelivery
from tidings.errors import (
    ChannelNotFound,
    CursorNotFound,
    Disconnected,
    InvalidUsage,
    Stopping,
    TidingsError,
    Unreachable,
)
from tidings.events.codecs.json_codec import event_to_plain


class Sent(list[dict[str, Any]]):
    """Frames that a line has sent."""

    def __call__(self, data: bytes) -> None:
        self.append(msgspec.json.decode(data))

    def seqs(self, op: str) -> list[list[int]]:
        """The events that those of a kind are about."""
        return [frame["seqs"] for frame in self if frame["op"] == op]


def events(*seqs: int, again: Sequence[int] = ()) -> EventsFrame:
    """A frame with such events."""
    told = [Message(event("A", "b", "", {"n": seq}), "0" * 32, seq, 0) for seq in seqs]
    texts = list(map(write_delivered, told))
    frame = read_server_frame(write_events(1, "0" * 32, ",".join(texts), again, batch=False))
    assert isinstance(frame, EventsFrame)
    return frame


AnyLine = TypeVar("AnyLine", bound=Line)


def on_socket(line: AnyLine, sent: Sent) -> AnyLine:
    line.number, line.send = 1, sent
    return line


def stream() -> tuple[StreamLine, Sent]:
    sent = Sent()
    return on_socket(StreamLine(Connect(1, 5, window=8)), sent), sent


def taken(line: StreamLine) -> list[int]:
    return [message.seq for message in iter(line.get_nowait, None)]


async def test_what_overtakes_events_that_were_given_back_goes_back_behind_them() -> None:
    line, sent = stream()
    line.deliver(events(1, 2))
    line.fail(await line.get(), "not now")
    line.deliver(events(3))  # was on its way already
    assert len(line) == 0
    assert sent.seqs("fail") == [[1, 2], [3]]
    line.deliver(events(1, 2, 3, again=[1, 2, 3]))
    assert taken(line) == [1, 2, 3]
    assert line.redelivered(1)


async def test_after_a_cut_nothing_is_sent_until_the_line_is_back() -> None:
    line, sent = stream()
    line.deliver(events(1, 2, 3))
    first, second = await line.batch(2)
    line.ack(first)
    line.cut()
    assert len(line) == 0
    await asyncio.sleep(0)
    assert sent == []
    line.deliver(events(1, 2, 3, again=[1, 2, 3]))
    assert sent == [{"op": "ack", "line": 1, "seqs": [1]}]
    assert taken(line) == [3]
    assert not line.redelivered(3)
    line.reject(second, "no")
    assert sent[1:] == [{"op": "reject", "line": 1, "seqs": [2], "reason": "no"}]


async def test_the_end_tells_who_waits_and_lets_acknowledgements_out() -> None:
    line, sent = stream()
    line.deliver(events(1))
    line.ack(await line.get())
    waiting = asyncio.create_task(line.get())
    await asyncio.sleep(0)
    line.deliver(events(2))
    line.ack_many([await waiting])
    line.end(Disconnected("over"))
    line.end(Disconnected("again"))
    for taking in (line.get(), line.batch(3)):
        with pytest.raises(Disconnected, match="over"):
            await taking
    with pytest.raises(Disconnected):
        line.get_nowait()
    assert sent.seqs("ack") == [[1], [2]]
    line.deliver(events(3))
    assert len(line) == 0


def handling(handler: Any) -> tuple[HandlerLine, Sent]:
    sent = Sent()
    line = HandlerLine(Connect(1, 5, window=8), handler, lambda: None)
    return on_socket(line, sent), sent


async def test_what_a_handler_waited_for_may_be_cancelled() -> None:
    async def handler(message: object) -> None:
        raise asyncio.CancelledError

    line, sent = handling(handler)
    line.deliver(events(1))
    await turns(10)
    assert sent.seqs("fail") == [[1]]


async def test_after_the_end_nothing_is_called_or_answered() -> None:
    calls: list[object] = []
    line, sent = handling(calls.append)
    line.deliver(events(1))
    line.end(Disconnected("over"))
    line.deliver(events(2))
    await turns(10)
    assert (calls, sent) == ([], [])


async def test_a_call_that_ends_after_its_line_ends_no_subscription() -> None:
    going, left = asyncio.Event(), list[str]()

    async def handler(message: object) -> None:
        await going.wait()
        raise Disconnected("another connection of the handler's")

    sent = Sent()
    line = on_socket(HandlerLine(Connect(1, 5), handler, lambda: left.append("left")), sent)
    line.deliver(events(1))
    await turns(10)
    line.end(Disconnected("another client has taken it over"))
    going.set()
    await turns(10)
    assert (left, sent) == ([], [])


@pytest.mark.parametrize(("error", "gone"), [(ValueError("no"), False), (Disconnected("x"), True)])
async def test_errors_of_a_source_are_told(error: Exception, gone: bool) -> None:
    def source(most: int) -> None:
        raise error

    sent = Sent()
    line = on_socket(SupplierLine(Connect(1, 5), None, source), sent)
    line.live = True
    line.poll(1, 1)
    await turns(10)
    [frame] = sent
    assert frame.get("gone", False) == gone
    assert frame["reason"] == f"{type(error).__name__}: {error}"


def test_functions_are_asked_for() -> None:
    no_function: Any = 5
    with pytest.raises(InvalidUsage):
        handling(no_function)
    with pytest.raises(InvalidUsage):
        SupplierLine(Connect(1, 5), None, no_function)
    with pytest.raises(InvalidUsage, match="told to a function, not to 5"):
        Line(Connect(1, 5), no_function)


def messages(*seqs: int) -> list[Any]:
    return [SimpleNamespace(seq=seq) for seq in seqs]


def test_what_was_acknowledged_is_acknowledged_again() -> None:
    known = Redelivery(4, sole=True)
    known.arrived(messages(1, 2, 3), [])
    known.acked([1])
    known.cut([3], [])
    known.acked([2])  # after the cut: the program had it
    found = known.arrived(messages(1, 2, 3), [1, 2, 3])
    assert [m.seq for m in found.messages] == [3]
    assert (list(found.acked), list(found.marked)) == ([1, 2], [])


def test_of_a_proxy_that_others_had_only_what_was_surely_not_seen_is_unmarked() -> None:
    known = Redelivery(4, sole=False)
    known.arrived(messages(1, 2), [1])
    known.cut([1, 2], [1])
    assert list(known.arrived(messages(1, 2, 3), [1, 2, 3]).marked) == [1, 3]


def test_what_is_remembered_is_bounded() -> None:
    known = Redelivery(4, sole=True)
    for seq in range(1, 100_001):
        known.arrived(messages(seq), [])
        if seq % 3:
            known.acked([seq])
        else:
            known.rejected(seq, "no")
    assert len(known._done) + len(known._rejected) + len(known._seen) < 50_000


WINDOW, COUNT = 5, 25


class World:
    """A service with a window, a program that answers when it likes, and the wire between."""

    def __init__(self) -> None:
        self.waiting = deque(range(1, COUNT + 1))
        self.flight: list[int] = []
        self.ever: set[int] = set()  # delivered before, as the service sees it
        self.events: deque[tuple[list[int], list[int]]] = deque()
        self.acks: deque[list[int]] = deque()
        self.known = Redelivery(WINDOW, sole=True)
        self.buffer: list[int] = []
        self.out: list[int] = []
        self.seen: list[int] = []

    def deliver(self) -> None:
        room = WINDOW - len(self.flight)
        fresh = [self.waiting.popleft() for _ in range(min(room, len(self.waiting)))]
        if fresh:
            self.flight += fresh
            self.events.append((fresh, [seq for seq in fresh if seq in self.ever]))
            self.ever.update(fresh)

    def arrive(self) -> None:
        if self.events:
            seqs, again = self.events.popleft()
            found = self.known.arrived(messages(*seqs), again)
            assert list(found.marked) == []  # nothing comes to the program twice
            self.buffer += [message.seq for message in found.messages]
            self.acks.append(list(found.acked))

    def take(self) -> None:
        if self.buffer:
            self.seen.append(self.buffer.pop(0))
            self.out.append(self.seen[-1])

    def ack(self) -> None:
        self.known.acked(self.out)
        self.acks.append(self.out)
        self.out = []

    def heard(self) -> None:
        if self.acks:
            gone = self.acks.popleft()
            self.flight = [seq for seq in self.flight if seq not in gone]

    def cut(self) -> None:
        self.known.cut(self.buffer, [])
        self.waiting.extendleft(sorted(self.flight, reverse=True))
        for lost in (self.buffer, self.acks, self.events, self.flight):
            lost.clear()


STEPS = (World.arrive, World.take, World.ack, World.heard, World.cut)


@given(st.lists(st.sampled_from(STEPS), max_size=120))
def test_each_event_is_handed_out_once_whatever_is_cut(
    steps: list[Callable[[World], None]],
) -> None:
    world = World()
    for step in steps:
        world.deliver()
        step(world)
    while world.waiting or world.flight:
        world.deliver()
        for step in STEPS[:-1]:
            step(world)
    assert world.seen == list(range(1, COUNT + 1))


class Journal:
    """What a journal still has, by number; two numbers a page."""

    def __init__(self, kept: Sequence[int], last: int, oldest: int = 1) -> None:
        self._kept, self._last, self._oldest = kept, last, oldest

    async def history(self, channel: int, after: int | None, *more: object) -> Any:
        if after is not None and after + 1 < self._oldest:
            raise CursorNotFound("too old")
        page = [seq for seq in self._kept if seq > (after or 0)][:2]
        shared: dict[str, Any] = {"priority": 0, "event": named("x"), "arrival": 0}
        found = [SimpleNamespace(seq=seq, **shared) for seq in page]
        end, after = not page or page[-1] == self._kept[-1], page[-1] if page else after
        return SimpleNamespace(messages=found, next=after, end=end, last=self._last)


async def test_what_was_missed_is_looked_up_and_what_no_journal_has_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def missed(journal: Any) -> tuple[list[int], str]:
        found = await gap.missed(journal, 1, (None, None))
        return [message.seq for message in found.messages], found.words

    gap = Gap()
    seven = Journal(range(1, 8), 7)
    assert await missed(seven) == ([], "how many events were missed is not known")
    gap.start = 5  # where nothing ever came the beginning counts
    assert await missed(seven) == ([6, 7], "")
    gap = Gap()
    arrived: Any = SimpleNamespace(events=[SimpleNamespace(seq=3, priority=0)])
    gap.arrived(arrived)
    four = "up to 4 events missed: BestEffort, or no longer kept"
    assert await missed(Journal([4, 6], 9)) == ([4, 6], four)
    seqs, words = await missed(Journal([8, 9], 9, oldest=8))
    assert (seqs, words[:21]) == ([8, 9], four[:21])
    monkeypatch.setattr(http_lines, "MOST", 4)
    too_many = "events after number 7 were missed: there are too many"
    assert await missed(Journal(range(1, 30), 29)) == ([4, 5, 6, 7], too_many)


class Caller:
    """Answers pulls with the page it has, or with what `ended` says; takes its time to answer."""

    def __init__(self) -> None:
        self.page: list[int] = []
        self.pulls = 0
        self.taking = 0.001
        self.ended: list[bool] = []

    async def goes_on(self, key: tuple[int, int]) -> bool:
        return self.ended.pop(0)

    async def ask(self, command: Command) -> None:
        await asyncio.sleep(self.taking)

    async def call(self, call: Call, **how: Any) -> object:
        assert how["safe"]
        self.pulls += 1
        if self.ended:
            raise Disconnected("the connection has ended")
        plain = {"arrival": 1, "priority": 0, "redelivered": False}
        found = [{**plain, "seq": n, "event": event_to_plain(event("A", "b"))} for n in self.page]
        return {"origin": "0" * 32, "events": found}


@asynccontextmanager
async def pulling() -> AsyncIterator[tuple[Pulls, Caller]]:
    caller: Any = Caller()
    pulls = Pulls(caller, lambda command: command, 0.1, caller.goes_on)
    yield pulls, caller
    await pulls.close()


async def test_a_pull_that_ended_with_a_cut_is_asked_again() -> None:
    async with pulling() as (pulls, caller):
        caller.ended, caller.page = [True, True], [1]
        found = await pulls.pull((1, 5), 1, None, None, single=False)
        assert [message.seq for message in found.messages] == [1]
        assert caller.pulls == 3
        caller.ended = [False]
        with pytest.raises(Disconnected, match="the connection has ended"):
            await pulls.pull((1, 5), 1, None, None, single=False)


async def test_whoever_asks_does_not_wait_for_ever_for_answers_that_cannot_be_sent() -> None:
    async with pulling() as (pulls, caller):
        caller.taking = 60
        pulls.tell(Ack(1, 5, (1,)))
        with pytest.raises(Unreachable, match=r"could not be sent for 0\.1 s"):
            await pulls.told()
        waiting = asyncio.create_task(pulls.told())
        await asyncio.sleep(0.001)
        await pulls.close()
        with pytest.raises(Stopping):
            await waiting


class Pushing:
    """Pushes whose frames are read by the test."""

    def __init__(self) -> None:
        self.frames: list[PushFrame] = []
        self.moved = 0
        self.pushes = Pushes(self._sent, count(1), lambda channel, proxy: proxy + self.moved)
        self.pushes.up()

    def _sent(self, data: bytes) -> None:
        frame = read_client_frame(data)
        assert isinstance(frame, PushFrame)
        self.frames.append(frame)

    def answer(self, frame: PushFrame, first: int = 1) -> None:
        self.pushes.pushed(PushedFrame(frame.id, [*range(first, first + len(frame.events))]))

    async def ask(self, *contents: object, channel: int = 1) -> asyncio.Task[list[Any]]:
        items = [event("A", "b", "", {"p": one}) for one in contents]
        asked = asyncio.create_task(self.pushes.ask(Push(channel, 2, items)))
        await turns(3)
        return asked


async def test_what_has_no_answer_goes_again_in_order_with_the_same_marks() -> None:
    s = Pushing()
    first, second = await s.ask(1), await s.ask(2)
    s.answer(s.frames[0])
    third = await s.ask(3)
    s.pushes.down()
    fourth = await s.ask(4)
    assert len(s.frames) == 3
    s.moved = 5  # the proxy was made again
    s.pushes.up()
    again = s.frames[3:]
    assert [f.events[0]["data"]["p"] for f in again] == [2, 3, 4]
    marks = [(f.id, f.producer, f.number) for f in s.frames[1:5]]
    assert marks[2:] == marks[:2]
    assert {f.proxy for f in again} == {7}
    for frame in again:
        s.answer(frame)
    assert list(await asyncio.gather(first, second, third, fourth)) == [[1]] * 4


async def test_large_pushes_go_in_several_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_pushes, "MOST_EVENTS", 2_000)
    s = Pushing()
    asked = await s.ask(*range(2_500))
    assert [len(f.events) for f in s.frames] == [1_000, 1_000]  # no room for more
    for at in range(3):
        s.answer(s.frames[at], 1_000 * at + 1)
    assert await asked == list(range(1, 2_501))
    big = await s.ask(*["x" * 300_000] * 5)
    assert [len(f.events) for f in s.frames[3:]] == [3, 2]
    big.cancel()


async def test_who_waits_for_too_long_is_told_what_is_known() -> None:
    s = Pushing()
    sent = await s.ask(1)
    s.pushes.down()
    unsent = await s.ask(2)
    now = asyncio.get_running_loop().time()
    s.pushes.expire(now, 1.0, now + 0.5, "away")
    assert not sent.done()
    s.pushes.expire(now, 1.0, now + 1.5, "away")
    with pytest.raises(Unreachable, match="unknown; publishing them again"):
        await sent
    with pytest.raises(Unreachable, match="nothing was sent"):
        await unsent


async def test_a_channel_that_is_gone_fails_its_pushes_only() -> None:
    s = Pushing()
    asked, other = await s.ask(1), await s.ask(1, channel=9)
    assert s.pushes.channels == {1, 9}
    s.pushes.fail(ChannelNotFound("gone"), 1)
    with pytest.raises(TidingsError, match="gone"):
        await asked
    assert s.pushes.channels == {9}
    s.answer(s.frames[1])
    assert await other == [1]
