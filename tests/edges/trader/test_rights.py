"""Where grants decide: publishers export, subscribers query, managers do the rest."""

from __future__ import annotations

from typing import Any

from tidings.engine.access import OWNER, Caller
from tidings.engine.credentials import create_token
from tidings.engine.door import LocalDoor
from tidings.engine.host import Host
from tidings.errors import Forbidden, TidingsError
from tidings.grants import requests as g
from tidings.grants.model import Verb
from tidings.server.cores import service_cores
from tidings.trader import requests as r

REFERENCE = "corbaloc::192.0.2.9:2809/printer"
GRANTS: dict[str, tuple[Verb, ...]] = {
    "root": (Verb.ADMINISTER,),
    "maker": (Verb.PUBLISH,),
    "seeker": (Verb.SUBSCRIBE,),
    "keeper": (Verb.MANAGE,),
    "nobody": (),
}
ALLOWED: dict[str, tuple[str, ...]] = {
    "maker": ("export",),
    "seeker": ("query", "page", "settings"),
    "keeper": ("type", "set", "withdraw", "all", "link"),
    "nobody": (),
}


async def test_who_may_do_what() -> None:
    host = await Host.open(cores=service_cores())
    for name, verbs in GRANTS.items():
        await host.ask(g.CreatePrincipal(name))
        if verbs:
            channels = ("roads",) if verbs[0] in (Verb.PUBLISH, Verb.SUBSCRIBE) else ()
            await host.ask(g.CreateGrant(name, verbs, channels))
    await create_token(host, OWNER, g.CreateToken("root"))
    await host.ask(r.AddServiceType("Printer"))

    async def may(name: str, what: str) -> bool:
        offer = await host.ask(r.ExportOffer("Printer", REFERENCE))
        asked: dict[str, Any] = {
            "export": r.ExportOffer("Printer", REFERENCE),
            "query": r.QueryOffers("Printer"),
            "page": r.SeeOffers(),
            "settings": r.SeeTraderSettings(),
            "type": r.AddServiceType(f"Of::{name}"),
            "set": r.SetTraderSettings(max_list=9),
            "withdraw": r.WithdrawOffer(offer),
            "all": r.WithdrawMatchingOffers("Printer", "exist nothing"),
            "link": r.AddLink(name, REFERENCE),
        }
        door, request = LocalDoor(host, Caller(name)), asked[what]
        try:
            looks = what in ("query", "page", "settings")
            await (door.request(request) if looks else door.ask(request))
        except Forbidden:
            return False
        except TidingsError:
            return True
        return True

    every = sorted({what for allowed in ALLOWED.values() for what in allowed})
    for name, allowed in ALLOWED.items():
        assert [what for what in every if await may(name, what)] == sorted(allowed), name
    door = LocalDoor(host, Caller("maker"))
    own = await door.ask(r.ExportOffer("Printer", REFERENCE))
    await door.ask(r.ModifyOffer(own, (), {"cost": 1}))
    await door.ask(r.WithdrawOffer(own))
    await host.close(0.0)
