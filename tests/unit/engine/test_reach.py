from __future__ import annotations

import asyncio

import pytest

from tests.unit.engine.recorded_answers import RecordedAnswers, delivery
from tidings.engine.endpoints import (
    BufferEndpoint,
    HandlerEndpoint,
    PullSupplierEndpoint,
    SupplierEndpoint,
)
from tidings.engine.reach import Endpoint, QuietEndpoint, in_words
from tidings.errors import WrongClient


def test_a_quiet_endpoint_hears_everything_and_takes_nothing() -> None:
    endpoint, answers = QuietEndpoint(), RecordedAnswers()
    endpoint.attach(answers)
    endpoint.offers((), ())
    endpoint.subscriptions((), ())
    endpoint.flush()
    endpoint.disconnected()
    endpoint.close(ValueError())
    endpoint.cancel()
    assert answers.said == []
    endpoint.deliver(delivery(4, 5))
    reason = "QuietEndpoint takes no events: connect a push consumer"
    assert answers.said == [("failed", [4, 5], reason, False)]
    with pytest.raises(WrongClient, match="cannot be asked for 3 events"):
        asyncio.run(endpoint.try_pull(3))


def test_all_are_endpoints() -> None:
    endpoints: list[Endpoint] = [
        BufferEndpoint(),
        HandlerEndpoint(print),
        PullSupplierEndpoint(lambda most: None),
        QuietEndpoint(),
        SupplierEndpoint(),
    ]
    # What the type checker sees to is that each can stand in this list.
    assert len(endpoints) == 5


def test_errors_that_cannot_say_what_they_are() -> None:
    class Speechless(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert in_words(ValueError("no")) == "ValueError: no"
    assert in_words(Speechless()) == "Speechless"
