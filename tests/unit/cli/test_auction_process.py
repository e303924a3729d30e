from __future__ import annotations

from pathlib import Path

import msgspec
import psutil
import pytest

from tidings.cli import auction_process
from tidings.cli.auction_process import AuctionProcess, Job
from tidings.clock import SystemClock
from tidings.errors import StoreError


def job(folder: Path, life: int) -> Job:
    return Job(str(folder), 1, SystemClock().now(), 0.001, life)


def test_a_job_says_the_same_when_it_arrives(tmp_path: Path) -> None:
    given = job(tmp_path, 1)
    arrived = msgspec.json.decode(msgspec.json.encode(given), type=Job)
    assert arrived == given
    assert arrived.scene == given.scene
    assert arrived.ledgers.parent == tmp_path


def test_a_killed_process_tells_no_more_and_is_no_error(tmp_path: Path) -> None:
    with AuctionProcess(job(tmp_path, 1)) as process:
        words = []
        for happening in process.happenings():
            words.append(happening.word)
            if happening.word == "offered":
                process.kill()
        assert "offered" in words
        assert "finished" not in words
    assert (tmp_path / "data").is_dir()


def test_one_that_ends_by_itself_is_an_error_with_its_reason(tmp_path: Path) -> None:
    # The second life has no channel to go on with.
    with (
        AuctionProcess(job(tmp_path, 2)) as process,
        pytest.raises(StoreError, match=r"ended by itself, code 1: .*ChannelNotFound"),
    ):
        list(process.happenings())


def test_one_that_is_stuck_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auction_process, "MOST_SECONDS", 0.05)
    with (
        AuctionProcess(job(tmp_path, 1)) as process,
        pytest.raises(StoreError, match="code -9"),
    ):
        list(process.happenings())


def test_leaving_the_context_ends_the_process(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), AuctionProcess(job(tmp_path, 1)) as process:
        raise KeyboardInterrupt
    assert not psutil.pid_exists(process.pid)
