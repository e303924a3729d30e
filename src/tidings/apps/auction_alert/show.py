"""The auction demo on the screen, from the first offer to the comparison of ledgers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tidings.apps.auction_alert.accounts import (
    Account,
    Acknowledged,
    account_of,
    bidder_ledger,
    house_ledger,
    offers_in,
    stock_of,
    taken_in,
)
from tidings.apps.auction_alert.desk import Desk, Standing, near_miss
from tidings.apps.auction_alert.process import BIDDERS, HOUSES, AuctionProcess, Job
from tidings.apps.auction_alert.scene import Scene
from tidings.apps.child_process import Happening, unless_one_ends
from tidings.apps.demo_service import DemoService
from tidings.client.connecting import connect
from tidings.clock import SystemClock
from tidings.errors import TidingsError
from tidings.events.fields import fields_of
from tidings.filters import reasons
from tidings.filters.explain import explain
from tidings.terminal import render, why

# A longer run is stuck.
MOST_SECONDS = 120.0
OFFERS_SHOWN = 6
_LOOK_EVERY_SECONDS = 0.1

# Microseconds; the service has its own clock, so offers that close right now are not compared.
_GRACE = 50_000

# The processes that lose the service when it is killed: houses and bidders.
_PROCESSES = 2

_BOARD = ("bidder", "alerts", "wait at the service", "on their way")
_ACCOUNT = (
    *("bidder", "expected", "received", "lost", "twice", "unasked", "disordered"),
    *("repeated", "closed"),
)


class AuctionShow:
    """One run of the demo; `pause` is the seconds between two offers of a house."""

    def __init__(self, folder: str, seed: int, pause: float) -> None:
        self._folder = Path(folder)
        self._ledgers = self._folder / "ledgers"
        self._pause = pause
        self._clock = SystemClock()
        self._scene = Scene(seed, self._clock.now())
        self._board = AuctionBoard(self._scene)
        self.archive = self._folder / "archive"
        self._service = DemoService(
            self._folder,
            {"TIDINGS_ARCHIVE__DIR": str(self.archive), "TIDINGS_ARCHIVE__SEAL_AFTER": "1s"},
        )
        self._houses = AuctionProcess(HOUSES, self._folder, self._heard)
        self._bidders = AuctionProcess(BIDDERS, self._folder, self._heard)
        self._house_proxies: dict[str, int] = {}
        self._interrupted: dict[str, Any] = {}
        self._cut = 0
        self._due, self._all_cut, self._all_back = (asyncio.Event() for _ in range(3))
        self._telling: dict[str, Callable[[dict[str, Any]], None]] = {
            "offered": self._offered,
            "alerted": self._board.alerted,
            "connected": lambda about: self._house_proxies.update(about["proxies"]),
            "cut": self._was_cut,
            "back": self._is_back,
            "left": lambda about: render.say(f"{about['bidder']} has subscribed and leaves."),
            "paused": lambda about: render.say(f"{about['bidder']} asks for a pause."),
            "went on": lambda about: render.say(
                f"{about['bidder']} goes on; {about['waiting']} alerts have gathered, "
                "and come by their priority for this bidder."
            ),
            "came back": lambda about: render.say(
                f"{about['bidder']} is back; {about['waiting']} alerts have waited."
            ),
        }

    def play(self) -> bool:
        """Run the demo; return whether the ledgers agree. Raises TidingsError on a timeout."""
        return asyncio.run(self._bounded())

    async def _bounded(self) -> bool:
        try:
            async with asyncio.timeout(MOST_SECONDS):
                return await self._play()
        except TimeoutError as error:
            raise TidingsError(f"the evening has not ended within {MOST_SECONDS:.0f} s") from error

    async def _play(self) -> bool:
        self._who()
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._service)
            for process in (self._houses, self._bidders):
                await stack.enter_async_context(process)
            parts = (self._houses, self._bidders)
            accepted = await unless_one_ends(self._story(), parts)
            await self._service.stop()
        render.heading("The accounts: the houses' ledgers against the bidders'")
        return show_accounts(self._scene, self._ledgers, accepted)

    async def _story(self) -> int:
        """Run all steps; return how many offers the service has accepted."""
        await self._service.start()
        async with await connect(self._service.url) as client:
            desk = await Desk.opened(client)
            await self._gather(desk)
            await self._first_half(desk)
            await self._second_half(desk)
            await self._explain(desk)
            return await self._counts(desk)

    def _heard(self, happening: Happening) -> None:
        self._telling[happening.word](happening.about)

    def _offered(self, about: dict[str, Any]) -> None:
        self._board.offered(about)
        if self._board.offers >= self._scene.killed_after:
            self._due.set()

    def _was_cut(self, about: dict[str, Any]) -> None:
        self._interrupted.update(about)
        self._cut += 1
        if self._cut == _PROCESSES:
            self._all_cut.set()

    def _is_back(self, about: dict[str, Any]) -> None:
        self._cut -= 1
        if not self._cut:
            self._all_back.set()

    def _who(self) -> None:
        render.say("Who looks for what", "bold")
        rows = []
        for bidder in self._scene.bidders:
            for at, asked in enumerate(bidder.wanted):
                name, habit = ("", "") if at else (bidder.name, bidder.habit.value)
                rows.append((name, asked.text or "(everything)", habit))
        render.table(("bidder", "constraint", "habit"), rows)

    async def _gather(self, desk: Desk) -> None:
        """Connect everybody; the channel's advertiser then knows all offers and subscriptions."""
        self._scene = replace(self._scene, begins=self._clock.now())
        await asyncio.gather(
            *(one.order(self._job(one.part)) for one in (self._houses, self._bidders))
        )
        render.heading("Who is where")
        scene = self._scene
        rows = [
            ("tidings serve", str(self._service.pid), f"at {self._service.url}"),
            (HOUSES, str(self._houses.pid), ", ".join(one.name for one in scene.houses)),
            (BIDDERS, str(self._bidders.pid), ", ".join(one.name for one in scene.bidders)),
        ]
        render.table(("program", "process", ""), rows)
        render.heading("What is offered and wanted, by the channel's advertiser")
        found = await desk.advertised(self._house_proxies)
        names = [(type_, ", ".join(offered), ", ".join(wanted)) for type_, offered, wanted in found]
        render.table(("event type", "offered by", "wanted by"), names)

    def _job(self, part: str) -> Job:
        scene, ledgers = self._scene, str(self._ledgers)
        return Job(self._service.url, ledgers, scene.seed, scene.begins, self._pause, part)

    async def _first_half(self, desk: Desk) -> None:
        """Publish offers, kill and restart the service, and publish again."""
        render.heading(f"{self._scene.total} offers from {len(self._scene.houses)} houses")
        await self._bidders.order("leave")
        offering = asyncio.create_task(self._houses.order("begin"))
        async with self._board.moving(desk):
            await self._due.wait()
            killed = self._service.pid
            await self._service.kill()
        died = self._clock.now()
        render.heading(f"kill -9 {killed}")
        await self._all_cut.wait()
        render.say(
            f"{self._interrupted['acknowledged']} of {self._scene.total} offers are acknowledged; "
            f"{self._board.alerts.total()} alerts were taken. Houses and bidders are cut off, and "
            "wait."
        )
        await self._start_again(desk, died)
        async with self._board.moving(desk):
            await offering

    async def _start_again(self, desk: Desk, died: int) -> None:
        await self._service.start()
        ready = self._clock.now() - died
        totals = await desk.totals()
        kept = await desk.accepted_until(died)
        render.say(
            f"tidings serve is there again {ready / 1_000_000:.2f} s later, same port, same data: "
            f"{len(kept)} offers had been accepted, {totals.waiting} now wait for somebody."
        )
        await self._all_back.wait()
        back = self._clock.now() - died
        unanswered = {(house, number) for house, number in self._interrupted["unanswered"]}
        render.say(
            f"Houses and bidders are back by themselves after {back / 1_000_000:.2f} s. Offers "
            f"sent again under the same numbers, for want of an answer: {len(unanswered)}; of "
            f"these accepted already, and not a second time: {len(unanswered & kept)}."
        )

    async def _second_half(self, desk: Desk) -> None:
        """Let one bidder batch alerts and another return late; all receive their events."""
        await self._bidders.order("pause")
        async with self._board.moving(desk):
            await self._houses.order("finish")
        await self._bidders.order("go on")
        missing = self._scene.last_call_closed + _GRACE - self._clock.now()
        await asyncio.sleep(max(0, missing) / 1_000_000)
        await self._bidders.order("return")
        await self._bidders.order("drain")

    async def _explain(self, desk: Desk) -> None:
        bidder = self._scene.bidders[0]
        missed = near_miss(bidder, acknowledged(self._scene, self._ledgers))
        if missed is None:
            return
        recipients, reason = await desk.verdict(bidder, missed)
        render.heading(f"Why offer {missed.id[1]} did not reach {bidder.name}")
        got = ", ".join(recipients) or "nobody"
        render.say(f"By a dry run it would go to: {got}. For {bidder.name}: {reason}.")
        tree = explain(bidder.wanted[0], fields_of(missed.offer))
        where = f"{missed.offer.domain}::{missed.offer.type}, {missed.offer.data['item']!s}"
        render.explanation(reasons.verdict(tree), False, where, why.tree_of(tree))

    async def _counts(self, desk: Desk) -> int:
        """Show the service's counts; return the number of accepted offers."""
        render.heading("The service's own counts, since it was started again")
        standings = await desk.standings()
        rows = [(one.name, *map(str, standings[one.name])) for one in self._scene.bidders]
        render.table(("bidder", "waiting", "in flight", "delivered", "expired"), rows, range(1, 5))
        accepted = (await desk.totals()).accepted
        render.say(f"{accepted} offers accepted, {await desk.dead_letters()} dead letters.")
        return accepted


