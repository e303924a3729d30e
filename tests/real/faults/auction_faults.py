"""Faults that the accounts of `tidings demo` must find, each with how its last line names it."""

from __future__ import annotations

from typing import NamedTuple

from tests.mutants.fault import Fault
from tests.mutants.ledger import named

APP = "apps/auction_alert"


class AuctionFault(NamedTuple):
    """A fault, and a regular expression for what the last line says of it."""

    fault: Fault
    told: str


AUCTION_FAULTS = [
    AuctionFault(
        named("what waits does not survive the kill"),
        r"Otto: \d+ lost",
    ),
    AuctionFault(
        named("a stock comes in the order of its numbers"),
        r"Emil: \d+ out of order",
    ),
    AuctionFault(
        named("what a bidder asks for does not reach the service"),
        r"Ada: \d+ unasked",
    ),
    AuctionFault(
        named("a bidder writes an alert down again"),
        r"Ada: \d+ twice",
    ),
]
