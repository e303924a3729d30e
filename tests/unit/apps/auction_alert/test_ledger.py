from __future__ import annotations

from pathlib import Path

import pytest

from tidings.apps.auction_alert.ledger import (
    Acknowledged,
    Ledger,
    Taken,
    acknowledged_in,
    offers_in,
    taken_in,
)
from tidings.apps.auction_alert.scene import HOUSES, Scene

OFFERS = Scene(1, 1_794_700_000_000_000).offers(HOUSES[0])


def acknowledged(number: int, seq: int) -> Acknowledged:
    return Acknowledged(number, ("origin", seq), OFFERS[number])


def test_offers_are_read_as_they_were_written(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "houses" / "a.jsonl")
    written = [acknowledged(1, 4), acknowledged(2, 9)]
    for one in written:
        ledger.write(one.line(), sync=True)
    ledger.close()
    assert acknowledged_in(tmp_path / "houses" / "a.jsonl") == written


def test_a_ledger_that_was_never_begun_is_empty(tmp_path: Path) -> None:
    assert acknowledged_in(tmp_path / "none") == []
    assert taken_in(tmp_path / "none") == ([], None)


def test_the_ledgers_of_all_houses_are_in_the_order_of_the_channel(tmp_path: Path) -> None:
    for name, seqs in (("a", (2, 3)), ("b", (1, 4))):
        ledger = Ledger(tmp_path / name)
        for number, seq in enumerate(seqs):
            ledger.write(acknowledged(number, seq).line())
        ledger.close()
    found = offers_in([tmp_path / "a", tmp_path / "b"])
    assert [one.id[1] for one in found] == [1, 2, 3, 4]


def test_a_bidders_ledger_knows_stock_and_return(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "a")
    ledger.write({"id": ("o", 1), "again": False})
    ledger.write({"back": 17})
    ledger.write({"stock": True})
    ledger.write({"id": ("o", 2), "again": True})
    ledger.close()
    taken = [Taken(("o", 1), False), Taken(("o", 2), True, stock=True)]
    assert taken_in(tmp_path / "a") == (taken, 17)


@pytest.mark.parametrize("torn", [b"", b"{", b'{"id":["o",2],"again":fal'])
def test_a_torn_line_is_dropped_and_writing_goes_on(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(b'{"id":["o",1],"again":false}\n' + torn)
    assert [one.id for one in taken_in(path)[0]] == [("o", 1)]
    ledger = Ledger(path)
    ledger.write({"id": ("o", 3), "again": False})
    ledger.close()
    assert [one.id for one in taken_in(path)[0]] == [("o", 1), ("o", 3)]


def test_a_line_is_in_the_file_when_write_returns(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "a")
    ledger.write({"back": 1})
    assert (tmp_path / "a").read_bytes() == b'{"back":1}\n'
    ledger.close()
