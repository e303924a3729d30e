from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.unit.api.view_strategies import (
    admin_properties,
    admins,
    channels,
    ids,
    names,
    over_the_wire,
    proxies,
    qos,
)
from tidings.api.objects import (
    Admin,
    Admins,
    Channel,
    Channels,
    NewAdmin,
    NewChannel,
    Proxies,
    Proxy,
)
from tidings.channel import management
from tidings.channel.views import AdminInfo, ChannelInfo, ProxyInfo
from tidings.channel.vocabulary import Operator, Side


@given(channels)
def test_channels_come_back_as_they_were(info: ChannelInfo) -> None:
    assert over_the_wire(Channel.of(info)).info() == info


@given(admins)
def test_admins_come_back_as_they_were(info: AdminInfo) -> None:
    assert over_the_wire(Admin.of(info)).info() == info


@given(proxies)
def test_proxies_come_back_as_they_were(info: ProxyInfo) -> None:
    assert over_the_wire(Proxy.of(info)).info() == info


@given(st.builds(management.CreateChannel, st.just("0" * 32), qos, admin_properties, names))
def test_a_new_channel_is_asked_for_as_it_was(command: management.CreateChannel) -> None:
    assert over_the_wire(NewChannel.of(command)).to_command("0" * 32) == command


@given(st.builds(management.NewAdmin, ids, st.sampled_from(Side), st.sampled_from(Operator)))
def test_a_new_admin_is_asked_for_as_it_was(command: management.NewAdmin) -> None:
    assert over_the_wire(NewAdmin.of(command)).to_command(command.channel) == command


def test_a_new_channel_is_persistent_unless_it_is_said_otherwise() -> None:
    both = {"EventReliability": 1, "ConnectionReliability": 1}
    assert NewChannel().to_command("x").qos == both
    assert NewChannel(persistent=False).to_command("x").qos == dict.fromkeys(both, 0)
    asked = NewChannel(qos={"EventReliability": "BestEffort", "Colour": "red"})
    assert asked.to_command("x").qos == {**both, "EventReliability": 0, "Colour": "red"}


@pytest.mark.parametrize(
    "body",
    [
        {"nam": "x"},
        {"name": 3},
        {"name": None},
        {"qos": []},
        {"qos": None},
        {"persistent": 1},
        {"persistent": "true"},
        {"origin": "0" * 32},
    ],
)
def test_a_request_is_taken_by_the_letter(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        NewChannel.model_validate(body)


def test_the_words_of_sides_and_operators_are_lower_case() -> None:
    for body in ({"side": "CONSUMER"}, {"side": "consumer", "operator": "AND_OP"}, {"side": None}):
        with pytest.raises(ValidationError):
            NewAdmin.model_validate(body)


@pytest.mark.parametrize("model", [Channel, Admin, Proxy, NewChannel, NewAdmin])
def test_the_examples_fit(model: type[Channel]) -> None:
    for example in model.model_json_schema()["examples"]:
        found = model.model_validate(example)
        assert over_the_wire(found) == found


@given(st.lists(channels, max_size=2), st.lists(admins, max_size=2), st.lists(proxies, max_size=2))
def test_lists_come_back_as_they_were(
    some: list[ChannelInfo], admin: list[AdminInfo], proxy: list[ProxyInfo]
) -> None:
    found = over_the_wire(Channels(channels=[Channel.of(one) for one in some]))
    assert [one.info() for one in found.channels] == some
    managers = over_the_wire(Admins(admins=[Admin.of(one) for one in admin]))
    assert [one.info() for one in managers.admins] == admin
    ways = over_the_wire(Proxies(proxies=[Proxy.of(one) for one in proxy]))
    assert [one.info() for one in ways.proxies] == proxy
