"""Who wants what in a scene, what ledgers keep, and what accounts find in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.apps.auction_alert.accounts import (
    Account,
    Acknowledged,
    Ledger,
    Taken,
    account_of,
    acknowledged_in,
    taken_in,
)
from tidings.apps.auction_alert.scene import BIDDERS, HOUSES, Bidder, Habit, Scene, closing, wants

BEGINS = 1_794_700_000_000_000
OFFERS = [
    Acknowledged(number, ("origin", seq), offer)
    for seq, (number, offer) in enumerate(
        ((n, one) for house in HOUSES for n, one in enumerate(Scene(1, BEGINS).offers(house), 1)), 1
    )
]
ADA = BIDDERS[0]


def right(bidder: Bidder) -> list[Taken]:
    """What a service without faults would hand over."""
    return [Taken(one.id, False, False) for one in OFFERS if wants(bidder, one.offer)]


def faults(account: Account) -> list[int]:
    found = account.lost, account.twice, account.unasked, account.disordered
    return list(map(len, found))


@pytest.mark.parametrize("bidder", BIDDERS, ids=lambda bidder: bidder.name)
@given(data=st.data())
def test_a_loss_is_found(bidder: Bidder, data: st.DataObject) -> None:
    taken = right(bidder)
    gone = taken.pop(data.draw(st.integers(0, len(taken) - 1)))
    account = account_of(bidder, OFFERS, taken)
    assert (account.holds, account.lost) == (False, (gone.id,))
    assert faults(account) == [1, 0, 0, 0]


@given(data=st.data())
def test_a_second_delivery_is_found_unless_it_says_so(data: st.DataObject) -> None:
    taken = right(ADA)
    at = data.draw(st.integers(0, len(taken) - 1))
    later = data.draw(st.integers(at + 1, len(taken)))
    account = account_of(ADA, OFFERS, [*taken[:later], taken[at], *taken[later:]])
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
    assert (account.holds, account.disordered) == (False, (moved.id,))
    assert faults(account) == [0, 0, 0, 1]


def test_the_number_of_another_channel_is_another_event() -> None:
    taken = right(ADA)
    taken[0] = taken[0]._replace(id=("elsewhere", taken[0].id[1]))
    assert faults(account_of(ADA, OFFERS, taken)) == [1, 0, 1, 0]


@pytest.mark.parametrize("torn", [b"", b"{", b'{"id":["o",2],"again":fal'])
def test_a_torn_line_is_dropped_and_writing_goes_on(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "a"
    assert acknowledged_in(path) == []  # it was never begun
    assert taken_in(path) == ([], None)
    path.write_bytes(b'{"id":["o",1],"again":false}\n' + torn)
    assert [one.id for one in taken_in(path)[0]] == [("o", 1)]
    ledger = Ledger(path)
    ledger.write({"id": ("o", 3), "again": False})
    ledger.close()
    assert [one.id for one in taken_in(path)[0]] == [("o", 1), ("o", 3)]


@pytest.mark.parametrize("seed", range(5))
def test_only_who_is_away_wants_what_closes_soon(seed: int) -> None:
    made = Scene(seed, BEGINS)
    offers = [one for house in HOUSES for one in made.offers(house)]
    soon = [one for one in offers if closing(one) <= made.last_call_closed]
    assert soon
    for one in soon:
        assert closing(one) > BEGINS
        assert [bidder.habit for bidder in BIDDERS if wants(bidder, one)] == [Habit.AWAY]
    assert all(closing(one) > BEGINS + 3_600_000_000 for one in offers if one not in soon)
