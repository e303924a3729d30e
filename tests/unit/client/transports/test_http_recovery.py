from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tidings.api.call import Call
from tidings.channel.commands import Command
from tidings.channel.management import Connect, ObtainProxy, Suspend
from tidings.channel.vocabulary import Side, Style
from tidings.client.transports.http_lines import Line
from tidings.client.transports.http_recovery import ServiceRecovery
from tidings.client.transports.memory import Memory
from tidings.client.transports.names import Names
from tidings.errors import ChannelNotFound, ProxyNotFound, Unreachable


class FakeCaller:
    """A service that has begun anew: it has channel 2, and another channel 3."""

    def __init__(self) -> None:
        self.asked: list[Command] = []

    async def ask(self, command: Command) -> object:
        self.asked.append(command)
        return 50

    async def call(self, call: Call) -> object:
        channel = int(call.path.rpartition("/")[2])
        if channel == 1:
            raise ChannelNotFound("there is no channel 1")
        return type("Info", (), {"origin": {2: "two", 3: "new"}[channel]})()


def made(name: str = "") -> tuple[ServiceRecovery, FakeCaller, Memory, Line]:
    memory = Memory()
    memory.note(ObtainProxy(2, Side.CONSUMER, Style.PUSH, name=name), 5)
    caller: Any = FakeCaller()
    recovery = ServiceRecovery(caller, memory, Names(memory), {1: "one", 2: "two", 3: "old"})
    return recovery, caller, memory, Line(Connect(2, 5), 1, lambda data: None)


def test_channels_that_are_gone_or_others_are_found() -> None:
    recovery, *_ = made()
    lost = asyncio.run(recovery.lost_channels({1, 2, 3}))
    assert sorted(lost) == [1, 3]
    assert "another one has its id" in str(lost[3])
    assert list(asyncio.run(recovery.lost_channels({3}))) == []  # known as what it is now


def test_a_proxy_that_is_gone_is_made_again_and_settled_once_it_is_connected() -> None:
    recovery, caller, memory, line = made()
    memory.note(Suspend(2, 5), None)
    tries: list[bool] = []

    async def connect(line: Line, again: bool) -> None:
        tries.append(again)
        if again:
            raise ProxyNotFound("channel 2 has no proxy 5")
        assert not any(isinstance(command, Suspend) for command in caller.asked)

    asyncio.run(recovery.reconnect(line, connect))
    assert tries == [True, False]
    assert caller.asked[-1] == Suspend(2, 50)
    assert recovery.proxy_now(2, 5) == 50


def test_what_was_cut_before_it_was_settled_is_settled_next_time() -> None:
    recovery, caller, memory, line = made()
    memory.note(Suspend(2, 5), None)
    tries: list[bool] = []

    async def connect(line: Line, again: bool) -> None:
        tries.append(again)
        if len(tries) == 1:
            raise ProxyNotFound("channel 2 has no proxy 5")
        if len(tries) == 2:
            raise Unreachable("cut")

    with pytest.raises(Unreachable):
        asyncio.run(recovery.reconnect(line, connect))
    assert Suspend(2, 50) not in caller.asked
    asyncio.run(recovery.reconnect(line, connect))
    assert tries == [True, False, True]
    assert caller.asked[-1] == Suspend(2, 50)


def test_what_has_a_name_is_not_made_again() -> None:
    recovery, caller, _, line = made("bidder")

    async def connect(line: Line, again: bool) -> None:
        raise ProxyNotFound("channel 2 has no proxy 5")

    with pytest.raises(ProxyNotFound):
        asyncio.run(recovery.reconnect(line, connect))
    assert caller.asked == []
    assert not recovery.is_own(line)


def test_what_has_ended_is_forgotten() -> None:
    recovery, _, memory, line = made()
    assert recovery.is_own(line)
    recovery.forget(line)
    assert not memory.proxies
