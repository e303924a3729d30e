"""The end of the demo: compares the houses' ledgers with the bidders'."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tidings.apps.auction_alert.accounts import Account, account_of, stock_of
from tidings.apps.auction_alert.ledger import (
    Acknowledged,
    bidder_ledger,
    house_ledger,
    offers_in,
    taken_in,
)
from tidings.apps.auction_alert.scene import Scene
from tidings.cli import render

_ACCOUNT = (
    *("bidder", "expected", "received", "lost", "twice", "unasked", "disordered"),
    *("repeated", "closed"),
)


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
