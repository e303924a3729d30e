from __future__ import annotations

import pytest

from tidings.channel.qos import (
    QOS_PROPERTIES,
    DiscardPolicy,
    Level,
    OrderPolicy,
    QoS,
    Reliability,
    inherited,
)


def test_the_defaults() -> None:
    qos = QoS()
    assert qos.event_reliability is Reliability.BEST_EFFORT
    assert qos.connection_reliability is Reliability.BEST_EFFORT
    assert (qos.priority, qos.timeout, qos.pacing_interval) == (0, 0, 0)
    assert qos.start_time_supported is True
    assert qos.stop_time_supported is True
    assert (qos.max_events_per_consumer, qos.maximum_batch_size) == (0, 1)
    assert qos.order_policy is OrderPolicy.ANY
    assert qos.discard_policy is DiscardPolicy.ANY


def test_every_accessor_reads_its_own_property() -> None:
    values: dict[str, int] = {
        "EventReliability": 1,
        "ConnectionReliability": 1,
        "Priority": -3,
        "Timeout": 4,
        "StartTimeSupported": False,
        "StopTimeSupported": False,
        "MaxEventsPerConsumer": 5,
        "OrderPolicy": 3,
        "DiscardPolicy": 4,
        "MaximumBatchSize": 6,
        "PacingInterval": 7,
    }
    for name, value in values.items():
        qos = QoS({name: value})
        said = {
            "EventReliability": qos.event_reliability,
            "ConnectionReliability": qos.connection_reliability,
            "Priority": qos.priority,
            "Timeout": qos.timeout,
            "StartTimeSupported": qos.start_time_supported,
            "StopTimeSupported": qos.stop_time_supported,
            "MaxEventsPerConsumer": qos.max_events_per_consumer,
            "OrderPolicy": qos.order_policy,
            "DiscardPolicy": qos.discard_policy,
            "MaximumBatchSize": qos.maximum_batch_size,
            "PacingInterval": qos.pacing_interval,
        }
        assert said == {**QoS(), name: value}


def test_every_number_of_a_policy_has_a_name() -> None:
    for name, policy in (("OrderPolicy", OrderPolicy), ("DiscardPolicy", DiscardPolicy)):
        line = QOS_PROPERTIES[name]
        assert line.low is not None
        assert line.high is not None
        assert [p.value for p in policy] == list(range(line.low, line.high + 1))


def test_a_new_object_starts_with_a_copy_of_all_of_its_parent() -> None:
    channel = QoS({"ConnectionReliability": 1, "EventReliability": 1, "Priority": 4})
    admin = inherited(channel, Level.ADMIN)
    proxy = inherited(admin, Level.PROXY)
    assert channel == admin == proxy
    assert channel is not admin
    assert proxy.event_reliability is Reliability.PERSISTENT


@pytest.mark.parametrize("level", [Level.CHANNEL, Level.EVENT])
def test_only_admins_and_proxies_inherit(level: Level) -> None:
    with pytest.raises(ValueError, match="no parent"):
        inherited(QoS(), level)


def test_what_a_level_tells_is_what_may_be_set_there() -> None:
    assert QoS({"Priority": 4}).at(Level.CHANNEL) == {**QoS(), "Priority": 4}
    assert QoS().at(Level.PROXY).keys() == QoS().keys() - {"EventReliability"}
    assert QoS().at(Level.ADMIN) == QoS().at(Level.PROXY)


def test_times_are_events_own_and_no_object_holds_them() -> None:
    assert QOS_PROPERTIES.keys() - QoS().keys() == {"StartTime", "StopTime"}
    assert set(QoS().at(Level.EVENT)) == {"EventReliability", "Priority", "Timeout"}
