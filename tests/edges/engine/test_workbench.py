"""Constraints are tried where they hold up nobody, and over events that may go meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.edges.engine.hosts import happened, hosted, opened, publish, soon
from tests.edges.engine.test_history import SMALL, fill, numbers
from tidings.channel import questions as q
from tidings.channel.constraint_views import MOST_PARTS
from tidings.engine import workbench
from tidings.engine.door import LocalDoor
from tidings.errors import LimitExceeded


async def test_constraints_are_judged_off_the_loop(tmp_path: Path) -> None:
    threads: dict[str, threading.Thread] = {}

    def noting(name: str) -> Any:
        work: Callable[..., Any] = getattr(workbench, name)

        def noted(*arguments: Any) -> Any:
            threads[name] = threading.current_thread()
            return work(*arguments)

        return mock.patch.object(workbench, name, noted)

    async with hosted(tmp_path) as (host, channel, source):
        await publish(host, channel, source, 1)
        door = LocalDoor(host)
        with noting("check_view"), noting("explanation"), noting("constraint"):
            await door.request(q.CheckConstraint("TRUE"))
            await door.request(q.ExplainConstraint("TRUE", happened("a")))
            assert threads.pop("constraint") is not threading.main_thread()
            await door.request(q.CountMatching(channel, "TRUE"))
        assert set(threads) == {"check_view", "explanation", "constraint"}
        assert threading.main_thread() not in threads.values()


async def test_events_that_are_not_kept_any_more_are_not_counted(tmp_path: Path) -> None:
    host, channel, source = await opened(tmp_path, **SMALL)
    last = await fill(host, channel, source)
    await soon(host.housekeeping.run_once())
    kept = await numbers(host, channel)
    assert 1 < len(kept) < last
    found = await LocalDoor(host).request(q.CountMatching(channel, "TRUE", last=last, most=1_000))
    assert [one.seq for one in reversed(found.matching)] == kept
    await host.close()


async def test_a_count_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    async with hosted(tmp_path) as (host, channel, source):
        await publish(host, channel, source, 1)
        with (
            mock.patch.object(workbench, "_PATIENCE", 0),
            pytest.raises(LimitExceeded, match="ask"),
        ):
            await LocalDoor(host).request(q.CountMatching(channel, "TRUE"))
        assert (await LocalDoor(host).request(q.CountMatching(channel, "TRUE"))).events == 1


async def test_an_explanation_has_as_many_parts_as_somebody_reads() -> None:
    async with hosted() as (host, _, _):
        text = " or ".join(["$price > 9"] * 700)
        asked = q.ExplainConstraint(text, happened("a", price=1))
        found = await LocalDoor(host).request(asked)
        assert (len(found.parts), found.more) == (MOST_PARTS, 1 + 2 * 700 - MOST_PARTS)
