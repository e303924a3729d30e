from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from tidings.cos import CosNotification_auto as notification
from tidings.cos import CosNotifyChannelAdmin_auto as channel_admin
from tidings.cos import CosNotifyFilter_auto as notify_filter
from tidings.cos import NotificationServiceAgent_auto as agent
from tidings.cos.idl_files import FOLDER, MODULES, generated, load_idl, module_of
from tidings.errors import AdminNotFound, AlreadyConnected, InvalidConstraint, TidingsError
from tidings.events import typecode as tc
from tidings.events.anyvalue import Any
from tidings.idl.faults import Source
from tidings.orb.cdr_reader import Reader
from tidings.orb.cdr_values import read_value, write_value
from tidings.orb.cdr_writer import Writer


def module(name: str) -> ModuleType:
    return importlib.import_module(f"tidings.cos.{name}_auto")


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_what_its_file_generates(name: str) -> None:
    path = FOLDER.parent / f"{name}_auto.py"
    same = path.read_text(encoding="utf-8") == generated(name)
    assert same, f"generate it again: tidings idl compile {name}.idl -o src/tidings/cos"


def test_every_file_has_a_module_and_every_module_a_file() -> None:
    assert {path.stem for path in FOLDER.glob("*.idl")} == set(MODULES)
    found = {path.stem.removesuffix("_auto") for path in FOLDER.parent.glob("*_auto.py")}
    assert found == set(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_exports_what_it_says(name: str) -> None:
    found = module(name)
    assert all(hasattr(found, one) for one in found.__all__)


def test_only_our_own_files_have_modules_here(tmp_path: Path) -> None:
    assert module_of(Source(str(FOLDER / "CosNaming.idl"), "")) == "tidings.cos.CosNaming_auto"
    assert module_of(Source(str(tmp_path / "CosNaming.idl"), "")) is None


def test_constants_of_properties_are_their_names() -> None:
    names = [
        *("EventReliability", "ConnectionReliability", "Priority", "StartTime", "StopTime"),
        *("Timeout", "StartTimeSupported", "StopTimeSupported", "OrderPolicy", "DiscardPolicy"),
        *("MaximumBatchSize", "PacingInterval", "MaxEventsPerConsumer", "MaxQueueLength"),
        *("MaxConsumers", "MaxSuppliers", "RejectNewEvents"),
    ]
    assert [getattr(notification, name) for name in names] == names
    assert (notification.LowestPriority, notification.HighestPriority) == (-32767, 32767)
    orders = ["AnyOrder", "FifoOrder", "PriorityOrder", "DeadlineOrder", "LifoOrder"]
    assert [getattr(notification, name) for name in orders] == [0, 1, 2, 3, 4]


def test_ids_are_those_of_the_standard() -> None:
    assert notification.EventType_TYPE.id == "IDL:omg.org/CosNotification/EventType:1.0"
    not_found = module("CosNaming").NamingContext_NotFound
    assert not_found.ID == "IDL:omg.org/CosNaming/NamingContext/NotFound:1.0"
    assert agent.Agent_INTERFACE.id == ("IDL:NotificationServiceAgent/NotificationServiceAgent:1.0")


def test_a_proxy_is_all_it_inherits_from() -> None:
    ids = channel_admin.StructuredProxyPushSupplier_INTERFACE.ids
    assert {one.removeprefix("IDL:omg.org/").removesuffix(":1.0") for one in ids} == {
        "CORBA/Object",
        "CosNotification/QoSAdmin",
        "CosNotifyChannelAdmin/ProxySupplier",
        "CosNotifyChannelAdmin/StructuredProxyPushSupplier",
        "CosNotifyComm/NotifySubscribe",
        "CosNotifyComm/StructuredPushSupplier",
        "CosNotifyFilter/FilterAdmin",
    }
    operations = channel_admin.StructuredProxyPushSupplier_INTERFACE.operations
    assert {"_get_MyType", "_set_priority_filter", "get_qos", "suspend_connection"} <= set(
        operations
    )


@pytest.mark.parametrize("error", [AlreadyConnected, AdminNotFound, InvalidConstraint])
def test_our_own_errors_name_exceptions_that_are_there(error: type[TidingsError]) -> None:
    assert error.corba_id in _exception_ids()


def _exception_ids() -> set[str]:
    found = [vars(module(name)).values() for name in MODULES]
    return {one.ID for values in found for one in values if getattr(one, "ID", "")}


def test_a_structured_event_in_an_any_is_the_same_as_without() -> None:
    event = notification.StructuredEvent(
        notification.EventHeader(
            notification.FixedEventHeader(notification.EventType("Telecom", "Alarm"), "lost"),
            [notification.Property("Priority", 4)],
        ),
        [notification.Property("count", 7)],
        "x",
    )
    by_hand, by_type = Writer(little=True), Writer(little=True)
    notification.write_StructuredEvent(by_hand, event)
    write_value(by_type, notification.StructuredEvent_TYPE, event)
    assert by_hand.getvalue() == by_type.getvalue()
    boxed = Any(notification.StructuredEvent_TYPE, event)
    writer = Writer(little=True)
    writer.any(boxed)
    assert Reader(writer.getvalue(), little=True).any() == boxed
    found = read_value(Reader(by_hand.getvalue(), little=True), notification.StructuredEvent_TYPE)
    assert found == boxed.value


# What another ORB sent for this event; the numbers are little endian.
ON_THE_WIRE = (
    b"\x08\0\0\0Telecom\0\x06\0\0\0Alarm\0\0\0\x05\0\0\0lost\0\0\0\0"
    b"\x02\0\0\0\x09\0\0\0Priority\0\0\0\0\x02\0\0\0\x04\0\0\0"
    b"\x08\0\0\0Timeout\0\x18\0\0\0\0\xe1\xf5\x05\0\0\0\0"
    b"\x01\0\0\0\x06\0\0\0count\0\0\0\x03\0\0\0\x07\0\0\0"
    b"\x12\0\0\0\0\0\0\0\x02\0\0\0x\0"
)


def test_a_structured_event_looks_on_the_wire_as_that_of_others() -> None:
    reader = Reader(ON_THE_WIRE, little=True)
    event = notification.read_StructuredEvent(reader)
    assert not reader.left
    assert event.header.fixed_header == (("Telecom", "Alarm"), "lost")
    assert [one.name for one in event.header.variable_header] == ["Priority", "Timeout"]
    assert event.header.variable_header[1].value == Any(tc.ULONGLONG, 100_000_000)
    assert event.filterable_data == (("count", 7),)
    assert event.remainder_of_body == "x"
    writer = Writer(little=True)
    notification.write_StructuredEvent(writer, event)
    assert writer.getvalue() == ON_THE_WIRE


def test_idl_at_run_time_uses_the_classes_that_are_there() -> None:
    made = load_idl(
        """#include <CosNotifyFilter.idl>
        module Mine {
          interface Checker {
            void check(in CosNotifyFilter::ConstraintExp what)
                raises (CosNotifyFilter::InvalidConstraint);
          };
        };"""
    )
    check = made.Checker_INTERFACE.operations["check"]
    assert check.exceptions == (notify_filter.InvalidConstraint,)
    assert "ConstraintExp" not in made.__all__
