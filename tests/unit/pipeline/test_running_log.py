"""The log of a query: what was begun is asked for again, what is done is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidings.errors import StoreError
from tidings.pipeline.running_log import Begun, QueryLog


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "speeding.jsonl"


def opened(path: Path) -> tuple[int, int, Begun | None]:
    log = QueryLog(path)
    log.close()
    return log.seal, log.next, log.begun


def test_a_new_log_begins_at_the_first_seal_and_the_first_number(path: Path) -> None:
    assert opened(path) == (0, 1, None)


def test_what_is_done_is_behind_us(path: Path) -> None:
    log = QueryLog(path)
    assert log.begin(0, 3) == Begun(0, 3, 1)
    log.done(7)
    assert (log.seal, log.next, log.begun) == (3, 8, None)
    log.close()
    assert opened(path) == (3, 8, None)


def test_what_was_begun_is_begun_after_a_kill(path: Path) -> None:
    log = QueryLog(path)
    log.begin(0, 3)
    log.done(7)
    log.begin(3, 9)
    log.close()
    assert opened(path) == (3, 8, Begun(3, 9, 8))


def test_a_torn_line_is_as_if_never_written(path: Path) -> None:
    log = QueryLog(path)
    log.begin(0, 3)
    log.done(2)
    log.begin(3, 4)
    log.close()
    whole = path.read_bytes()
    lengths = [len(line) for line in whole.splitlines(keepends=True)]
    for cut in range(sum(lengths[:2]), len(whole)):
        path.write_bytes(whole[:cut])
        assert opened(path) == (3, 3, None)
        assert path.stat().st_size == sum(lengths[:2])
    path.write_bytes(whole)
    assert opened(path) == (3, 3, Begun(3, 4, 3))


def test_an_empty_batch_takes_no_numbers(path: Path) -> None:
    log = QueryLog(path)
    log.begin(0, 1)
    log.done(0)
    log.begin(1, 2)
    log.close()
    assert opened(path) == (1, 1, Begun(1, 2, 1))


def test_another_file_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b'{"what": "else"}\n')
    with pytest.raises(StoreError, match="line 1"):
        QueryLog(path)


def test_a_folder_is_refused(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot be used"):
        QueryLog(path)
