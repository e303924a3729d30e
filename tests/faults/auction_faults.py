"""Faults that the accounts of `tidings demo` must find, each with how its last line names it."""

from __future__ import annotations

from typing import NamedTuple

from tests.faults.fault import Fault

APP = "apps/auction_alert"


class AuctionFault(NamedTuple):
    """A fault, and a regular expression for what the last line says of it."""

    fault: Fault
    told: str


AUCTION_FAULTS = [
    AuctionFault(
        Fault(
            "what waits does not survive the kill",
            f"{APP}/desk.py",
            "create_channel(CHANNEL, persistent=True)",
            'create_channel(CHANNEL, qos={"EventReliability": 0})',
        ),
        r"Otto: \d+ lost",
    ),
    AuctionFault(
        Fault(
            "a stock comes in the order of its numbers",
            f"{APP}/scene.py",
            "_BY_PRIORITY if self.priorities else _FIFO",
            "_FIFO",
        ),
        r"Emil: \d+ out of order",
    ),
    AuctionFault(
        Fault(
            "what a bidder asks for does not reach the service",
            "client/proxies.py",
            "await self._attach(place, asked or ())\n            if",
            "await self._attach(place, (asked or ())[:0])\n            if",
        ),
        r"Ada: \d+ unasked",
    ),
    AuctionFault(
        Fault(
            "a bidder writes an alert down again",
            f"{APP}/bidders.py",
            "        self._heard(self.bidder, delivery)",
            '        self.ledger.write({"id": delivery.id, "again": False})\n'
            "        self._heard(self.bidder, delivery)",
        ),
        r"Ada: \d+ twice",
    ),
]
