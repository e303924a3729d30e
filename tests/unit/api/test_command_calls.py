from __future__ import annotations

import json
from typing import Any, get_args

import pytest

from tidings.api import changes, filters, new_proxy, objects, pulling, trails
from tidings.api.command_calls import call_of
from tidings.api.properties import properties_in
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.property_errors import PropertyRange
from tidings.channel.trail import Step, Trail
from tidings.channel.views import AdminInfo, ChannelInfo, ProxyInfo
from tidings.channel.vocabulary import Form, InfoMode, Operator, Place, Side, Style
from tidings.errors import InvalidUsage
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any as Box
from tidings.events.build import event
from tidings.filters.constraint import constraint, event_type
from tidings.filters.mapping import MappedConstraint

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
     _by(filters.NewFilter), {"id": 4, "constraints": [1]}, (4, (1,))),
    (m.AddConstraints(4, (TRUE, TRUE)), "POST /filters/4/constraints",
     _by(filters.NewConstraints, 4), {"constraints": [2, 3]}, [2, 3]),
    (m.ModifyConstraints(4, (1,), {2: TRUE}), "PATCH /filters/4/constraints",
     _by(filters.ModifyConstraintsForm, 4), None, None),
    (m.ClearFilter(4), "DELETE /filters/4/constraints", None, None, None),
    (m.DestroyFilter(4), "DELETE /filters/4", None, None, None),
    (m.CreateMapping(Box(tc.SHORT, 0), (MAPPED,)), "POST /mapping-filters",
     _by(filters.NewMapping), {"id": 5, "constraints": [1]}, (5, (1,))),
    (m.AddMapped(5, (MAPPED,)), "POST /filters/5/mapped",
     _by(filters.NewMapped, 5), {"constraints": [2]}, [2]),
    (m.ModifyMapped(5, (1,), {2: MAPPED}), "PATCH /filters/5/mapped",
     _by(filters.ModifyMappedForm, 5), None, None),
    (m.AddFilter(ADMIN, 4), "POST /channels/1/admins/consumer/2/filters",
     _by(changes.AttachFilter, ADMIN), {"attachment": 1}, 1),
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

# They go over a WebSocket, where the client is.
OVER_A_LINE = {m.Connect, m.Detach}


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


def test_every_command_of_management_has_a_request() -> None:
    tried = {type(command) for command, *_ in CASES}
    assert tried >= set(get_args(m.Management)) - OVER_A_LINE


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
        m.AddFilter(CHANNEL, 4),
        m.SetQoS(Place(1, admin=2), {}),
        m.ObtainProxy(1, Side.CONSUMER, Style.PUSH, admin=-1),
        c.Ack(1, 3, ["x"]),  # type: ignore[list-item]
    ],
)
def test_commands_that_are_none_are_refused_before_they_are_sent(command: c.Command) -> None:
    with pytest.raises(InvalidUsage):
        call_of(command)


def test_no_part_of_a_command_leads_the_path_elsewhere() -> None:
    call = call_of(m.SetMapping(PROXY, "../../qos?x", 5))
    assert call.path == "/v1/channels/1/proxies/3/mappings/..%2F..%2Fqos%3Fx"


def test_a_program_may_say_what_it_is_not_to_say_and_hears_it_from_the_core() -> None:
    call = call_of(m.SetQoS(CHANNEL, {"Priority": "high", "Colour": object(), "Timeout": 1.5}))
    assert call.body == {"Priority": "high", "Colour": None, "Timeout": 1.5}