class AuctionBoard:
    """Counts of acknowledged offers and received alerts, live on a terminal."""

    def __init__(self, scene: Scene) -> None:
        self.offers = 0
        self.alerts: Counter[str] = Counter()
        self._scene = scene
        self._shown = 0
        self._draw: Callable[[Sequence[Sequence[str]]], None] | None = None
        self._standings: Mapping[str, Standing] = {}

    def offered(self, about: Mapping[str, Any]) -> None:
        """Count an acknowledged offer."""
        self.offers += 1
        if self._draw is not None:
            self._draw(self._rows())
        elif not render.on_terminal() and self._shown < OFFERS_SHOWN:
            self._shown += 1
            render.say(f"  {about['seq']:>4}  {about['seller']}: {about['item']}, {about['price']}")
            if self._shown == OFFERS_SHOWN:
                render.say("        and so on")

    def alerted(self, about: Mapping[str, Any]) -> None:
        """Count a received alert; the next redraw shows it."""
        self.alerts[about["bidder"]] += 1

    @asynccontextmanager
    async def moving(self, desk: Desk) -> AsyncIterator[None]:
        """Show a live table on a terminal; elsewhere print the first offers as lines."""
        if not render.on_terminal():
            yield
            return
        with render.live_table(_BOARD, (1, 2, 3)) as draw:
            self._draw = draw
            watching = asyncio.create_task(self._watch(desk))
            try:
                yield
            finally:
                self._draw = None
                watching.cancel()
                await asyncio.wait((watching,))
        if not watching.cancelled():
            watching.result()

    async def _watch(self, desk: Desk) -> None:
        while True:
            self._standings = await desk.standings()
            if self._draw is not None:
                self._draw(self._rows())
            await asyncio.sleep(_LOOK_EVERY_SECONDS)

    def _rows(self) -> Sequence[Sequence[str]]:
        rows = []
        for bidder in self._scene.bidders:
            row = [bidder.name, str(self.alerts[bidder.name])]
            stands = self._standings.get(bidder.name)
            rows.append([*row, *(("", "") if stands is None else map(str, stands[:2]))])
        return [*rows, (f"{self.offers} of {self._scene.total} offers", "", "", "")]


