"""The evening of auctions as `tidings demo` shows it, from the first offer to the accounts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import msgspec

from tidings.apps.auction_alert.accounts import Account, account_of, stock_of
from tidings.apps.auction_alert.evening import bidder_ledger, house_ledger
from tidings.apps.auction_alert.ledger import Acknowledged, offers_in, taken_in
from tidings.cli import render, why
from tidings.cli.auction_process import AuctionProcess, Happening, Job
from tidings.clock import SystemClock
from tidings.events.codecs.json_codec import event_from_plain
from tidings.events.fields import fields_of
from tidings.filters.explain import explain

__all__ = ["AuctionShow", "verdict"]

OFFERS_SHOWN = 6

_MOVING = ("bidder", "alerts", "marked as repeated")
_ACCOUNT = (
    *("bidder", "expected", "received", "lost", "twice", "unasked", "disordered"),
    *("repeated", "closed"),
)

Rows = Sequence[Sequence[str]]


class AuctionShow:
    """One evening on the screen.

    Args:
        folder: For the service's data and the ledgers.
        seed: Another seed, other offers.
        pause: Seconds between two offers of a house.
    """

    def __init__(self, folder: str, seed: int, pause: float) -> None:
        self._job = Job(folder, seed, SystemClock().now(), pause, life=1)
        self._scene = self._job.scene
        self._alerts: Counter[str] = Counter()
        self._again: Counter[str] = Counter()
        self._offers = 0
        self._offers_shown = 0
        self._accepted = 0
        self._started = 0.0
        self._draw: Callable[[Rows], None] | None = None
        self._telling: dict[str, Callable[[dict[str, Any]], None]] = {
            "advertised": self._advertised,
            "left": self._left,
            "restored": self._restored,
            "paused": self._paused,
            "resumed": self._resumed,
            "went on": self._went_on,
            "came back": self._came_back,
            "missed": self._missed,
            "finished": self._finished,
        }

    def play(self) -> bool:
        """Plays it; whether the accounts are right."""
        self._who()
        with AuctionProcess(self._job) as process:
            self._watch(process, self._scene.killed_after)
        _heading(f"kill -9 {process.pid}")
        self._killed()
        self._started = time.perf_counter()
        with AuctionProcess(msgspec.structs.replace(self._job, life=2)) as process:
            self._watch(process, None)
        return self._accounts()

    def _watch(self, process: AuctionProcess, killed_after: int | None) -> None:
        """Shows what happens until the process ends, or has been killed after so many offers."""
        self._offers_shown = 0
        with ExitStack() as moving:
            for happening in process.happenings():
                self._count(happening)
                if happening.word in self._telling:
                    moving.close()
                    self._draw = None
                    self._telling[happening.word](happening.about)
                elif self._draw is not None:
                    self._draw(self._counts())
                elif happening.word == "offered":
                    self._offered(happening.about, moving)
                if killed_after is not None and self._offers >= killed_after:
                    process.kill()
        self._draw = None

    def _count(self, happening: Happening) -> None:
        if happening.word == "offered":
            self._offers += 1
        elif happening.word == "alerted":
            self._alerts[happening.about["bidder"]] += 1
            self._again[happening.about["bidder"]] += happening.about["again"]

    def _counts(self) -> Rows:
        counted = [
            (one.name, f"{self._alerts[one.name]}", f"{self._again[one.name]}")
            for one in self._scene.bidders
        ]
        return [*counted, (f"{self._offers} of {self._scene.total} offers", "", "")]

    def _offered(self, about: dict[str, Any], moving: ExitStack) -> None:
        """An offer: the first opens the moving table on a terminal; elsewhere some have a line."""
        if render.on_terminal():
            self._draw = moving.enter_context(render.live_table(_MOVING, (1, 2)))
        elif self._offers_shown < OFFERS_SHOWN:
            self._offers_shown += 1
            render.say(f"  {about['seq']:>4}  {about['seller']}: {about['item']}, {about['price']}")
            if self._offers_shown == OFFERS_SHOWN:
                render.say("        and so on")

    # The story, word by word.

    def _who(self) -> None:
        render.say("Who looks for what", "bold")
        rows = []
        for bidder in self._scene.bidders:
            for at, asked in enumerate(bidder.wanted):
                name, habit = ("", "") if at else (bidder.name, bidder.habit.value)
                rows.append((name, asked.text or "(everything)", habit))
        render.table(("bidder", "constraint", "habit"), rows)

    def _advertised(self, about: dict[str, Any]) -> None:
        _heading("What is offered and wanted, by the channel's advertiser")
        rows = []
        for type_ in sorted({*about["offered"], *about["wanted"]}):
            offers = [name for name, types in about["offers"].items() if type_ in types]
            wants = [name for name, types in about["wants"].items() if type_ in types]
            rows.append((type_, ", ".join(offers), ", ".join(wants)))
        render.table(("event type", "offered by", "wanted by"), rows)
        _heading(f"{self._scene.total} offers from {len(self._scene.houses)} houses")

    def _left(self, about: dict[str, Any]) -> None:
        render.say(f"{about['bidder']} has subscribed and leaves.")

    def _killed(self) -> None:
        acknowledged = len(self._acknowledged())
        render.say(
            f"{acknowledged} of {self._scene.total} offers are in the houses' ledgers as "
            f"acknowledged; {self._alerts.total()} alerts were taken."
        )

    def _restored(self, about: dict[str, Any]) -> None:
        seconds = time.perf_counter() - self._started
        render.say(
            f"A new process has the folder {seconds:.2f} s later: {about['accepted']} offers "
            f"accepted, {about['waiting']} of them still wait for somebody."
        )

    def _paused(self, about: dict[str, Any]) -> None:
        render.say(
            f"The bidders resume by name; {self._again.total()} alerts come marked as repeated. "
            f"{about['bidder']} asks for a pause."
        )

    def _resumed(self, about: dict[str, Any]) -> None:
        render.say(
            f"The houses go on. Offers that were accepted, but the kill swallowed the answer: "
            f"{about['unheard']}; sent again under the same numbers."
        )

    def _went_on(self, about: dict[str, Any]) -> None:
        render.say(
            f"{about['bidder']} goes on; {about['waiting']} alerts have gathered, "
            "and come by their priority for this bidder."
        )

    def _came_back(self, about: dict[str, Any]) -> None:
        render.say(f"{about['bidder']} is back; {about['waiting']} alerts have waited.")

    def _missed(self, about: dict[str, Any]) -> None:
        (bidder,) = [one for one in self._scene.bidders if one.name == about["bidder"]]
        offer = event_from_plain(about["line"]["offer"])
        seq = about["line"]["id"][1]
        _heading(f"Why offer {seq} did not reach {bidder.name}")
        got = ", ".join(about["recipients"]) or "nobody"
        render.say(f"By a dry run it would go to: {got}. For {bidder.name}: {about['reason']}.")
        tree = explain(bidder.wanted[0], fields_of(offer))
        where = f"{offer.domain}::{offer.type}, {about['line']['offer']['data']['item']}"
        render.explanation(why.verdict(tree), False, where, why.branch_of(tree))

    def _finished(self, about: dict[str, Any]) -> None:
        self._accepted = about["accepted"]

    # The end.

    def _acknowledged(self) -> list[Acknowledged]:
        houses = self._scene.houses
        return offers_in(house_ledger(self._job.ledgers, house) for house in houses)

    def _accounts(self) -> bool:
        offers = self._acknowledged()
        accounts, stocks = [], []
        for bidder in self._scene.bidders:
            taken, back = taken_in(bidder_ledger(self._job.ledgers, bidder))
            accounts.append(account_of(bidder, offers, taken, back))
            stocks += [(bidder.name, runs) for runs in [stock_of(bidder, offers, taken)] if runs]
        _heading("The accounts: the houses' ledgers against the bidders'")
        render.table(_ACCOUNT, [_row(one) for one in accounts], range(1, len(_ACCOUNT)))
        render.say(
            "repeated: came again after the kill, and said so; "
            "closed: while the bidder was away, so not due."
        )
        for name, runs in stocks:
            came = ", ".join(f"{count} with priority {priority}" for priority, count in runs)
            render.say(f"What had gathered for {name} came in this order: {came}.")
        render.say()
        text, holds = verdict(accounts, len(offers), self._accepted, self._scene.total)
        render.say(text, "bold green" if holds else "bold red")
        return holds


def verdict(
    accounts: Sequence[Account], acknowledged: int, accepted: int, offers: int
) -> tuple[str, bool]:
    """The last sentence, and whether everything is as promised.

    Args:
        accounts: Everybody's.
        acknowledged: Offers in the houses' ledgers.
        accepted: Offers the channel has numbered.
        offers: Offers there were to make.
    """
    faults = [
        f"{one.bidder.name}: {len(found)} {word}"
        for one in accounts
        for word, found in (
            ("lost", one.lost),
            ("twice", one.twice),
            ("unasked", one.unasked),
            ("out of order", one.disordered),
        )
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
    faults = (one.lost, one.twice, one.unasked, one.disordered)
    return (
        one.bidder.name,
        str(one.expected),
        str(one.received),
        *(str(len(fault)) for fault in faults),
        str(one.again),
        str(one.closed),
    )


def _heading(text: str) -> None:
    render.say()
    render.say(text, "bold")
