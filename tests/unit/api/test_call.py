from __future__ import annotations

import pytest

from tidings.api.call import reading, unread
from tidings.api.changes import Attached
from tidings.errors import TidingsError


def test_what_is_asked_for_is_picked_from_the_answer() -> None:
    read = reading(Attached, lambda made: made.attachment)
    assert read({"attachment": 3, "what newer services say": 1}) == 3


def test_an_answer_that_cannot_be_read_says_why() -> None:
    read = reading(Attached, lambda made: made.attachment)
    answers: list[object] = [{"attachment": "3"}, None, [], {}]
    for answer in answers:
        with pytest.raises(TidingsError, match="the service's answer cannot be read"):
            read(answer)


def test_where_only_the_status_counts_nothing_is_read() -> None:
    assert unread({"Priority": 3}) is None  # type: ignore[func-returns-value]
