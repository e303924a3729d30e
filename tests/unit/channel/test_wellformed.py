from __future__ import annotations

from typing import Any, get_args

import pytest

from tests.unit.channel.machine import ORIGIN, Machine
from tidings.channel import commands as c
from tidings.channel import management as m
from tidings.channel.effects import Deliver
from tidings.channel.vocabulary import Form, InfoMode, Place, Side, Style
from tidings.channel.wellformed import check_command, is_checked
from tidings.errors import InvalidUsage
from tidings.filters.constraint import EventTypePattern, constraint

ANYTHING: Any = object()
PATTERN = EventTypePattern("Traffic", "Speed")

# Each a well-formed command, and a part with what it must not be.
WRONG: list[tuple[m.Management, str, Any]] = [
    (m.CreateChannel(ORIGIN, name=5), "name", "a text, not 5"),  # type: ignore[arg-type]
    (m.CreateChannel(ORIGIN, qos=5), "qos", "a mapping of"),  # type: ignore[arg-type]
    (m.NewAdmin(1, Side.CONSUMER, "AND"), "operator", "Operator.AND"),  # type: ignore[arg-type]
    (m.ObtainProxy(1, Side.CONSUMER, Style.PUSH, 1), "form", "Form.ANY"),  # type: ignore[arg-type]
    (m.Connect(1, 1, window=1.5), "window", "a whole number"),  # type: ignore[arg-type]
    (m.Connect(1, 1, window=True), "window", "a whole number"),
    (m.Connect(1, 1, window=2**63), "window", "at most 64 bits"),
    (m.Connect(1, 1, again=1), "again", "True or False"),  # type: ignore[arg-type]
    (m.SetQoS(1, {}), "place", "a Place"),  # type: ignore[arg-type]
    (m.SetQoS(Place(1, proxy="x"), {}), "proxy", "or None, not 'x'"),  # type: ignore[arg-type]
    (m.SetQoS(Place(1, "x", 0), {}), "side", "Side.SUPPLIER"),  # type: ignore[arg-type]
    (m.CreateFilter(["$a == 1"]), "constraints", "a list of"),  # type: ignore[list-item]
    (m.CreateFilter(5), "constraints", "a list of Constraint"),  # type: ignore[arg-type]
    (m.ModifyConstraints(1, (), {1: "x"}), "replace", "to Con"),  # type: ignore[dict-item]
    (m.ModifyConstraints(1, ["x"]), "delete", "a list of int"),  # type: ignore[list-item]
    (m.OfferChange(Place(1), ["A::b"]), "added", "a list of Event"),  # type: ignore[list-item]
    (m.ObtainTypes(1, 1, 0), "mode", "InfoMode."),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("command", "part", "right"), WRONG)
def test_what_is_no_command_is_refused(command: m.Management, part: str, right: str) -> None:
    with pytest.raises(InvalidUsage) as caught:
        check_command(command)
    assert str(caught.value).startswith(f"{part} of ")
    assert right in str(caught.value)


@pytest.mark.parametrize(
    "command",
    [
        m.CreateChannel(ORIGIN, {"Priority": 3}, {}, "name"),
        m.ObtainProxy(1, Side.SUPPLIER, Style.PULL, Form.SEQUENCE, 0, {}, "name", "ann", True),
        m.Connect(1, 2, window=2**62, again=True),
        m.SetQoS(Place(1, Side.CONSUMER, 0), {}),
        m.CreateFilter([constraint("$a == 1")]),
        m.ModifyConstraints(1, [3], {4: constraint("$a == 1")}),
        m.CreateMapping(ANYTHING),
        m.SetMapping(Place(1, proxy=2), "priority", None),
        m.OfferChange(Place(1, proxy=2), [PATTERN], (PATTERN,)),
        m.ObtainTypes(1, 1, InfoMode.ALL_NOW_UPDATES_OFF),
    ],
)
def test_commands_pass(command: m.Management) -> None:
    check_command(command)


def test_all_but_the_flow_of_events_is_checked() -> None:
    assert all(is_checked(kind) for kind in get_args(m.Management))
    assert not is_checked(c.Push)


def test_a_window_of_one_is_nobody_elses_trouble() -> None:
    machine = Machine()
    consumer = machine.new_consumer()
    silly = machine.do(m.ObtainProxy(machine.channel, Side.CONSUMER, Style.PUSH))
    with pytest.raises(InvalidUsage, match=r"window of Connect .* not 1\.5"):
        machine.do(m.Connect(machine.channel, silly, window=1.5))  # type: ignore[arg-type]
    machine.push("a")
    assert [one.proxy for one in machine.of(Deliver)] == [consumer]


def test_a_proxy_with_a_form_that_is_none_is_not_made() -> None:
    machine = Machine()
    before = machine.view()
    with pytest.raises(InvalidUsage, match=r"form of ObtainProxy must be one of Form\.ANY"):
        machine.do(
            m.ObtainProxy(machine.channel, Side.CONSUMER, Style.PUSH, "any")  # type: ignore[arg-type]
        )
    assert machine.view() == before
