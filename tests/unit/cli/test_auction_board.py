from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from tidings.apps.auction_alert.desk import Standing
from tidings.apps.auction_alert.scene import BIDDERS, Scene
from tidings.cli import auction_board, render
from tidings.cli.auction_board import OFFERS_SHOWN, AuctionBoard

SCENE = Scene(1, 0)
Rows = Sequence[Sequence[str]]


class _Desk:
    """In place of the service: two alerts wait for everybody, one is on its way."""

    async def standings(self) -> dict[str, Standing]:
        return {one.name: Standing(2, 1, 0, 0) for one in BIDDERS}


class _BrokenDesk:
    async def standings(self) -> dict[str, Standing]:
        raise ValueError("broken")


def offer(seq: int) -> dict[str, Any]:
    return {"seq": seq, "seller": "Moreau", "item": "Stamp, blue", "price": 7.5}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Rows]:
    """What a terminal would show."""
    rows: list[Rows] = []

    @contextmanager
    def live_table(headings: object, numbers: object) -> Iterator[Callable[[Rows], None]]:
        yield rows.append

    monkeypatch.setattr(render, "on_terminal", lambda: True)
    monkeypatch.setattr(render, "live_table", live_table)
    return rows


def test_without_a_terminal_the_first_offers_have_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    board = AuctionBoard(SCENE)
    desk: Any = _Desk()

    async def play() -> None:
        async with board.moving(desk):
            for seq in range(1, OFFERS_SHOWN + 3):
                board.offered(offer(seq))
                board.alerted({"bidder": "Ada"})

    asyncio.run(play())
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "     1  Moreau: Stamp, blue, 7.5"
    assert len(shown) == OFFERS_SHOWN + 1
    assert shown[-1].strip() == "and so on"
    assert (board.offers, board.alerts["Ada"]) == (OFFERS_SHOWN + 2, OFFERS_SHOWN + 2)


def test_on_a_terminal_what_was_told_and_what_the_service_says_move(drawn: list[Rows]) -> None:
    board = AuctionBoard(SCENE)
    desk: Any = _Desk()

    async def play() -> None:
        async with board.moving(desk):
            board.offered(offer(1))
            assert [*drawn[-1][0]] == ["Ada", "0", "", ""]  # the service has not answered yet
            await asyncio.sleep(0.01)
            board.alerted({"bidder": "Ada"})
            board.offered(offer(2))
        board.offered(offer(3))

    asyncio.run(play())
    assert [*drawn[-1][0]] == ["Ada", "1", "2", "1"]
    assert [*drawn[-1][-1]] == [f"2 of {SCENE.total} offers", "", "", ""]
    assert len(drawn) == 3


def test_a_service_that_fails_is_no_silence(drawn: list[Rows]) -> None:
    desk: Any = _BrokenDesk()

    async def play() -> None:
        async with AuctionBoard(SCENE).moving(desk):
            await asyncio.sleep(0.01)

    with pytest.raises(ValueError, match="broken"):
        asyncio.run(play())


def test_the_desk_is_asked_again_and_again(
    drawn: list[Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auction_board, "_LOOK_EVERY_SECONDS", 0)
    desk: Any = _Desk()

    async def play() -> None:
        async with AuctionBoard(SCENE).moving(desk):
            await asyncio.sleep(0.02)

    asyncio.run(play())
    assert len(drawn) > 2
