"""What a client asks over HTTP, where it differs from the rule, and what it refuses to send."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.edges.api.view_strategies import channels, proxies
from tidings.api.operations import call_of, view_json
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel import questions as q
from tidings.channel.views import ChannelInfo, ProxyInfo
from tidings.channel.vocabulary import Place, Side, Style
from tidings.errors import ChannelNotFound, InvalidUsage, ProxyNotFound

CHANNEL = Place(1)


@pytest.mark.parametrize("name", ["7", "007", ".", ".."])
@given(channel=channels, proxy=proxies)
def test_names_that_look_like_something_else_are_found_among_all(
    name: str, channel: ChannelInfo, proxy: ProxyInfo
) -> None:
    named = view_json(channel) | {"name": name}
    other = named | {"id": 7, "name": "other"}
    call = call_of(q.SeeChannel(name))
    assert call.path == "/v1/channels"
    found = call.read({"channels": [other, named]})
    assert (found.id, found.name) == (channel.id, name)
    with pytest.raises(ChannelNotFound, match=f"no channel named '{name}'"):
        call.read({"channels": [other]})
    call = call_of(q.SeeProxy(4, name))
    assert call.path == "/v1/channels/4/proxies"
    assert call.read({"proxies": [view_json(proxy) | {"name": name}]}).id == proxy.id
    with pytest.raises(ProxyNotFound, match=f"channel 4 has no proxy named '{name}'"):
        call.read({"proxies": []})


@given(channels)
def test_nothing_has_the_empty_name(channel: ChannelInfo) -> None:
    with pytest.raises(ChannelNotFound):
        call_of(q.SeeChannel("")).read({"channels": [view_json(channel) | {"name": ""}]})


def test_dots_in_a_path_lead_nowhere_else() -> None:
    call = call_of(q.SeeHighestNumber(4, ".."))
    assert call.path == "/v1/channels/4/producers/%2E%2E"


def test_the_proxy_of_a_consumer_that_is_gone_ends() -> None:
    call = call_of(c.Failed(1, 3, [4], "no", gone=True))
    assert (call.method, call.path, call.body) == ("DELETE", "/v1/channels/1/proxies/3", None)


@pytest.mark.parametrize("command", [m.Connect(1, 3), m.Detach(1, 3), c.Push(1, 3, ()), c.Tick()])
def test_what_goes_over_a_line_is_no_request(command: c.Command) -> None:
    with pytest.raises(InvalidUsage, match="no request of its own"):
        call_of(command)


@pytest.mark.parametrize(
    "command",
    [
        m.CreateChannel("0" * 32, name=3),  # type: ignore[arg-type]
        m.CreateChannel("0" * 32, qos=[("Priority", 1)]),
        m.CreateFilter(("TRUE",)),  # type: ignore[arg-type]
        *(m.AddFilter(CHANNEL, 4), m.SetQoS(Place(1, admin=2), {})),
        m.ObtainProxy(1, Side.CONSUMER, Style.PUSH, admin=-1),
        c.Ack(1, 3, ["x"]),  # type: ignore[list-item]
    ],
)
def test_commands_that_are_none_are_refused_before_they_are_sent(command: c.Command) -> None:
    with pytest.raises(InvalidUsage):
        call_of(command)
