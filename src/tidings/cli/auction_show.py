"""The evening of auctions as `tidings demo` shows it, from the first offer to the accounts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import msgspec

from tidings.apps.auction_alert.accounts import Account, account_of
from tidings.apps.auction_alert.evening import bidder_ledger, house_ledger
from tidings.apps.auction_alert.ledger import Acknowledged, offers_in, taken_in
from tidings.cli import render, why
from tidings.cli.auction_process import AuctionProcess, Happening, Job
from tidings.clock import SystemClock
from tidings.events.codecs.json_codec import event_from_plain
from tidings.events.fields import fields_of
from tidings.filters.explain import explain

__all__ = ["AuctionShow", "accounts_table"]

OFFERS_SHOWN = 6

_MOVING = ("bidder", "alerts", "marked as repeated")
_FLOWING = ("offered", "alerted")


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
        self._accepted = 0

    def play(self) -> bool:
        """Plays it; whether the accounts are right."""
        self._who()
        with AuctionProcess(self._job) as process:
            self._first_life(process)
        started = time.perf_counter()
        with AuctionProcess(msgspec.structs.replace(self._job, life=2)) as process:
            self._second_life(process, started)
        return self._accounts()

    def _who(self) -> None:
        render.say("Who looks for what", "bold")
        rows = []
        for bidder in self._scene.bidders:
            for at, asked in enumerate(bidder.wanted):
                types = ", ".join(one.type for one in asked.event_types)
                named = ("", "") if at else (bidder.name, bidder.habit.value)
                rows.append((named[0], types, asked.text or "(everything)", named[1]))
        render.table(("bidder", "of", "constraint", "habit"), rows)

    # The two lives.

    def _first_life(self, process: AuctionProcess) -> None:
        happenings = process.happenings()
        _until(happenings, "advertised", self._advertised)
        _heading(f"{len(self._scene.houses)} houses make offers; process {process.pid} serves")
        _until(happenings, "left", _left)
        self._flow(happenings, process)
        acknowledged = len(self._acknowledged())
        _heading(f"kill -9 {process.pid}")
        render.say(
            f"Acknowledged until then: {acknowledged} of {self._scene.total} offers, "
            f"by the houses' own ledgers. Alerts taken: {self._alerts.total()}."
        )

    def _second_life(self, process: AuctionProcess, started: float) -> None:
        happenings = process.happenings()
        about = _until(happenings, "restored")
        seconds = time.perf_counter() - started
        render.say(
            f"Process {process.pid} has the same folder {seconds:.2f} s later: "
            f"{about['accepted']} offers accepted, {about['waiting']} still wait for somebody."
        )
        unheard = self._until_counting(happenings, "resumed")["unheard"]
        render.say(
            f"Accepted without the answer arriving: {unheard}; sent again with the same numbers."
        )
        render.say(f"Marked as repeated since the start: {self._again.total()} alerts.")
        last = self._flow(happenings, None)
        shown = {"went on": _went_on, "came back": _came_back, "missed": self._missed}
        while last is not None:
            if last.word in shown:
                shown[last.word](last.about)
            elif last.word == "finished":
                self._accepted = last.about["accepted"]
            self._count(last)
            last = next(happenings, None)

    def _flow(
        self, happenings: Iterator[Happening], killed: AuctionProcess | None
    ) -> Happening | None:
        """Shows offers and alerts flowing; kills the process in time. What comes after them."""
        watched = render.on_terminal()
        shown = 0
        with render.live_table(_MOVING, (1, 2)) if watched else nullcontext() as show:
            for happening in happenings:
                if happening.word not in _FLOWING:
                    return happening
                self._count(happening)
                if show is not None:
                    show(self._moving())
                elif happening.word == "offered" and shown < OFFERS_SHOWN:
                    shown += 1
                    render.say(_offer_line(happening.about))
                if killed is not None and self._offers == self._scene.killed_after:
                    killed.kill()
        return None

    def _until_counting(self, happenings: Iterator[Happening], word: str) -> dict[str, Any]:
        for happening in happenings:
            self._count(happening)
            if happening.word == word:
                return happening.about
        return {}

    def _count(self, happening: Happening) -> None:
        if happening.word == "offered":
            self._offers += 1
        elif happening.word == "alerted":
            self._alerts[happening.about["bidder"]] += 1
            self._again[happening.about["bidder"]] += happening.about["again"]

    def _moving(self) -> list[tuple[str, str, str]]:
        counted = [
            (one.name, f"{self._alerts[one.name]}", f"{self._again[one.name]}")
            for one in self._scene.bidders
        ]
        return [*counted, (f"{self._offers} of {self._scene.total} offers", "", "")]
