"""Adapters that promise less by their parameters: the suite, with what they still promise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.real.federation.rigs import Rig, mqtt, nats
from tests.real.federation.test_adapters import (  # noqa: F401 -- the suite
    test_a_control_event_passes_whole,
    test_a_filter_is_never_narrower_and_exact_ones_are_exact,
    test_a_mark_survives_the_service,
    test_a_service_that_goes_and_comes_back,
    test_an_event_comes_once_though_several_filters_match,
    test_what_cannot_be_carried_is_refused_alone,
    test_what_is_not_taken_comes_again_where_the_service_holds_it,
    test_what_is_published_reaches_a_native_client,
    test_what_is_wanted_comes_in_order,
)


class OldMqtt(mqtt.Rig):
    """MQTT 3.1.1: the broker does not say what it takes."""

    def parameters(self) -> dict[str, Any]:
        return {**super().parameters(), "protocol": "3.1.1", "most_octets": mqtt.MOST_OCTETS}


class QuickMqtt(mqtt.Rig):
    """QoS 0."""

    def parameters(self) -> dict[str, Any]:
        return {**super().parameters(), "qos": 0}


class CoreNats(nats.Rig):
    """Without a stream."""

    def parameters(self) -> dict[str, Any]:
        return {**super().parameters(), "stream": "", "create": False}


@pytest.fixture(scope="module", params=[OldMqtt, QuickMqtt, CoreNats])
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    made: Rig = request.param()
    made.start()
    yield made
    made.stop()


@pytest.fixture
def kind(rig: Rig) -> str:
    return "nats" if isinstance(rig, nats.Rig) else "mqtt"
