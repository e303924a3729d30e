from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tidings.apps.auction_alert.accounts import account_of
from tidings.apps.auction_alert.ledger import Acknowledged, Ledger, bidder_ledger, house_ledger
from tidings.apps.auction_alert.scene import BIDDERS, HOUSES, Scene, wants
from tidings.cli.auction_accounts import acknowledged, show_accounts, verdict

GOOD = [replace(account_of(bidder, [], []), received=7) for bidder in BIDDERS]


def test_the_last_sentence_counts() -> None:
    sentence, holds = verdict(GOOD, 240, 240, 240)
    assert holds
    assert sentence.startswith("240 offers, each accepted once; 42 alerts to 6 bidders")


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ("lost", "lost"),
        ("twice", "twice"),
        ("unasked", "unasked"),
        ("disordered", "out of order"),
    ],
)
def test_a_fault_is_named_with_its_bidder(fault: str, word: str) -> None:
    ids = (("o", 1), ("o", 2))
    bad = replace(GOOD[1], **{fault: ids})  # type: ignore[arg-type]
    sentence, holds = verdict([GOOD[0], bad], 240, 240, 240)
    assert not holds
    assert sentence == f"DOES NOT HOLD: {bad.bidder.name}: 2 {word}."


@pytest.mark.parametrize("counts", [(239, 240, 240), (240, 241, 240), (239, 239, 240)])
def test_offers_that_are_missing_or_too_many_are_noticed(counts: tuple[int, int, int]) -> None:
    sentence, holds = verdict(GOOD, *counts)
    assert not holds
    assert f"240 offers, {counts[1]} accepted, {counts[0]} acknowledged" in sentence


SCENE = Scene(5, 1_794_700_000_000_000, per_house=10)


def written(folder: Path, *, forgotten: str = "") -> int:
    """Ledgers of an evening in which all went well, but for one bidder's first alert."""
    offers, seq = [], 0
    for house in HOUSES:
        ledger = Ledger(house_ledger(folder, house))
        for number, offer in enumerate(SCENE.offers(house), 1):
            seq += 1
            offers.append(Acknowledged(number, ("o", seq), offer))
            ledger.write(offers[-1].line())
        ledger.close()
    for bidder in BIDDERS:
        ledger = Ledger(bidder_ledger(folder, bidder))
        ids = [one.id for one in offers if wants(bidder, one.offer)]
        for id in ids[1:] if bidder.name == forgotten else ids:
            ledger.write({"id": id, "again": False})
        ledger.close()
    return seq


def test_the_ledgers_decide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    total = written(tmp_path / "good")
    assert [one.id[1] for one in acknowledged(SCENE, tmp_path / "good")] == [*range(1, total + 1)]
    assert show_accounts(SCENE, tmp_path / "good", total)
    assert "nothing lost, nothing twice, order kept." in capsys.readouterr().out
    assert not show_accounts(SCENE, tmp_path / "good", total + 1)
    assert f"{total} offers, {total + 1} accepted" in capsys.readouterr().out
    written(tmp_path / "bad", forgotten="Ada")
    assert not show_accounts(SCENE, tmp_path / "bad", total)
    assert "DOES NOT HOLD: Ada: 1 lost." in capsys.readouterr().out
