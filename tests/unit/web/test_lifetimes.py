from __future__ import annotations

import asyncio
import logging

import pytest

from tests.unit.engine.hosts import new_channel, obtained, run, turns, until
from tidings.engine.host import Host
from tidings.web.lifetimes import Lifetimes

SHORT = 0.03


async def _proxies(count: int) -> tuple[Host, list[int]]:
    host = await Host.open()
    channel = await new_channel(host)
    assert channel == 1
    return host, [await obtained(host, channel) for _ in range(count)]


def _there(host: Host) -> list[int]:
    return list(host.factory.channel(1).proxies)


def test_an_unused_proxy_ends_and_one_that_is_not_watched_stays() -> None:
    async def work() -> None:
        host, (first, second) = await _proxies(2)
        lifetimes = Lifetimes(host, SHORT)
        lifetimes.begin(1, first)
        assert len(lifetimes) == 1
        await until(lambda: _there(host) == [second])
        assert len(lifetimes) == 0
        await host.close()

    run(work())


def test_a_use_starts_the_time_again() -> None:
    async def work() -> None:
        host, (first, second) = await _proxies(2)
        lifetimes = Lifetimes(host, SHORT)
        lifetimes.begin(1, first)
        lifetimes.begin(1, second)
        lifetimes.touch(1, 99)
        for _ in range(4):
            await asyncio.sleep(SHORT / 2)
            lifetimes.touch(1, first)
        assert _there(host) == [first]
        await until(lambda: not _there(host))
        await host.close()

    run(work())


def test_what_is_in_use_does_not_end_before_the_last_one_lets_go() -> None:
    async def work() -> None:
        host, (first,) = await _proxies(1)
        lifetimes = Lifetimes(host, 0.005)
        lifetimes.begin(1, first)
        assert lifetimes.hold(1, first)
        assert lifetimes.hold(1, first)
        assert not lifetimes.hold(1, 99)
        lifetimes.begin(1, first)
        lifetimes.touch(1, first)
        lifetimes.release(1, first)
        lifetimes.release(1, 99)
        await asyncio.sleep(0.02)
        assert _there(host) == [first]
        assert len(lifetimes) == 1
        lifetimes.release(1, first)
        await until(lambda: not _there(host))
        await host.close()

    run(work())


def test_what_is_forgotten_stays() -> None:
    async def work() -> None:
        host, (first, second) = await _proxies(2)
        lifetimes = Lifetimes(host, 0.005)
        for proxy in (first, second):
            lifetimes.begin(1, proxy)
        assert lifetimes.hold(1, second)
        for proxy in (first, second):
            lifetimes.forget(1, proxy)
        lifetimes.release(1, second)
        await asyncio.sleep(0.02)
        assert _there(host) == [first, second]
        await host.close()

    run(work())


def test_nothing_ends_after_closing() -> None:
    async def work() -> None:
        host, (first, second) = await _proxies(2)
        lifetimes = Lifetimes(host, 0.005)
        lifetimes.begin(1, first)
        lifetimes.close()
        lifetimes.begin(1, second)
        lifetimes.close()
        await asyncio.sleep(0.02)
        assert _there(host) == [first, second]
        await host.close()

    run(work())


def test_very_many_end_all() -> None:
    async def work() -> None:
        host, proxies = await _proxies(350)
        lifetimes = Lifetimes(host, 0.001)
        for proxy in proxies:
            lifetimes.begin(1, proxy)
        await until(lambda: not _there(host))
        await host.close()

    run(work())


def test_one_that_has_ended_already_is_no_trouble(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        host, _ = await _proxies(0)
        lifetimes = Lifetimes(host, 0.001)
        lifetimes.begin(1, 99)
        await until(lambda: not len(lifetimes))
        await turns()
        await host.close()

    with caplog.at_level(logging.WARNING):
        run(work())
    assert not caplog.records


def test_one_that_cannot_be_ended_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        host, (first,) = await _proxies(1)
        lifetimes = Lifetimes(host, 0.001)
        lifetimes.begin(1, first)
        await host.drain(0)
        await until(lambda: not len(lifetimes))
        await turns()
        await host.close()

    with caplog.at_level(logging.WARNING):
        run(work())
    assert "could not be ended" in caplog.text
