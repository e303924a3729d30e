from __future__ import annotations

import pytest

from tidings import event
from tidings.api.delivered import DeliveredEvent
from tidings.cli import showing
from tidings.events.envelope import ProducerMark

MADE = event("Traffic", "Speed", "car-7", {"rate": 57.5, "road": "A 8", "z": [1, {"a": None}]})


def message(mark: ProducerMark | None = None) -> DeliveredEvent:
    return DeliveredEvent(MADE, "0" * 32, 17, 1_000_000, 3, mark)


def test_a_line() -> None:
    assert showing.event_line(message()) == (
        "    17  1970-01-01T00:00:01.000Z  Traffic::Speed car-7  "
        'rate=57.5 road="A 8" z=[1,{"a":null}]'
    )
    assert showing.event_line(message(), redelivered=True).endswith("  again")


def test_data_is_that_of_the_api() -> None:
    data = showing.message_data(message(ProducerMark("x", 5)))
    assert list(data) == ["seq", "arrival", "priority", "producer", "number", "event"]
    assert "producer" not in showing.message_data(message())


@pytest.mark.parametrize(("name", "title"), [("", "D::T"), ("n", "D::T n")])
def test_titles(name: str, title: str) -> None:
    assert showing.title(event("D", "T", name)) == title


def test_properties_in_words() -> None:
    assert showing.qos_text({"OrderPolicy": 1, "Priority": 3}) == [
        ("OrderPolicy", "FifoOrder"),
        ("Priority", "3"),
    ]
