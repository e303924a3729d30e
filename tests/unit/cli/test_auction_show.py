from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tidings.apps.auction_alert.accounts import account_of
from tidings.apps.auction_alert.ledger import Taken, taken_in
from tidings.apps.auction_alert.scene import BIDDERS
from tidings.cli import auction_show
from tidings.cli.auction_show import AuctionShow, verdict

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


def test_a_loss_in_a_real_evening_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def forgetful(path: Path) -> tuple[list[Taken], int | None]:
        taken, back = taken_in(path)
        gone = {one.id for one in taken[:1]} if path.stem == "Ada" else set()
        return [one for one in taken if one.id not in gone], back

    monkeypatch.setattr(auction_show, "taken_in", forgetful)
    assert not AuctionShow(str(tmp_path), 1, 0.001).play()
    shown = capsys.readouterr().out
    assert "DOES NOT HOLD: Ada: 1 lost." in shown
    assert "order kept" not in shown
