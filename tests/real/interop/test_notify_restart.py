"""The service is killed and comes back: Persistent clients in C++ go on as if nothing had been."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
from collections.abc import Awaitable
from pathlib import Path

import pytest

from tests.real.e2e.served import Served
from tests.real.interop.notifying import Client, Scene, client

pytestmark = [pytest.mark.slow]

PERSISTENT = "EventReliability=short:1&ConnectionReliability=short:1&OrderPolicy=short:1"


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def started(folder: Path, port: int) -> Served:
    return Served(
        folder,
        *("--iiop", f"127.0.0.1:{port}"),
        env={"TIDINGS_RULES__POLL_INTERVAL": "50 ms", "TIDINGS_RULES__RETRY_FIRST": "100 ms"},
    ).ready()


def event(name: object) -> str:
    return f"Telecom|Alarm|{name}|Priority=short:4|n=long:1&s=S:1;2.5;green=x|Node:(1(2))"


async def obtained(s: Scene) -> None:
    """Clients of every kind that is called or calls, a filter, and a suspended consumer."""
    await s.done("create_filter", "f", "filters", "EXTENDED_TCL")
    await s.do("add_constraints", "f", "Telecom::*", "$n == 1")
    for form in ("any", "structured", "sequence"):
        await s.proxy(f"push-{form}", "consumers", "push", form)
        await s.proxy(f"pull-{form}", "consumers", "pull", form)
        await s.proxy(f"to-{form}", "suppliers", "push", form)
        await s.proxy(f"from-{form}", "suppliers", "pull", form)
    await s.id("add_filter", "push-structured", "f")
    await s.proxy("asleep", "consumers", "push", "structured")
    await s.done("suspend", "asleep")


def pushed(name: object) -> list[str]:
    """What the push consumers hear of an event."""
    return [
        f"push-any-client push event:{{{event(name)}}}",
        f"push-structured-client push_structured_event {event(name)}",
        f"push-sequence-client push_structured_events 1 {event(name)}",
    ]


async def quiet(made: Client) -> None:
    """Forgets what was heard of types: who connects when is told to who is there already."""
    await asyncio.sleep(0.3)
    made.heard.clear()


async def events_heard(made: Client, *wanted: str) -> None:
    """Waits for calls with events; what came twice counts once, as at-least-once allows."""

    def events(heard: list[str]) -> set[str]:
        return {line for line in heard if "_change " not in line}

    await made.until(lambda heard: events(heard) >= set(wanted))
    assert events(made.heard) == set(wanted)
    made.heard.clear()


async def test_killed_and_restarted_everything_goes_on(tmp_path: Path, notify: Path) -> None:
    port = free_port()

    async def run() -> None:
        served = await asyncio.to_thread(started, tmp_path / "service", port)
        try:
            async with client(notify) as made:
                s = Scene(made, f"corbaloc::127.0.0.1:{port}/NameService")
                await s.begin(PERSISTENT)
                await obtained(s)
                await quiet(made)
                await s.done("push", "to-structured", event("before"))
                await events_heard(made, *pushed("before"))
                served.end(signal.SIGKILL)
                assert (await s.one("push", "to-structured", event("no"))).startswith("! ")
                served = await asyncio.to_thread(started, tmp_path / "service", port)
                await check_after(s)
        finally:
            served.end(signal.SIGKILL)

    await bounded(run())


async def check_after(s: Scene) -> None:
    """All that was there is, under the references that the client has kept."""
    made = s.client
    for form in ("any", "structured", "sequence"):
        waiting = await s.one("pull", f"pull-{form}", "1")
        assert waiting.endswith(f"{event('before')}}}" if form == "any" else event("before"))
    assert await s.one("all_filters", "push-structured") == "1"
    assert await s.do("all_constraints", "f") == ["1 [Telecom::*] $n == 1"]
    assert PERSISTENT.split("&", maxsplit=1)[0] in await s.one("get_qos", "channel")
    await quiet(made)
    await s.done("push", "to-structured", event("after"))
    await events_heard(made, *pushed("after"))
    await s.done("push", "to-sequence", event("batch"))
    await events_heard(made, *pushed("batch"))
    await s.done("give", "from-structured-client", event("pulled"))
    await events_heard(made, *pushed("pulled"))
    assert await s.one("suspend", "asleep") == "! ConnectionAlreadyInactive"
    await s.done("resume", "asleep")
    names = ("before", "after", "batch", "pulled")
    await events_heard(made, *(f"asleep-client push_structured_event {event(n)}" for n in names))
    assert await s.one("connect", "push-any", "another") == "! AlreadyConnected"
    await s.done("disconnect", "push-any")
    await made.until(lambda heard: "push-any-client disconnect_push_consumer" in heard)


async def test_events_that_came_before_the_kill_leave_after_it(
    tmp_path: Path, notify: Path
) -> None:
    port = free_port()

    async def run() -> None:
        served = await asyncio.to_thread(started, tmp_path / "service", port)
        try:
            async with client(notify) as made:
                s = Scene(made, f"corbaloc::127.0.0.1:{port}/NameService")
                await s.begin(PERSISTENT)
                await s.proxy("c", "consumers", "push", "structured")
                await s.proxy("s", "suppliers", "push", "structured")
                await s.done("mode", "c-client", "failing")
                await s.done("push", "s", *(event(at) for at in range(5)))
                served.end(signal.SIGKILL)
                await s.done("mode", "c-client", "good")
                served = await asyncio.to_thread(started, tmp_path / "service", port)
                told = [f"c-client push_structured_event {event(at)}" for at in range(5)]
                await made.until(
                    lambda heard: [line for line in heard if "_change " not in line] == told
                )
        finally:
            served.end(signal.SIGKILL)

    await bounded(run())


async def test_references_in_files_outlive_restarts(tmp_path: Path, notify: Path) -> None:
    port, folder = free_port(), tmp_path / "service"
    names = ("factory", "filter_factory", "agent")
    env = {f"TIDINGS_IOR_FILE__{name.upper()}": str(tmp_path / name) for name in names}

    async def run() -> None:
        before: list[str] = []
        for _ in range(2):
            served = Served(folder, "--iiop", f"127.0.0.1:{port}", env=env)
            try:
                await asyncio.to_thread(served.ready)
                told = json.loads((folder / "port.json").read_text())
                assert told["corba"] == f"corbaloc:iiop:1.2@127.0.0.1:{port}/NameService"
                texts = [(tmp_path / name).read_text() for name in names]
                assert all(text.startswith("IOR:") and len(text) < 512 for text in texts)
                assert before in ([], texts)
                async with client(notify) as made:
                    await made.done("url", "f", (before or texts)[0].strip())
                    assert await made.one("show", "f", "channels") == "1"
                before = texts
            finally:
                served.end(signal.SIGKILL)

    await bounded(run())


async def bounded(work: Awaitable[None]) -> None:
    async with asyncio.timeout(100):
        await work
