from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.unit.api.view_strategies import admins, channels, filters, proxies
from tidings.api import calls
from tidings.api.changes import AdvertisementForm, Highest
from tidings.api.dead_letters import DeadLetter, DeadLetters
from tidings.api.filters import filter_of
from tidings.api.objects import Admin, Channel, Channels, Proxies, Proxy
from tidings.api.pulling import PullForm
from tidings.channel.effects import Cause
from tidings.channel.views import (
    AdminInfo,
    Advertisement,
    ChannelInfo,
    DeadLetterInfo,
    FilterInfo,
    MappingInfo,
    ProxyInfo,
)
from tidings.channel.vocabulary import Side
from tidings.errors import ChannelNotFound, ProxyNotFound
from tidings.events.build import event
from tidings.filters.constraint import event_type


def _answer(model: BaseModel) -> object:
    return json.loads(model.model_dump_json())


@given(st.lists(channels, min_size=1, max_size=3))
def test_channels_are_read(some: list[ChannelInfo]) -> None:
    call = calls.get_channels()
    assert (call.method, call.path, call.body) == ("GET", "/v1/channels", None)
    answer = _answer(Channels(channels=[Channel.of(one) for one in some]))
    assert call.read(answer) == some
    one = calls.get_channel(some[0].id)
    assert one.path == f"/v1/channels/{some[0].id}"
    assert one.read(_answer(Channel.of(some[0]))) == some[0]


@given(st.lists(proxies, min_size=1, max_size=3))
def test_proxies_are_read(some: list[ProxyInfo]) -> None:
    call = calls.get_proxies(4)
    assert (call.method, call.path, call.body) == ("GET", "/v1/channels/4/proxies", None)
    answer = _answer(Proxies(proxies=[Proxy.of(one) for one in some]))
    assert call.read(answer) == some
    one = calls.get_proxy(4, some[0].id)
    assert one.path == f"/v1/channels/4/proxies/{some[0].id}"
    assert one.read(_answer(Proxy.of(some[0]))) == some[0]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("auctions", "auctions"),
        ("a/b c?d#e%f", "a%2Fb%20c%3Fd%23e%25f"),
        ("競", "%E7%AB%B6"),
        ("a.b", "a.b"),
        ("-1", "-1"),
    ],
)
def test_names_are_escaped(name: str, part: str) -> None:
    assert calls.get_channel(name).path == f"/v1/channels/{part}"
    assert calls.get_proxy(4, name).path == f"/v1/channels/4/proxies/{part}"
    assert calls.get_highest_number(4, name).path == f"/v1/channels/4/producers/{part}"


@pytest.mark.parametrize("name", ["7", "007", ".", ".."])
@given(channel=channels, proxy=proxies)
def test_names_that_look_like_something_else_are_found_among_all(
    name: str, channel: ChannelInfo, proxy: ProxyInfo
) -> None:
    named = Channel.of(channel).model_copy(update={"name": name})
    other = named.model_copy(update={"id": 7, "name": "other"})
    call = calls.get_channel(name)
    assert call.path == "/v1/channels"
    assert call.read(_answer(Channels(channels=[other, named]))) == named.info()
    with pytest.raises(ChannelNotFound, match=f"no channel named '{name}'"):
        call.read(_answer(Channels(channels=[other])))
    named_proxy = Proxy.of(proxy).model_copy(update={"name": name})
    call = calls.get_proxy(4, name)
    assert call.path == "/v1/channels/4/proxies"
    assert call.read(_answer(Proxies(proxies=[named_proxy]))) == named_proxy.info()
    with pytest.raises(ProxyNotFound, match=f"channel 4 has no proxy named '{name}'"):
        call.read({"proxies": []})


@given(channels)
def test_nothing_has_the_empty_name(channel: ChannelInfo) -> None:
    unnamed = Channel.of(channel).model_copy(update={"name": ""})
    with pytest.raises(ChannelNotFound):
        calls.get_channel("").read(_answer(Channels(channels=[unnamed])))


@given(admins)
def test_an_admin_is_read(info: AdminInfo) -> None:
    call = calls.get_admin(4, Side.SUPPLIER, 0)
    assert (call.method, call.path) == ("GET", "/v1/channels/4/admins/supplier/0")
    assert call.read(_answer(Admin.of(info))) == info


@given(filters)
def test_a_filter_is_read(info: FilterInfo) -> None:
    call = calls.get_filter(5)
    assert (call.method, call.path) == ("GET", "/v1/filters/5")
    assert call.read(_answer(filter_of(info))) == info


def test_a_mapping_filter_is_read() -> None:
    info = MappingInfo(5, 1, -3, {}, 0, "")
    assert calls.get_filter(5).read(_answer(filter_of(info))) == info


def test_what_is_known_of_a_channel_is_read() -> None:
    books = (event_type("Auction::books"),)
    info = Advertisement(books, (), {"proxy 3": books}, {})
    call = calls.get_advertisement(4)
    assert (call.method, call.path) == ("GET", "/v1/channels/4/types")
    assert call.read(_answer(AdvertisementForm.of(info))) == info
    highest = calls.get_highest_number(4, "..")
    assert highest.path == "/v1/channels/4/producers/%2E%2E"
    assert highest.read(_answer(Highest(highest=None))) is None
    assert highest.read(_answer(Highest(highest=7))) == 7


def test_dead_letters_are_read() -> None:
    letter = DeadLetterInfo(1, 2, 3, 4, 5, 6, (Cause(5, "no"),), event("A", "b", data={"x": -1}))
    call = calls.get_dead_letters(2, None, 0, 100)
    assert (call.method, call.path) == ("GET", "/v1/dead-letters?channel=2&after=0&most=100")
    assert call.read(_answer(DeadLetters(dead_letters=[DeadLetter.of(letter)]))) == [letter]
    again = calls.redrive(1)
    assert (again.method, again.path) == ("POST", "/v1/dead-letters/1/redrive")
    dropped = calls.drop_dead_letter(1)
    assert (dropped.method, dropped.path) == ("DELETE", "/v1/dead-letters/1")
    assert again.read(None) is dropped.read(None) is None


def test_a_pull_is_asked_in_seconds() -> None:
    call = calls.pull(4, 7, PullForm.of(10, 500_000, None))
    assert (call.method, call.path) == ("POST", "/v1/channels/4/proxies/7/pull")
    assert call.body == {"most": 10, "wait": 0.5, "lease": None}
    assert call.read({"events": []}) == {"events": []}


def test_a_program_that_needs_no_models_does_not_load_them() -> None:
    code = (
        "import sys, tidings, tidings.client.client, tidings.api.problems, tidings.api.items;"
        "sys.exit('pydantic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
