"""What demos for a person share: they go on until somebody stops them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any

from tidings.apps.demo_service import DemoService
from tidings.apps.local_pages import listener
from tidings.terminal import render


async def until_stopped(work: Coroutine[Any, Any, object]) -> None:
    """Run until Ctrl-C, or a signal that asks for the end."""
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await together(work, stopped.wait())


async def together(*works: Coroutine[Any, Any, object]) -> None:
    """Run works until one of them ends or fails, which ends the others."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


def free_port(port: int) -> int:
    """Return a port if it is free, and 0, which stands for any, if it is taken."""
    with listener(port, otherwise_any=True) as probe:
        found: int = probe.getsockname()[1]
    return port if found == port else 0


def unusual(url: str, port: int) -> str:
    """Return a note for an address with another port than the usual one."""
    return "" if url.endswith(f":{port}") else f"  the usual port, {port}, is taken"


async def keep_running(service: DemoService) -> None:
    """Start a service again whenever it ends."""
    while True:
        await service.ended()
        render.say(f"The service (process {service.pid}) has ended; starting it again.")
        await service.start()
        render.say(f"It is there again, as process {service.pid}.")
