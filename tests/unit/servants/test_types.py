from __future__ import annotations

import pytest

from tidings.channel.settings import Settings
from tidings.cos.CosNotification_auto import EventType
from tidings.cos.CosNotifyComm_auto import InvalidEventType
from tidings.filters.constraint import EventTypePattern
from tidings.servants.types import types_in, types_out


def test_event_types_come_back_as_they_were_given() -> None:
    given = (EventType("", "%ALL"), EventType("Telecom", "Comm*"), EventType("*", ""))
    assert types_out(types_in(given)) == given


@pytest.mark.parametrize(
    "bad",
    [EventType("Telecom", "%ALL"), EventType("", "%OTHER"), EventType("x" * 1025, "y")],
    ids=["all of a domain", "a name with %", "too long"],
)
def test_the_bad_event_type_is_told(bad: EventType) -> None:
    with pytest.raises(InvalidEventType) as told:
        types_in([EventType("a", "b"), bad])
    assert told.value.type == bad


def test_a_part_of_a_name_is_no_wildcard_where_that_is_switched_off() -> None:
    settings = Settings(partial_wildcards=False)
    bad = EventType("Telecom", "Comm*")
    assert types_in([EventType("*", "*")], settings) == [EventTypePattern("*", "*")]
    with pytest.raises(InvalidEventType) as told:
        types_in([bad], settings)
    assert told.value.type == bad
