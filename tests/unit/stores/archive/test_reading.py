from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from tests.unit.stores.archive.small_journal import ORIGIN, channel, happened, written
from tidings.errors import StoreError
from tidings.stores import segments
from tidings.stores.archive.reading import ChannelName, JournalReader
from tidings.stores.segments import DATA_START, Cursor


def test_where_a_journal_begins(tmp_path: Path) -> None:
    written(tmp_path, [channel(), happened(1)])
    reader = JournalReader(tmp_path)
    assert reader.begin("") == Cursor(1, DATA_START)
    assert reader.begin("") is None  # known already
    assert JournalReader(tmp_path).begin(reader.id.hex()) == Cursor(1, DATA_START)
    with pytest.raises(StoreError, match="give each journal an archive folder of its own"):
        JournalReader(tmp_path).begin("00" * 16)
    assert JournalReader(tmp_path / "none").begin("") is None


def test_names_are_found_ahead_but_not_beyond(tmp_path: Path) -> None:
    end = written(tmp_path, [happened(1), channel("late")])
    reader = JournalReader(tmp_path)
    reader.begin("")
    reader.upto = end
    assert reader.name_of(ORIGIN) == ChannelName(1, "late")
    assert reader.name_of(bytes(16)) is None
    early = JournalReader(tmp_path)
    early.begin("")
    early.upto = Cursor(1, end.offset - 1)
    assert early.name_of(ORIGIN) is None


def test_what_is_not_whole_yet_is_left_out(tmp_path: Path) -> None:
    end = written(tmp_path, [channel(), happened(1)])
    reader = JournalReader(tmp_path)
    start = reader.begin("")
    assert start is not None
    assert len(list(reader.entries(start, Cursor(1, end.offset - 1)))) == 1
    assert len(list(reader.entries(start, end))) == 2
    assert len(list(reader.entries(start, Cursor(2, DATA_START)))) == 2


def test_a_segment_that_vanishes_meanwhile(tmp_path: Path) -> None:
    written(tmp_path, [channel()])
    found = segments.find_segments(tmp_path)
    reader = JournalReader(tmp_path)
    with mock.patch.object(segments, "find_segments", side_effect=[FileNotFoundError, found]):
        assert reader.next_segment(0) == 1
    gone = mock.patch.object(segments, "find_segments", side_effect=FileNotFoundError)
    with gone, pytest.raises(StoreError, match="vanish"):
        reader.next_segment(0)
