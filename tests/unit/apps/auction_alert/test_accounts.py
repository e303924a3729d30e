from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.apps.auction_alert.accounts import Account, account_of, stock_of
from tidings.apps.auction_alert.ledger import Acknowledged, Taken
from tidings.apps.auction_alert.scene import BIDDERS, HOUSES, Bidder, Habit, Scene, closing, wants
from tidings.events.fields import fields_of

SCENE = Scene(1, 1_794_700_000_000_000)
OFFERS = [
    Acknowledged(number, ("origin", seq), offer)
    for seq, (number, offer) in enumerate(
        ((n, offer) for house in HOUSES for n, offer in enumerate(SCENE.offers(house), 1)), 1
    )
]
ADA = BIDDERS[0]
(EMIL,) = [one for one in BIDDERS if one.habit is Habit.BY_PRIORITY]
(OTTO,) = [one for one in BIDDERS if one.habit is Habit.AWAY]


def right(bidder: Bidder, *, stock: bool = False) -> list[Taken]:
    """What a service without faults would hand over."""
    wanted = [one for one in OFFERS if wants(bidder, one.offer)]
    if stock:
        wanted.sort(key=lambda one: -bidder.priority(fields_of(one.offer)))
    return [Taken(one.id, False, stock) for one in wanted]


def faults(account: Account) -> list[int]:
    return [
        *(len(account.lost), len(account.twice)),
        *(len(account.unasked), len(account.disordered)),
    ]


@pytest.mark.parametrize("bidder", BIDDERS, ids=lambda bidder: bidder.name)
def test_a_right_account_holds(bidder: Bidder) -> None:
    account = account_of(bidder, OFFERS, right(bidder))
    assert account.holds
    assert account.expected == account.received == len(right(bidder)) > 0
    assert (account.again, account.closed) == (0, 0)


@pytest.mark.parametrize("bidder", BIDDERS, ids=lambda bidder: bidder.name)
@given(data=st.data())
def test_a_loss_is_found(bidder: Bidder, data: st.DataObject) -> None:
    taken = right(bidder)
    gone = taken.pop(data.draw(st.integers(0, len(taken) - 1)))
    account = account_of(bidder, OFFERS, taken)
    assert not account.holds
    assert account.lost == (gone.id,)
    assert faults(account) == [1, 0, 0, 0]


@given(data=st.data())
def test_a_second_delivery_is_found_unless_it_says_so(data: st.DataObject) -> None:
    taken = right(ADA)
    at = data.draw(st.integers(0, len(taken) - 1))
    later = data.draw(st.integers(at + 1, len(taken)))
    unmarked = [*taken[:later], taken[at], *taken[later:]]
    account = account_of(ADA, OFFERS, unmarked)
    assert (account.holds, account.twice) == (False, (taken[at].id,))
    assert faults(account) == [0, 1, 0, 0]
    marked = [*taken[:later], taken[at]._replace(again=True), *taken[later:]]
    account = account_of(ADA, OFFERS, marked)
    assert (account.holds, account.again) == (True, 1)
    assert account.received == account.expected


@given(data=st.data())
def test_an_alert_out_of_order_is_found(data: st.DataObject) -> None:
    taken = right(ADA)
    at = data.draw(st.integers(0, len(taken) - 2))
    later = data.draw(st.integers(at + 1, len(taken) - 1))
    moved = taken.pop(at)
    taken.insert(later, moved)
    account = account_of(ADA, OFFERS, taken)
    assert not account.holds
    assert account.disordered == (moved.id,)
    assert faults(account) == [0, 0, 0, 1]


def test_an_alert_nobody_asked_for_is_found() -> None:
    stranger = next(one for one in OFFERS if not wants(ADA, one.offer))
    unknown = ("origin", len(OFFERS) + 1)  # no house was told of it
    taken = [*right(ADA), Taken(unknown, False)]
    assert account_of(ADA, OFFERS, taken).unasked == (unknown,)
    account = account_of(ADA, OFFERS, [*taken[:-1], Taken(stranger.id, True)])
    assert (account.holds, account.unasked) == (False, (stranger.id,))


def test_the_number_of_another_channel_is_another_event() -> None:
    taken = right(ADA)
    taken[0] = taken[0]._replace(id=("elsewhere", taken[0].id[1]))
    assert faults(account_of(ADA, OFFERS, taken)) == [1, 0, 1, 0]


def test_priorities_may_overtake_while_alerts_flow_but_equals_keep_their_order() -> None:
    flowing = [one._replace(stock=False) for one in right(EMIL, stock=True)]
    assert account_of(EMIL, OFFERS, flowing).holds
    flowing[0], flowing[1] = flowing[1], flowing[0]
    assert account_of(EMIL, OFFERS, flowing).disordered == (flowing[1].id,)


def test_a_stock_comes_by_priority() -> None:
    assert account_of(EMIL, OFFERS, right(EMIL, stock=True)).holds
    by_number = [one._replace(stock=True) for one in right(EMIL)]
    assert account_of(EMIL, OFFERS, by_number).disordered


def test_a_stock_is_told_by_its_priorities() -> None:
    runs = stock_of(EMIL, OFFERS, [*right(EMIL)[:3], *right(EMIL, stock=True)])
    assert [priority for priority, _ in runs] == [9, 5, 3, 0]
    assert sum(count for _, count in runs) == len(right(EMIL))
    assert stock_of(EMIL, OFFERS, right(EMIL)) == []


def test_what_closed_while_somebody_was_away_is_not_due() -> None:
    back = SCENE.last_call_closed
    late = {one.id for one in OFFERS if closing(one.offer) <= back}
    taken = [one for one in right(OTTO) if one.id not in late]
    account = account_of(OTTO, OFFERS, taken, back)
    assert account.holds
    assert account.closed == len(late) > 0
    assert account_of(OTTO, OFFERS, taken).lost == tuple(sorted(late))
    assert account_of(OTTO, OFFERS, right(OTTO), back).unasked == tuple(sorted(late))


def test_every_fault_alone_is_enough() -> None:
    good = account_of(ADA, OFFERS, right(ADA))
    for fault in ("lost", "twice", "unasked", "disordered"):
        assert not replace(good, **{fault: (("origin", 1),)}).holds  # type: ignore[arg-type]
