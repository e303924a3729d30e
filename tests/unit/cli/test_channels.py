from __future__ import annotations

import pytest

from tests.unit.cli.running import objects
from tests.unit.cli.served import Served


def test_a_channel_is_persistent_unless_told_otherwise(served: Served) -> None:
    assert served.done("channel", "create", "auction") == "channel auction made, id 1\n"
    [made] = objects(served.done("channel", "create", "clicks", "--best-effort", "--json"))
    assert made["qos"]["EventReliability"] == "BestEffort"
    [found] = objects(served.done("channel", "show", "auction", "--json"))
    assert found["qos"]["EventReliability"] == "Persistent"
    assert found["offered"] == []


def test_properties_of_a_new_channel(served: Served) -> None:
    properties = ("--qos", "OrderPolicy=PriorityOrder", "--limit", "MaxQueueLength=10")
    served.done("channel", "create", "auction", *properties)
    shown = served.done("channel", "show", "auction")
    assert "OrderPolicy            PriorityOrder\n" in shown
    assert "MaxQueueLength         10\n" in shown


def test_every_bad_property_is_told(served: Served) -> None:
    bad = ("--qos", "Priority=99999", "--qos", "Colour=1")
    result = served.tidings("channel", "create", "auction", *bad)
    assert result.exit_code == 2
    assert "Priority: " in result.stderr
    assert "Colour: no property has this name" in result.stderr


def test_a_property_that_is_nearly_one(served: Served) -> None:
    bad = ("--qos", "Prioritie=1", "--qos", "timeout=1", "--qos", "EventReliability=Forever")
    result = served.tidings("channel", "create", "auction", *bad)
    assert result.exit_code == 2
    assert result.stderr == (
        "error: Prioritie: did you mean Priority?\n"
        "timeout: did you mean Timeout?\n"
        "EventReliability: write BestEffort or Persistent\n"
    )


@pytest.mark.parametrize(("name", "told"), [("", "is empty"), ("12", "read as an id")])
def test_a_name_that_could_not_be_asked_for(served: Served, name: str, told: str) -> None:
    served.done("channel", "create", "auction")
    for words in (
        ("channel", "create", name),
        ("subscription", "create", "auction", name),
        *([("subscribe", "auction", "--name", name)] if name else []),
    ):
        result = served.tidings(*words)
        assert result.exit_code == 2
        assert told in result.stderr


def test_list(served: Served) -> None:
    result = served.tidings("channel", "list")
    assert (result.stdout, result.exit_code) == ("", 0)
    assert "tidings channel create NAME" in result.stderr
    served.done("channel", "create", "b")
    served.done("channel", "create", "a")
    heading, *rows = served.done("channel", "list").splitlines()
    assert heading.split()[:2] == ["channel", "id"]
    assert [row.split()[:3] for row in rows] == [["a", "2", "Persistent"], ["b", "1", "Persistent"]]
    assert [one["name"] for one in objects(served.done("channel", "list", "--json"))] == ["a", "b"]


@pytest.mark.parametrize("key", ["auction", "1"])
def test_delete_by_name_or_id(served: Served, key: str) -> None:
    served.done("channel", "create", "auction")
    assert served.done("channel", "delete", key) == f"channel {key} deleted\n"
    assert served.tidings("channel", "show", "auction").exit_code == 2


def test_a_channel_that_is_not_there(served: Served) -> None:
    result = served.tidings("channel", "show", "nowhere")
    assert (result.exit_code, result.stderr) == (2, "error: there is no channel named 'nowhere'\n")
