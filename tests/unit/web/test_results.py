"""What became of events, as JSON."""

from __future__ import annotations

import logging

import pytest

from tidings import event
from tidings.channel.trail import Traced, Trail
from tidings.errors import ChannelFull, InvalidEvent
from tidings.events.envelope import ProducerMark
from tidings.web.results import plain_results, result_form, without_bad
from tidings.web.state import Counts


def test_numbers_trails_and_errors() -> None:
    counts = Counts()
    traced = Traced.of(7, Trail(1, 2, True, (3,), ()))
    number, trail, error = plain_results([5, traced, ChannelFull("full")], counts)
    assert number == 5
    assert isinstance(trail, dict)
    assert trail["seq"] == 7
    assert trail["trail"]["recipients"] == [3]
    assert isinstance(error, dict)
    assert error["error"]["code"] == "channel_full"
    assert counts.rejected == 1
    assert result_form(5, counts) == {"seq": 5}


def test_a_fault_of_ours_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        found = result_form(ValueError("secret"), Counts())
    assert "secret" not in str(found)
    assert "secret" in caplog.text


def test_bad_events_are_taken_out_with_their_marks() -> None:
    good, bad = event("a", "b"), InvalidEvent("none")
    marks = [ProducerMark("p", number) for number in range(3)]
    assert without_bad([good, bad, good], marks) == ([good, good], [marks[0], marks[2]], {1: bad})
    assert without_bad([good], None) == ([good], None, {})
