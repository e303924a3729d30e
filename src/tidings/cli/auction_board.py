"""The demo's board: live counts of offers and alerts, beside the service's backlog."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tidings.apps.auction_alert.desk import Desk, Standing
from tidings.apps.auction_alert.scene import Scene
from tidings.cli import render

OFFERS_SHOWN = 6

_LOOK_EVERY_SECONDS = 0.1
_HEADINGS = ("bidder", "alerts", "wait at the service", "on their way")


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
        with render.live_table(_HEADINGS, (1, 2, 3)) as draw:
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
