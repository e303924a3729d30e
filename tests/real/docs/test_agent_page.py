"""The page on the subscriber agent tells the truth: its commands, its story, its program."""

from __future__ import annotations

import asyncio
import re
import textwrap
from typing import Any

from tests.edges.cli.running import tidings
from tests.real.docs.pages import blocks, code, page, tables
from tidings.apps.subscriber_agent.bank import STORY, Bank, set_up
from tidings.changes.model import ChangeKind
from tidings.changes.requests import SeeSubscribers
from tidings.client.client import Client
from tidings.client.transports.inproc import InProcess
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.server.cores import service_cores

PAGE = page("docs/agent.md")


def test_every_command_and_option_is_there() -> None:
    (block,) = [one for one in blocks(PAGE) if one.language == "sh"]
    for line in block.text.splitlines():
        command = line.partition("#")[0].split()
        told = tidings(*command[1:3], "--help").stdout
        assert f"tidings demo {command[2]}" in told
        assert all(option in told for option in re.findall(r"--[a-z-]+", line))


def test_the_story_has_these_steps() -> None:
    (table,) = [one for one in tables(PAGE) if one.headings[0] == "step"]
    for _, row in table.rows:
        assert code(row[1]) == code(row[2])
    assert [code(row[1]) for _, row in table.rows] == [kind.name for kind in STORY]


async def test_the_program_takes_notices() -> None:
    (block,) = [one for one in blocks(PAGE) if one.language == "python"]
    imports, _, body = block.text.partition(")\n\n")
    found: dict[str, Any] = {}
    lines = textwrap.indent(body, "    ")
    exec(f"{imports})\nasync def run(client):\n{lines}\n    return notices", found)
    host = await Host.open(cores=service_cores())
    async with Client(InProcess(LocalDoor(host))) as client:
        await set_up(client)
        running = asyncio.create_task(found["run"](client))
        while not await _is_connected(client):  # noqa: ASYNC110 -- it tells nobody
            await asyncio.sleep(0)
        await Bank(client).make(ChangeKind.INSTANTIATION_SERVICE)
        notices = await running
    await host.close()
    assert [one.kind for one in notices] == [ChangeKind.INSTANTIATION_SERVICE]


async def _is_connected(client: Client) -> bool:
    found = await client.transport.request(SeeSubscribers())
    return any(proxy.connected for one in found for proxy in one.proxies)