def acknowledged(scene: Scene, ledgers: Path) -> list[Acknowledged]:
    """Return all offers in the houses' ledgers, in the order the service accepted them."""
    return offers_in(house_ledger(ledgers, house) for house in scene.houses)


def show_accounts(scene: Scene, ledgers: Path, accepted: int) -> bool:
    """Show the compared ledgers; return whether they agree with the `accepted` offers."""
    offers = acknowledged(scene, ledgers)
    accounts, stocks = [], []
    for bidder in scene.bidders:
        taken, back = taken_in(bidder_ledger(ledgers, bidder))
        accounts.append(account_of(bidder, offers, taken, back))
        stocks += [(bidder.name, runs) for runs in [stock_of(bidder, offers, taken)] if runs]
    render.table(_ACCOUNT, [_row(one) for one in accounts], range(1, len(_ACCOUNT)))
    render.say(
        "repeated: came again after the kill, and said so; "
        "closed: while the bidder was away, so not due."
    )
    for name, runs in stocks:
        came = ", ".join(f"{count} with priority {priority}" for priority, count in runs)
        render.say(f"What had gathered for {name} came in this order: {came}.")
    render.say()
    text, holds = verdict(accounts, len(offers), accepted, scene.total)
    render.say(text, "bold green" if holds else "bold red")
    return holds


def verdict(
    accounts: Sequence[Account], acknowledged: int, accepted: int, offers: int
) -> tuple[str, bool]:
    """Return the final sentence, and whether all counts of offers agree."""
    faults = [
        f"{one.bidder.name}: {len(found)} {word}"
        for one in accounts
        for word, found in one.faults.items()
        if found
    ]
    if not acknowledged == accepted == offers:
        faults.append(f"{offers} offers, {accepted} accepted, {acknowledged} acknowledged")
    if faults:
        return f"DOES NOT HOLD: {'; '.join(faults)}.", False
    alerts = sum(one.received for one in accounts)
    sentence = (
        f"{offers} offers, each accepted once; {alerts} alerts to {len(accounts)} bidders: "
        "nothing lost, nothing twice, order kept."
    )
    return sentence, True


def _row(one: Account) -> tuple[str, ...]:
    faults = (str(len(found)) for found in one.faults.values())
    return (
        one.bidder.name,
        str(one.expected),
        str(one.received),
        *faults,
        str(one.again),
        str(one.closed),
    )
