"""Order within one consumer when deliveries fail."""

from __future__ import annotations

import asyncio

import pytest

from tests.unit.engine.hosts import named, new_channel, run, soon, supplier, until
from tidings.channel.commands import Push, Tick
from tidings.channel.management import Connect, ObtainProxy
from tidings.channel.settings import Settings
from tidings.channel.vocabulary import Side, Style
from tidings.engine import mailbox
from tidings.engine.bodies import Message
from tidings.engine.endpoints import HandlerEndpoint
from tidings.engine.host import Host


def test_nothing_overtakes_an_event_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    handled: list[int] = []
    failures = [3, 7, 20, 21, 50]

    def handler(message: Message) -> None:
        if message.seq in failures:
            failures.remove(message.seq)
            raise ValueError("not now")
        handled.append(message.seq)

    async def work() -> None:
        monkeypatch.setattr(mailbox, "_MOST", 4)
        host = await Host.open(settings=Settings(retry_first=1_000, retry_longest=1_000))
        channel = await new_channel(host, {"OrderPolicy": 1})
        source = await supplier(host, channel)
        proxy = await soon(host.ask(ObtainProxy(channel, Side.CONSUMER, Style.PUSH)))
        await host.connect(Connect(channel, proxy, window=8), HandlerEndpoint(handler))
        for number in range(60):
            host.tell(Push(channel, source, named(str(number))))
            for _ in range(8):  # behind them the core hears late of what failed
                host.tell(Tick())
            if number % 7 == 0:
                await asyncio.sleep(0.002)
        await until(lambda: len(handled) >= 60)
        await host.close(0.05)

    run(work())
    assert handled == list(range(1, 61))
    assert not failures
