"""Options of the source: what is taken, and what is said of the rest."""

from __future__ import annotations

import pytest

from tidings.errors import InvalidConstraint, InvalidEventType, InvalidUsage
from tidings.filters.constraint import EventTypePattern
from tidings.pipeline.source_options import LATEST, SourceOptions, read_options


def test_only_the_path_is_needed() -> None:
    assert read_options({"path": "/a"}) == SourceOptions("/a")


def test_all_options_are_read() -> None:
    found = read_options(
        {
            "path": "/a",
            "CHANNEL": "one, two",
            "type": "A::B*",
            "columns": "seq,name",
            "since": "2026-11-15T00:00:00Z",
            "until": "1794700800000001",
            "filter": "$a > 1",
            "startingSeal": "latest",
            "maxFilesPerTrigger": "3",
            "maxRowsPerTrigger": "4",
            "onDamage": "fail",
        }
    )
    assert found == SourceOptions(
        "/a",
        "events",
        ("seq", "name"),
        ("one", "two"),
        (EventTypePattern("A", "B*"),),
        1_794_700_800_000_000,
        1_794_700_800_000_001,
        "$a > 1",
        LATEST,
        3,
        4,
        skip_damage=False,
    )


def test_a_name_with_a_comma_stands_in_an_array() -> None:
    assert read_options({"path": "/a", "channel": '["a, b"]'}).channels == ("a, b",)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("path", "", "needs the path"),
        ("kind", "cars", "there are events, outcomes, plans, objects"),
        ("channels", "x", "has no option 'channels'"),
        ("channel", "[1]", "must be texts"),
        ("channel", "[", "is none"),
        ("since", "yesterday", "is no time"),
        ("startingSeal", "0", "a number from 1, earliest or latest"),
        ("maxRowsPerTrigger", "none", "a number from 1"),
        ("maxFilesPerTrigger", "0", "a number from 1"),
        ("onDamage", "weep", "skip or fail"),
    ],
)
def test_what_is_wrong_is_told(name: str, value: str, words: str) -> None:
    with pytest.raises(InvalidUsage, match=words):
        read_options({"path": "/a", name: value})


def test_constraints_and_types_are_checked() -> None:
    with pytest.raises(InvalidConstraint):
        read_options({"path": "/a", "filter": "$a >"})
    with pytest.raises(InvalidEventType):
        read_options({"path": "/a", "type": "A::%NO"})
    with pytest.raises(InvalidUsage, match="for events"):
        read_options({"path": "/a", "kind": "plans", "filter": "$a > 1"})
