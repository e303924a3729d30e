"""What a client asks over HTTP, and what it reads in the answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.edges.api.view_strategies import admins, channels, filters, proxies
from tidings.api import calls, changes, new_proxy, objects, pulling, trails
from tidings.api import filters as forms
from tidings.api.command_calls import call_of
from tidings.api.properties import properties_in
from tidings.api.rules import RulesForm
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.property_errors import PropertyRange
from tidings.channel.settings import Settings
from tidings.channel.trail import Step, Trail
from tidings.channel.views import AdminInfo, Advertisement, ChannelInfo, FilterInfo, ProxyInfo
from tidings.channel.vocabulary import Form, InfoMode, Operator, Place, Side, Style
from tidings.errors import ChannelNotFound, InvalidUsage, ProxyNotFound
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as Box
from tidings.events.build import event
from tidings.filters.constraint import constraint, event_type
from tidings.filters.mapping import MappedConstraint


def _answer(model: BaseModel) -> object:
    return json.loads(model.model_dump_json())


@given(st.lists(channels, min_size=1, max_size=3))
def test_channels_are_read(some: list[ChannelInfo]) -> None:
    call = calls.get_channels()
    assert (call.method, call.path, call.body) == ("GET", "/v1/channels", None)
    answer = _answer(objects.Channels(channels=[objects.Channel.of(one) for one in some]))
    assert call.read(answer) == some
    one = calls.get_channel(some[0].id)
    assert one.path == f"/v1/channels/{some[0].id}"
    assert one.read(_answer(objects.Channel.of(some[0]))) == some[0]


@given(st.lists(proxies, min_size=1, max_size=3))
def test_proxies_are_read(some: list[ProxyInfo]) -> None:
    call = calls.get_proxies(4)
    assert (call.method, call.path, call.body) == ("GET", "/v1/channels/4/proxies", None)
    answer = _answer(objects.Proxies(proxies=[objects.Proxy.of(one) for one in some]))
    assert call.read(answer) == some
    one = calls.get_proxy(4, some[0].id)
    assert one.path == f"/v1/channels/4/proxies/{some[0].id}"
    assert one.read(_answer(objects.Proxy.of(some[0]))) == some[0]


@pytest.mark.parametrize("name", ["7", "007", ".", ".."])
@given(channel=channels, proxy=proxies)
def test_names_that_look_like_something_else_are_found_among_all(
    name: str, channel: ChannelInfo, proxy: ProxyInfo
) -> None:
    named = objects.Channel.of(channel).model_copy(update={"name": name})
    other = named.model_copy(update={"id": 7, "name": "other"})
    call = calls.get_channel(name)
    assert call.path == "/v1/channels"
    assert call.read(_answer(objects.Channels(channels=[other, named]))) == named.info()
    with pytest.raises(ChannelNotFound, match=f"no channel named '{name}'"):
        call.read(_answer(objects.Channels(channels=[other])))
    named_proxy = objects.Proxy.of(proxy).model_copy(update={"name": name})
    call = calls.get_proxy(4, name)
    assert call.path == "/v1/channels/4/proxies"
    assert call.read(_answer(objects.Proxies(proxies=[named_proxy]))) == named_proxy.info()
    with pytest.raises(ProxyNotFound, match=f"channel 4 has no proxy named '{name}'"):
        call.read({"proxies": []})


@given(channels)
def test_nothing_has_the_empty_name(channel: ChannelInfo) -> None:
    unnamed = objects.Channel.of(channel).model_copy(update={"name": ""})
    with pytest.raises(ChannelNotFound):
        calls.get_channel("").read(_answer(objects.Channels(channels=[unnamed])))


@given(admins)
def test_an_admin_is_read(info: AdminInfo) -> None:
    call = calls.get_admin(4, Side.SUPPLIER, 0)
    assert (call.method, call.path) == ("GET", "/v1/channels/4/admins/supplier/0")
    assert call.read(_answer(objects.Admin.of(info))) == info


@given(filters)
def test_a_filter_is_read(info: FilterInfo) -> None:
    call = calls.get_filter(5)
    assert (call.method, call.path) == ("GET", "/v1/filters/5")
    assert call.read(_answer(forms.filter_of(info))) == info


def test_what_is_known_of_a_channel_is_read() -> None:
    books = (event_type("Auction::books"),)
    info = Advertisement(books, (), {"proxy 3": books}, {})
    call = calls.get_advertisement(4)
    assert (call.method, call.path) == ("GET", "/v1/channels/4/types")
    assert call.read(_answer(changes.AdvertisementForm.of(info))) == info
    highest = calls.get_highest_number(4, "..")
    assert highest.path == "/v1/channels/4/producers/%2E%2E"
    assert highest.read(_answer(changes.Highest(highest=None))) is None
    assert highest.read(_answer(changes.Highest(highest=7))) == 7
    rules = Settings(narrowed={"Priority": (0, 5)})
    assert calls.get_rules().read(_answer(RulesForm.of(rules))) == rules


CHANNEL, ADMIN, PROXY = Place(1), Place(1, Side.CONSUMER, 2), Place(1, proxy=3)
TRUE = constraint("$a == 'ü'", ["A::*"])
MAPPED = MappedConstraint(TRUE, Box(tc.SHORT, -5))
BOOKS = (event_type("Auction::books"),)
QOS = {"OrderPolicy": 2, "Priority": -1}
QOS_OUT = {"OrderPolicy": "PriorityOrder", "Priority": -1}
EVENT = event("Auction", "books", data={"price": 12.5})
MADE_CHANNEL = objects.Channel.of(ChannelInfo(9, "", "0" * 32, {}, {}, (), (), 0, 0, 0, 0, 1))
MADE_ADMIN = objects.Admin.of(
    AdminInfo(1, Side.CONSUMER, 9, Operator.AND, {}, {}, (), (), None, None)
)
MADE_PROXY = objects.Proxy.of(
    ProxyInfo(1, 9, Side.CONSUMER, Style.PUSH, Form.ANY, 0, "", "", {}, {}, (), False, False, False,
              0, 0, 0, 0, {}, None, None)
)  # fmt: skip
RANGES = (PropertyRange("Priority", -1, 5), PropertyRange("StartTimeSupported", False, True))
TRAIL = Trail(1, 2, True, (7,), (Step("consumer", 7, True, "passed", -1),))


def _by(model: Any, *arguments: Any) -> Any:
    """How a request is served that fits a model."""
    return lambda body: model.model_validate(body).to_command(*arguments)


# Command; method and path; what the service makes of the body; its answer; what is read of it.
CASES: list[tuple[Any, str, Any, Any, Any]] = [
    (m.CreateChannel("0" * 32, QOS, {"MaxConsumers": 3}, "é"), "POST /channels",
     _by(objects.NewChannel, "0" * 32), MADE_CHANNEL, 9),
    (m.DestroyChannel(1), "DELETE /channels/1", None, None, None),
    (m.NewAdmin(1, Side.CONSUMER, Operator.OR), "POST /channels/1/admins",
     _by(objects.NewAdmin, 1), MADE_ADMIN, 9),
    (m.DestroyAdmin(1, Side.SUPPLIER, 2), "DELETE /channels/1/admins/supplier/2", None, None, None),
    (m.ObtainProxy(1, Side.CONSUMER, Style.PULL, Form.SEQUENCE, 2, QOS, "é"),
     "POST /channels/1/proxies", _by(new_proxy.NewProxy, 1), MADE_PROXY, 9),
    (m.Disconnect(1, 3), "DELETE /channels/1/proxies/3", None, None, None),
    (m.Suspend(1, 3), "POST /channels/1/proxies/3/suspend", None, None, None),
    (m.Resume(1, 3), "POST /channels/1/proxies/3/resume", None, None, None),
    (m.SetQoS(CHANNEL, QOS), "PATCH /channels/1/qos",
     lambda b: m.SetQoS(CHANNEL, properties_in(b)), QOS_OUT, None),
    (m.SetQoS(ADMIN, QOS), "PATCH /channels/1/admins/consumer/2/qos",
     lambda b: m.SetQoS(ADMIN, properties_in(b)), QOS_OUT, None),
    (m.SetQoS(PROXY, QOS), "PATCH /channels/1/proxies/3/qos",
     lambda b: m.SetQoS(PROXY, properties_in(b)), QOS_OUT, None),
    (m.ValidateQoS(PROXY, QOS), "POST /channels/1/proxies/3/qos/validate",
     lambda b: m.ValidateQoS(PROXY, properties_in(b)), changes.Ranges.of(RANGES), RANGES),
    (m.ValidateEventQoS(1, 3, {"Priority": 4}), "POST /channels/1/proxies/3/event-qos/validate",
     lambda b: m.ValidateEventQoS(1, 3, properties_in(b)), changes.Ranges.of(RANGES), RANGES),
    (m.SetAdminProperties(1, {"RejectNewEvents": False}), "PATCH /channels/1/admin-properties",
     lambda b: m.SetAdminProperties(1, properties_in(b)), {"RejectNewEvents": False}, None),
    (m.CreateFilter((TRUE,), "g", private=True), "POST /filters",
     _by(forms.NewFilter), {"id": 4, "constraints": [1]}, (4, (1,))),
    (m.AddConstraints(4, (TRUE, TRUE)), "POST /filters/4/constraints",
     _by(forms.NewConstraints, 4), {"constraints": [2, 3]}, [2, 3]),
    (m.ModifyConstraints(4, (1,), {2: TRUE}), "PATCH /filters/4/constraints",
     _by(forms.ModifyConstraintsForm, 4), None, None),
    (m.ClearFilter(4), "DELETE /filters/4/constraints", None, None, None),
    (m.DestroyFilter(4), "DELETE /filters/4", None, None, None),
    (m.CreateMapping(Box(tc.SHORT, 0), (MAPPED,)), "POST /mapping-filters",
     _by(forms.NewMapping), {"id": 5, "constraints": [1]}, (5, (1,))),
    (m.AddMapped(5, (MAPPED,)), "POST /filters/5/mapped",
     _by(forms.NewMapped, 5), {"constraints": [2]}, [2]),
    (m.ModifyMapped(5, (1,), {2: MAPPED}), "PATCH /filters/5/mapped",
     _by(forms.ModifyMappedForm, 5), None, None),
    (m.AddFilter(ADMIN, 4), "POST /channels/1/admins/consumer/2/filters",
     _by(changes.AttachFilter, ADMIN), {"attachment": 1, "what newer services say": 1}, 1),
    (m.RemoveFilter(PROXY, 1), "DELETE /channels/1/proxies/3/filters/1", None, None, None),
    (m.RemoveAllFilters(ADMIN), "DELETE /channels/1/admins/consumer/2/filters", None, None, None),
    (m.SetMapping(PROXY, "priority", 5), "PUT /channels/1/proxies/3/mappings/priority",
     _by(changes.SetMappingForm, PROXY, "priority"), None, None),
    (m.SetMapping(PROXY, "lifetime", None), "PUT /channels/1/proxies/3/mappings/lifetime",
     _by(changes.SetMappingForm, PROXY, "lifetime"), None, None),
    (m.OfferChange(PROXY, BOOKS, ()), "PATCH /channels/1/proxies/3/types",
     _by(changes.TypesChange, PROXY, Side.SUPPLIER), None, None),
    (m.SubscriptionChange(ADMIN, (), BOOKS), "PATCH /channels/1/admins/consumer/2/types",
     _by(changes.TypesChange, ADMIN, Side.CONSUMER), None, None),
    (m.ObtainTypes(1, 3, InfoMode.ALL_NOW_UPDATES_ON), "POST /channels/1/proxies/3/known-types",
     _by(changes.KnownTypesForm, 1, 3),
     {"types": ["Auction::books"]}, BOOKS),
    (c.DryRun(1, EVENT, 3), "POST /channels/1/dry-run",
     _by(trails.DryRunForm, 1), trails.TrailForm.of(TRAIL), TRAIL),
    (c.DryRun(1, Box(tc.SHORT, 3)), "POST /channels/1/dry-run",
     _by(trails.DryRunForm, 1), trails.TrailForm.of(TRAIL), TRAIL),
    (c.Ack(1, 3, [4, 5]), "POST /channels/1/proxies/3/ack",
     _by(pulling.AckForm, 1, 3), None, None),
    (c.Failed(1, 3, [4], "no"), "POST /channels/1/proxies/3/retry",
     lambda b: pulling.ReasonForm(**b).to_retry(1, 3), None, None),
    (c.Failed(1, 3, [4], "no", gone=True), "DELETE /channels/1/proxies/3", None, None, None),
    (c.Reject(1, 3, [4], "no"), "POST /channels/1/proxies/3/reject",
     lambda b: pulling.ReasonForm(**b).to_reject(1, 3), None, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "line", "served", "answer", "read"), CASES, ids=lambda one: type(one).__name__
)
def test_the_service_understands_what_is_asked(
    command: c.Command, line: str, served: Any, answer: Any, read: Any
) -> None:
    call = call_of(command)
    method, _, path = line.partition(" ")
    assert (call.method, call.path) == (method, f"/v1{path}")
    if served is None:
        assert call.body is None
    else:
        assert served(json.loads(json.dumps(call.body))) == command
    sent = answer.model_dump(mode="json") if hasattr(answer, "model_dump") else answer
    assert repr(call.read(sent)) == repr(read)


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
