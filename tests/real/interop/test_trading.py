"""A client of the trader in C++ on omniORB: all operations, and exceptions with their members."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.edges.server.serving import serving, sources
from tests.real.interop.notifying import plain_url
from tests.real.interop.omni import LOCAL
from tidings.trader.requests import SetTraderSettings

SAID = """\
incarnation 0 1
plotter cost/7/2 Printer
since 2 Plotter
! HasSubTypes Printer Plotter
! ValueTypeRedefinition New cost/3/2 Printer cost/7/2
! IllegalServiceType 1
Printer/1
Printer/2
Plotter/3
cost=1; cost=4 site=Wien; cost=9.5 site=Graz
cost=4 site=Wien; cost=1
cost=9.5 site=Graz | left 2 | cost=4 site=Wien | cost=1
cost=9.5 site=Graz limits return_card
cost=9.5 site=Graz; cost=4 site=Wien limits search_card
Printer cost=3 site=Graz same
! AlreadyMasked Printer
! UnknownServiceType Printer
cost=3 site=Graz
Printer/1
! UnknownMaxLeft
Printer/4 end
! OBJECT_NOT_EXIST
! PropertyTypeMismatch Printer cost=much
! MissingMandatoryProperty Printer cost
! DuplicatePropertyName cost
! InvalidObjectRef nil
! UnknownOfferId Printer/99
! IllegalOfferId x y
! MandatoryProperty Printer cost
! ReadonlyProperty Printer site
! NoMatchingOffers cost > 99
! UnknownTraderName nowhere
! IllegalConstraint cost =
! IllegalPreference best
! UnknownServiceType No
! PolicyTypeMismatch search_card=x
! DuplicatePolicyName hop_count
! InvalidLookupRef nil
! DefaultFollowTooPermissive 2 0
! NotImplemented
cost=0.5; cost=3 site=Graz
cost=3 site=Graz
link register
cost=7 limits request_id
"""


async def said(program: Path, *arguments: str) -> list[str]:
    """What the program says; its end must be good."""
    process = await asyncio.create_subprocess_exec(
        *(str(program), *arguments, *LOCAL),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, faults = await process.communicate()
    assert process.returncode == 0, (out.decode("latin-1"), faults.decode("latin-1"))
    return out.decode("latin-1").splitlines()


async def test_a_client_in_cpp_does_all_that_there_is(trading: Path) -> None:
    place = sources(None, store__memory=True, iiop__enabled=True, iiop__port=0)
    async with asyncio.timeout(100), serving(place) as (service, _):
        # One value never comes; the others have so long to come.
        await service.host.ask(SetTraderSettings(dynamic_seconds=3))
        begin = plain_url(service.corba_url, "TradingService")
        lines = await said(trading, "-", "-ORBInitRef", f"TradingService={begin}")
        assert lines == SAID.splitlines()
