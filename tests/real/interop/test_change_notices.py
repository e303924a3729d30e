"""Subscribers in C++ are told of changes: called back, by XML, and after everybody was killed."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from tests.real.e2e.served import Served
from tests.real.interop.notifying import Client, client
from tests.real.interop.test_notify_restart import free_port
from tidings.changes.model import ChangeKind
from tidings.changes.xml import read_notice
from tidings.cos.CosTrading_auto import Lookup, Property, Register
from tidings.cos.CosTradingRepos_auto import ServiceTypeRepository, ServiceTypeRepository_ListOption
from tidings.events.anyvalue import UnionValue
from tidings.orb.aio import Orb

pytestmark = [pytest.mark.slow]

EVERY: Final = UnionValue(ServiceTypeRepository_ListOption.all, None)


class Provider:
    """Who exports and withdraws banks, on our ORB."""

    def __init__(self, orb: Orb, register: Register) -> None:
        self._orb = orb
        self._register = register

    async def export(self, name: str) -> str:
        bank = self._orb.reference(b"bank", "IDL:Bank:1.0")
        return await self._register.export(bank, "Bank", (Property("Name", name),))

    async def withdraw(self, offer: str) -> None:
        await self._register.withdraw(offer)


@asynccontextmanager
async def provider(port: int) -> AsyncIterator[Provider]:
    async with Orb() as orb:
        await orb.listen()
        lookup = orb.stub(Lookup, f"corbaloc::127.0.0.1:{port}/TradingService")
        types = orb.stub(ServiceTypeRepository, await lookup.get_type_repos())
        if "Bank" not in await types.list_types(EVERY):
            await types.add_type("Bank", "IDL:Bank:1.0", (), ())
        yield Provider(orb, orb.stub(Register, await lookup.get_register_if()))


async def begin(made: Client, port: int) -> None:
    """Find the managers."""
    await made.done("url", "component", f"corbaloc::127.0.0.1:{port}/SCNComponent")
    await made.done("managers", "component")


async def documents(made: Client) -> list[tuple[str, ChangeKind]]:
    """What the XML proxy has, one by one, until there is nothing."""
    found = []
    while (lines := await made.do("pull", "xml")) != ["none"]:
        notice = read_notice("\n".join(line[2:] for line in lines))
        found.append((notice.id, notice.kind))
    return found


async def test_structured_push_and_xml_pull_outlive_everybody(
    tmp_path: Path, notices: Path
) -> None:
    port = free_port()
    options = "--iiop", f"127.0.0.1:{port}"
    served = await asyncio.to_thread(Served(tmp_path, *options).ready)
    try:
        async with client(notices) as made:
            await begin(made, port)
            assert await made.one("register", "me", "Wanchai", "pw") == "Wanchai"
            assert await made.one("create", "push", "me", "0") == "PS01"
            assert await made.one("create", "xml", "me", "5") == "PS02"
            assert await made.one("create", "xml", "me", "5") == "! AlreadyHaveTheType"
            assert await made.one("filter", "push", "Bank", "'CU' ~ $Name") == "F1"
            assert await made.one("filter", "push", "Bank", "$Name >") == "! IllegalConstraint"
            await made.done("connect", "push", "callback")
            assert await made.one("pull", "xml") == "! Disconnected"
            await made.done("connect", "xml", "nil")
            async with provider(port) as bank:
                first = await bank.export("CU-Bank")
                await bank.export("CP-Bank")
                created = "callback EV1 3 1 5 Bank(Name=CU-Bank) - +"
                await made.hears(created)
            served.end(signal.SIGKILL)
            assert (await made.one("pull", "xml")).startswith("! ")
            served = await asyncio.to_thread(Served(tmp_path, *options).ready)
            async with provider(port) as bank:
                await bank.withdraw(first)
                removed = "callback EV3 2 1 5 Bank(Name=CU-Bank) - +"
                await made.until(lambda heard: removed in heard)
                assert set(made.heard) <= {created, removed}  # the first one perhaps twice
            new = ChangeKind.INSTANTIATION_SERVICE
            gone = ("EV3", ChangeKind.REMOVAL_SERVICE)
            assert await documents(made) == [("EV1", new), ("EV2", new), gone]
        async with provider(port) as bank:
            await bank.export("CU-2")
        async with client(notices) as made:  # the subscriber is another process now
            await begin(made, port)
            assert await made.one("admin", "me", "Wanchai", "no") == "! InvalidPassword"
            await made.done("admin", "me", "Wanchai", "pw")
            await made.done("find", "push", "me", "PS01")
            await made.done("disconnect", "push")
            await made.done("connect", "push", "callback")
            await made.hears("callback EV4 3 1 5 Bank(Name=CU-2) - +")
    finally:
        served.end(signal.SIGKILL)
