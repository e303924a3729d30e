"""What is subscribed at brokers: everything that is wanted, and every topic once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tidings.filters.constraint import constraint
from tidings.filters.dialects.topics import MQTT, NATS, Template
from tidings.gateways.subscriptions import disjoint, subscriptions

TEMPLATE = Template("t/{domain}/{type}/{name}", MQTT)
LEVELS = st.sampled_from(["a", "b", "c"])
PATTERNS = st.sets(
    st.tuples(*[LEVELS | st.just("+")] * 3).map("/".join), max_size=8
)  # fmt: skip
TOPICS = ["/".join((x, y, z)) for x in "abc" for y in "abc" for z in "abc"]


def fits(topic: str, pattern: str) -> bool:
    pairs = zip(topic.split("/"), pattern.split("/"), strict=True)
    return all(wanted in ("+", level) for level, wanted in pairs)


@given(PATTERNS)
def test_a_topic_fits_one_pattern_if_it_fitted_any(patterns: set[str]) -> None:
    found = disjoint(patterns, MQTT)
    for topic in TOPICS:
        fitting = sum(fits(topic, one) for one in found)
        assert fitting <= 1
        assert fitting or not any(fits(topic, one) for one in patterns)


@given(PATTERNS)
def test_one_pattern_is_enough_where_no_more_can_be_had(patterns: set[str]) -> None:
    found = disjoint(patterns, MQTT, 1)
    assert len(found) <= 1
    for topic in TOPICS:
        assert any(fits(topic, one) for one in found) or not any(
            fits(topic, one) for one in patterns
        )


def test_what_does_not_overlap_is_not_joined() -> None:
    named = {f"a/+/{number}" for number in range(2_000)}
    assert disjoint(named, MQTT) == named
    assert disjoint({*named, "a/x/+"}, MQTT) == {"a/+/+"}


def test_filters_say_how_they_stand() -> None:
    speed, brake = constraint("$event_name == 'Speed'"), constraint("$event_name == 'Brake'")
    fast = constraint("$event_name == 'Speed' and $rate > 100")
    patterns, placed = subscriptions(TEMPLATE, [speed, fast])
    assert patterns == {"t/+/+/Speed"}
    assert placed[0] == ("t/+/+/Speed", True, "")
    assert placed[1].text == "t/+/+/Speed"
    assert not placed[1].exact
    assert "$rate > 100" in placed[1].surplus

    patterns, placed = subscriptions(TEMPLATE, [speed, constraint("$domain_name == 'Traffic'")])
    assert patterns == {"t/+/+/+"}
    assert not placed[0].exact
    assert "other filters" in placed[0].surplus

    patterns, placed = subscriptions(Template("t.{name}", NATS), [speed, brake], most=1)
    assert patterns == {"t.*"}
    assert not placed[0].exact

    assert subscriptions(TEMPLATE, [constraint("FALSE")]).patterns == frozenset()
    assert subscriptions(TEMPLATE, []) == (frozenset(), [])
