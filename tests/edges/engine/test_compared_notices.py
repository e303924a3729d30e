"""A notice of a type change says in what the interfaces differ, if the service knows them."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.patience import PATIENCE
from tidings.changes import interfaces as n
from tidings.changes.requests import PublishNotices
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.server.cores import service_cores
from tidings.trader import requests as t

IDL = """
module Bank {
  interface Account { void deposit(in long sum); };
  interface Account_2 : Account { void transfer(in long sum); };
};
"""
REFERENCE = "corbaloc::192.0.2.9:2809/bank"


async def test_a_notice_of_a_type_change_has_the_differences_of_the_interfaces() -> None:
    host = await Host.open(cores=service_cores())
    found: asyncio.Future[PublishNotices] = host.loop.create_future()

    def note(told: PublishNotices) -> None:
        if not found.done() and "Bank_2" in str(told):
            found.set_result(told)

    host.on_effect(PublishNotices, note)
    await LocalDoor(host).request(n.LoadInterfaces("Bank.idl", IDL))
    await host.ask(t.AddServiceType("Bank", "IDL:Bank/Account:1.0"))
    await host.ask(t.AddServiceType("Bank_2", "IDL:Bank/Account_2:1.0"))
    offer = await host.ask(t.ExportOffer("Bank", REFERENCE))
    await host.ask(t.ReplaceOffer(offer, "Bank_2", REFERENCE))
    told = await asyncio.wait_for(found, PATIENCE)
    body: Any = told.events[0][1].body
    assert [(one["where"], one["rule"]) for one in body["differences"]] == [
        ("service type Bank", "type-name"),
        ("Bank::Account", "type-renamed"),
        ("Bank::Account", "interface-id-kept"),
        ("Bank::Account_2.transfer", "operation-added"),
    ]
    assert "void transfer(in long sum);" in body["after"]["type"]["interface_idl"]
    await host.close()
