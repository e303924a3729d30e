"""The demos: accounts, board and processes of an auction evening, and what the commands show."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import psutil
import pytest

from tests.edges.cli.running import tidings
from tests.edges.engine.hosts import until
from tests.patience import PATIENCE
from tidings.apps import filter_stream
from tidings.apps.auction_alert import show
from tidings.apps.auction_alert.accounts import account_of, taken_in
from tidings.apps.auction_alert.desk import Desk, Standing
from tidings.apps.auction_alert.process import HOUSES, AuctionProcess, Job
from tidings.apps.auction_alert.scene import BIDDERS, Scene
from tidings.apps.auction_alert.show import OFFERS_SHOWN, AuctionBoard, AuctionShow
from tidings.apps.child_process import Happening
from tidings.apps.demo_service import DemoService
from tidings.apps.traffic_monitoring import show as traffic_show
from tidings.cli import demo
from tidings.cli.demo import DOES_NOT_HOLD
from tidings.client.connecting import connect
from tidings.clock import SystemClock
from tidings.errors import TidingsError
from tidings.java import find_java
from tidings.terminal import render

SCENE = Scene(1, 0)
Rows = Sequence[Sequence[str]]


def test_the_last_sentence_counts_offers_and_notices_missing_ones_and_too_many() -> None:
    good = [replace(account_of(bidder, [], []), received=7) for bidder in BIDDERS]
    sentence, holds = show.verdict(good, 240, 240, 240)
    assert holds
    assert sentence.startswith("240 offers, each accepted once; 42 alerts to 6 bidders")
    for acknowledged, accepted in ((239, 240), (240, 241), (239, 239)):
        sentence, holds = show.verdict(good, acknowledged, accepted, 240)
        assert not holds
        assert f"240 offers, {accepted} accepted, {acknowledged} acknowledged" in sentence


class _Desk:
    """In place of the service: two alerts wait for everybody, one is on its way."""

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    async def standings(self) -> dict[str, Standing]:
        if self._error is not None:
            raise self._error
        return {one.name: Standing(2, 1, 0, 0) for one in BIDDERS}


DESK: Any = _Desk()


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


async def test_without_a_terminal_the_first_offers_have_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    board = AuctionBoard(SCENE)
    async with board.moving(DESK):
        for seq in range(1, OFFERS_SHOWN + 3):
            board.offered(offer(seq))
            board.alerted({"bidder": "Ada"})
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "     1  Moreau: Stamp, blue, 7.5"
    assert (len(shown), shown[-1].strip()) == (OFFERS_SHOWN + 1, "and so on")
    assert (board.offers, board.alerts["Ada"]) == (OFFERS_SHOWN + 2, OFFERS_SHOWN + 2)


async def test_on_a_terminal_what_was_told_and_what_the_service_says_move(
    drawn: list[Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    board = AuctionBoard(SCENE)
    async with board.moving(DESK):
        board.offered(offer(1))
        assert [*drawn[-1][0]] == ["Ada", "0", "", ""]  # the service has not answered yet
        await until(lambda: len(drawn) > 1)
        board.alerted({"bidder": "Ada"})
        board.offered(offer(2))
    board.offered(offer(3))
    assert [*drawn[-1][0]] == ["Ada", "1", "2", "1"]
    assert [*drawn[-1][-1]] == [f"2 of {SCENE.total} offers", "", "", ""]
    assert len(drawn) == 3
    monkeypatch.setattr(show, "_LOOK_EVERY_SECONDS", 0)
    async with board.moving(DESK):
        await until(lambda: len(drawn) > 6)  # the desk is asked again and again


@pytest.mark.usefixtures("drawn")
async def test_a_service_that_fails_is_no_silence() -> None:
    broken: Any = _Desk(ValueError("broken"))

    async def play() -> None:
        async with AuctionBoard(SCENE).moving(broken):
            await asyncio.sleep(0.01)

    with pytest.raises(ValueError, match="broken"):
        await play()


def job(url: str, folder: Path) -> Job:
    return Job(url, str(folder), 1, SystemClock().now(), 0.0, HOUSES)


def broken(happening: Happening) -> None:
    raise BrokenPipeError("nobody reads")


def test_a_job_says_the_same_when_it_arrives(tmp_path: Path) -> None:
    given = job("http://localhost:1", tmp_path)
    arrived = msgspec.json.decode(msgspec.json.encode(given), type=Job)
    assert (arrived, arrived.scene) == (given, given.scene)


async def test_leaving_the_context_ends_the_process(tmp_path: Path) -> None:
    pids = []

    async def play() -> None:
        async with AuctionProcess(HOUSES, tmp_path, broken) as process:
            pids.append(process.pid)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await play()
    assert not psutil.pid_exists(pids[0])


async def test_who_listens_and_fails_is_told(tmp_path: Path) -> None:
    houses = AuctionProcess(HOUSES, tmp_path, broken)
    async with houses as process, DemoService(tmp_path) as service:
        await service.start()
        async with await connect(service.url) as client:
            await Desk.opened(client)
            beginning = asyncio.create_task(process.order(job(service.url, tmp_path)))
            with pytest.raises(BrokenPipeError, match="nobody reads"):
                await process.ended()
            beginning.cancel()


def children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def test_a_loss_in_a_real_evening_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def forgetful(path: Path) -> Any:
        taken, back = taken_in(path)
        gone = {one.id for one in taken[:1]} if path.stem == "Ada" else set()
        return [one for one in taken if one.id not in gone], back

    monkeypatch.setattr(show, "taken_in", forgetful)
    before = children()
    assert not AuctionShow(str(tmp_path), 1, 0.001).play()
    shown = capsys.readouterr().out
    assert "DOES NOT HOLD: Ada: 1 lost." in shown
    assert "order kept" not in shown
    assert "disordered" in shown  # a column of the accounts
    assert shown.split("Who is where")[1].split()[:2] == ["program", "process"]
    assert "240 offers accepted, 0 dead letters." in shown
    assert children() == before


def test_an_evening_is_ended_when_a_process_ends_and_when_it_is_stuck(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = children()
    (tmp_path / "ledgers").write_text("in the way of the ledgers")
    with pytest.raises(TidingsError, match=r"the process of the \w+ ended, code 1: .*ledgers"):
        AuctionShow(str(tmp_path), 1, 0.001).play()
    assert children() == before
    (tmp_path / "stuck").mkdir()
    monkeypatch.setattr(show, "MOST_SECONDS", 0.2)
    with pytest.raises(TidingsError, match="has not ended within 0 s"):
        AuctionShow(str(tmp_path / "stuck"), 1, 0.001).play()
    assert children() == before


def test_the_audit_has_the_last_word_and_without_java_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    evening = SimpleNamespace(play=lambda: True, archive=Path("archive"))
    monkeypatch.setattr(show, "AuctionShow", lambda *given: evening)
    for explained, code in ((True, 0), (False, DOES_NOT_HOLD)):
        with monkeypatch.context() as patch:
            patch.setattr(demo, "show_pipeline", {evening.archive: explained}.get)
            assert tidings("demo").exit_code == code
    monkeypatch.setattr(find_java, "__defaults__", (None, ()))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    done = tidings("demo")
    assert done.exit_code == 0
    told = " ".join(done.stdout.split())
    assert "Left out: Spark needs Java 17 or newer: install openjdk-17-jre-headless" in told


@pytest.mark.parametrize(
    ("played", "derived", "options", "code"),
    [
        (True, True, (), 0),
        (False, True, (), DOES_NOT_HOLD),
        (True, False, (), DOES_NOT_HOLD),
        (True, False, ("--no-spark",), 0),
    ],
)
def test_the_traffic_ends_well_if_scene_and_archive_do(
    monkeypatch: pytest.MonkeyPatch,
    played: bool,
    derived: bool,
    options: tuple[str, ...],
    code: int,
) -> None:
    scene = SimpleNamespace(play=lambda: played)
    monkeypatch.setattr(traffic_show, "TrafficShow", lambda folder: scene)
    monkeypatch.setattr(demo, "derive_offences", lambda show: derived)
    assert tidings("demo", "traffic", "--bounded", *options).exit_code == code


def test_without_java_the_traffic_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic_show, "TrafficShow", lambda _: SimpleNamespace(play=lambda: True))
    monkeypatch.setattr(find_java, "__defaults__", (None, ()))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    done = tidings("demo", "traffic")
    assert done.exit_code == 0
    assert "Left out: Spark needs Java 17 or newer" in " ".join(done.stdout.split())


def test_a_scene_ends_when_a_process_ends_and_when_it_is_stuck(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = children()
    monkeypatch.setattr(traffic_show, "MOST_SECONDS", 0.2)
    with pytest.raises(TidingsError, match="has not ended within 0 s"):
        traffic_show.TrafficShow(tmp_path).play()
    assert children() == before
    monkeypatch.setattr(traffic_show, "MOST_SECONDS", PATIENCE)
    (tmp_path / "car-2.gps").mkdir(parents=True)
    with pytest.raises(TidingsError, match=r"the process of the car-2 ended, code 1: .*car-2.gps"):
        traffic_show.TrafficShow(tmp_path).play()
    assert children() == before


def test_an_event_that_a_filter_missed_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filter_stream, "MANY", 3_000)
    monkeypatch.setattr(filter_stream, "MEASURED_EVENTS", 40)
    shown = tidings("demo", "filters").stdout
    assert "does not match: $zones is missing" in shown
    assert "└─ ! 17 in $zones   $zones is missing" in shown
    assert "asked one by one" in shown


async def test_a_service_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    async with DemoService(tmp_path) as service:
        with pytest.raises(TidingsError, match=r"the service ended, code 2: error: .*data"):
            await service.start()
