"""The settings of the core as sections: all of them, with their defaults and words."""

from __future__ import annotations

from dataclasses import fields

import pytest
from pydantic import ValidationError

from tidings.channel.qos import DiscardPolicy, OrderPolicy
from tidings.channel.settings import DEFAULT_SETTINGS, Counted, Limits, Settings
from tidings.errors import InvalidUsage
from tidings.filters.plan import Operator
from tidings.server.rules import TIMES, LimitsSection, RulesSection, channel_settings


def core(**rules: object) -> Settings:
    return channel_settings(RulesSection.model_validate(rules), LimitsSection())


def test_the_defaults_are_those_of_the_core() -> None:
    assert core() == DEFAULT_SETTINGS


def test_every_setting_of_the_core_is_there_with_its_words() -> None:
    for section, cls in ((RulesSection, Settings), (LimitsSection, Limits)):
        names = [one.name for one in fields(cls) if one.name != "limits"]
        assert list(section.model_fields) == names
        for about in section.model_fields.values():
            assert about.description
            assert about.description.endswith(".")


def test_words_over_several_lines_are_joined() -> None:
    words = RulesSection.model_fields["empty_group_is_neutral"].description
    assert words == (
        "Under OR, whether a group without filters leaves the decision to the other group; "
        "otherwise it lets every event pass."
    )


def test_whole_numbers_of_the_core_are_times_or_counts() -> None:
    numbers = {one.name for one in fields(Settings) if one.type == "int"}
    assert numbers == {*TIMES, "retry_limit"}


def test_times_are_seconds_outside_and_microseconds_inside() -> None:
    settings = core(retry_first="20 ms", retry_longest=2.5)
    assert (settings.retry_first, settings.retry_longest) == (20_000, 2_500_000)


def test_enumerations_go_by_name() -> None:
    settings = core(default_operator="or", any_order="deadline", any_discard="lifo",
                    counted="connected")  # fmt: skip
    assert settings.default_operator is Operator.OR
    assert settings.any_order is OrderPolicy.DEADLINE
    assert settings.any_discard is DiscardPolicy.LIFO
    assert settings.counted is Counted.CONNECTED
    with pytest.raises(ValidationError):
        core(any_order="any")


def test_properties_go_by_the_names_of_the_standard() -> None:
    settings = core(
        default_qos={"OrderPolicy": "FifoOrder", "Priority": 3},
        default_admin={"MaxQueueLength": 7},
        narrowed={"Priority": [0, 5]},
    )
    assert settings.default_qos.order_policy is OrderPolicy.FIFO
    assert settings.default_qos["Priority"] == 3
    assert settings.default_admin.max_queue_length == 7
    assert settings.narrowed == {"Priority": (0, 5)}


def test_limits() -> None:
    limits = LimitsSection.model_validate({"event_octets": "1 MiB", "producers": 5})
    settings = channel_settings(RulesSection(), limits)
    assert settings.limits == Limits(event_octets=2**20, producers=5)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"retry_longest": "3 ms"}, "rules.retry_longest must be at least rules.retry_first"),
        ({"default_qos": {"Priorty": 1}}, "rules.default_qos: Priorty"),
        ({"default_admin": {"MaxConsumers": -1}}, "rules.default_admin: MaxConsumers"),
        ({"narrowed": {"Priority": [3, 1]}}, "rules: the setting narrowed"),
    ],
)
def test_nonsense_is_named(rules: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidUsage) as caught:
        core(**rules)
    assert str(caught.value).startswith(words)
