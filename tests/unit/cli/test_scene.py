from __future__ import annotations

import pytest

from tidings.cli.scene import SUBSCRIPTIONS, many_subscriptions, sample_events
from tidings.events.codecs.json_codec import encode_event
from tidings.events.fields import fields_of
from tidings.filters.check import check


def test_the_same_seed_gives_the_same_events() -> None:
    one, two, other = (list(sample_events(seed, 50)) for seed in (1, 1, 2))
    assert one == two
    assert one != other
    assert [c.text for c in many_subscriptions(1, 50)] == [
        c.text for c in many_subscriptions(1, 50)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_every_subscription_gets_something_and_only_one_gets_all(seed: int) -> None:
    events = [fields_of(one) for one in sample_events(seed, 1_000)]
    shares = {
        one.name: sum(one.constraint().matches(fields) for fields in events)
        for one in SUBSCRIPTIONS
    }
    assert shares.pop("everything") == 1_000
    assert all(0 < share < 500 for share in shares.values()), shares


def test_the_constraints_are_good_examples() -> None:
    for one in SUBSCRIPTIONS:
        assert check(one.text).cautions == ()


def test_sample_events_can_be_written() -> None:
    assert all(encode_event(one) for one in sample_events(3, 100))
