from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil
import pytest

from tidings.apps.auction_alert.ledger import taken_in
from tidings.cli import auction_accounts, auction_show
from tidings.cli.auction_show import AuctionShow
from tidings.errors import TidingsError


def children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def test_a_loss_in_a_real_evening_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def forgetful(path: Path) -> Any:
        taken, back = taken_in(path)
        gone = {one.id for one in taken[:1]} if path.stem == "Ada" else set()
        return [one for one in taken if one.id not in gone], back

    monkeypatch.setattr(auction_accounts, "taken_in", forgetful)
    before = children()
    assert not AuctionShow(str(tmp_path), 1, 0.001).play()
    shown = capsys.readouterr().out
    assert "DOES NOT HOLD: Ada: 1 lost." in shown
    assert "order kept" not in shown
    assert "240 offers accepted, 0 dead letters." in shown
    assert children() == before


def test_an_evening_that_is_stuck_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auction_show, "MOST_SECONDS", 0.2)
    before = children()
    with pytest.raises(TidingsError, match="has not ended within 0 s"):
        AuctionShow(str(tmp_path), 1, 0.001).play()
    assert children() == before


def test_a_process_that_ends_by_itself_ends_the_evening(tmp_path: Path) -> None:
    (tmp_path / "ledgers").write_text("in the way of the ledgers")
    before = children()
    with pytest.raises(TidingsError, match=r"the process of the \w+ ended, code 1: .*ledgers"):
        AuctionShow(str(tmp_path), 1, 0.001).play()
    assert children() == before
