from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.running import tidings
from tidings.cli import auction_show, demo_pipeline
from tidings.cli.demo import DOES_NOT_HOLD


class _Show:
    """In place of the evening: remembers how it was asked for."""

    asked: tuple[int, float]
    archive = Path("archive")

    def __init__(self, folder: str, seed: int, pause: float) -> None:
        type(self).asked = (seed, pause)
        self._holds = seed != 13

    def play(self) -> bool:
        return self._holds


@pytest.mark.parametrize(("seed", "code"), [(1, 0), (13, DOES_NOT_HOLD)])
def test_the_exit_code_says_whether_it_holds(
    monkeypatch: pytest.MonkeyPatch, seed: int, code: int
) -> None:
    monkeypatch.setattr(auction_show, "AuctionShow", _Show)
    assert tidings("demo", "--no-spark", "--seed", str(seed)).exit_code == code
    assert _Show.asked[0] == seed


@pytest.mark.parametrize(("explained", "code"), [(True, 0), (False, DOES_NOT_HOLD)])
def test_the_audit_has_the_last_word(
    monkeypatch: pytest.MonkeyPatch, explained: bool, code: int
) -> None:
    monkeypatch.setattr(auction_show, "AuctionShow", _Show)
    monkeypatch.setattr(demo_pipeline, "show_pipeline", lambda archive: explained)
    assert tidings("demo").exit_code == code


def test_without_a_terminal_nobody_waits_to_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auction_show, "AuctionShow", _Show)
    tidings("demo", "--no-spark")
    assert _Show.asked[1] <= 0.01


def test_a_word_behind_it_is_another_scene(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auction_show, "AuctionShow", None)  # would fail if it were played
    assert tidings("demo", "filters", "--help").exit_code == 0
