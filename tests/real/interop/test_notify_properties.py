"""Quality of service and admin properties, as a client in C++ sets them and is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.interop.notifying import scene

DEFAULTS = (
    "EventReliability=short:0&ConnectionReliability=short:0&Priority=short:0&Timeout=ulonglong:0&"
    "StartTimeSupported=boolean:true&StopTimeSupported=boolean:true&MaxEventsPerConsumer=long:0&"
    "OrderPolicy=short:0&DiscardPolicy=short:0&MaximumBatchSize=long:1&PacingInterval=ulonglong:0"
)
BELOW = DEFAULTS.removeprefix("EventReliability=short:0&")


async def test_every_level_has_its_properties(notify: Path) -> None:
    async with scene(notify) as s:
        await s.proxy("c", "consumers", "push", "structured")
        await s.proxy("s", "suppliers", "push", "structured")
        assert await s.one("get_qos", "channel") == DEFAULTS
        for name in ("consumers", "suppliers", "c", "s"):
            assert await s.one("get_qos", name) == BELOW


async def test_what_is_set_is_there_and_inherited_by_what_is_made_then(notify: Path) -> None:
    async with scene(notify) as s:
        changed = "Priority=short:5&MaximumBatchSize=long:10&PacingInterval=ulonglong:10000000"
        await s.done("set_qos", "channel", changed)
        await s.id("new_admin", "own", "channel", "consumers", "AND")
        await s.id("obtain", "p", "own", "push", "sequence")
        for name in ("channel", "own", "p"):
            found = (await s.one("get_qos", name)).split("&")
            assert set(changed.split("&")) <= set(found)
        assert await s.one("get_qos", "consumers") == BELOW


async def test_a_channel_begins_as_it_was_asked_for(notify: Path) -> None:
    qos = "EventReliability=short:1&ConnectionReliability=short:1"
    async with scene(
        notify, qos=qos, admin="MaxQueueLength=long:7&RejectNewEvents=boolean:false"
    ) as s:
        found = (await s.one("get_qos", "channel")).split("&")
        assert "EventReliability=short:1" in found
        assert "ConnectionReliability=short:1" in found
        assert await s.one("get_admin", "channel") == (
            "MaxQueueLength=long:7&MaxConsumers=long:0&MaxSuppliers=long:0&"
            "RejectNewEvents=boolean:false"
        )


WRONG = {
    "Nonsense=short:1": "BAD_PROPERTY,Nonsense,null:..null:",
    "Priority=long:1": "BAD_TYPE,Priority,null:..null:",
    "OrderPolicy=short:9": "BAD_VALUE,OrderPolicy,short:0..short:3",
    "DiscardPolicy=short:-1": "BAD_VALUE,DiscardPolicy,short:0..short:4",
    "PacingInterval=utc:5": "BAD_TYPE,PacingInterval,null:..null:",
    "MaxEventsPerConsumer=long:-1": "BAD_VALUE,MaxEventsPerConsumer,long:0..long:2147483647",
}


@pytest.mark.parametrize("operation", ["set_qos", "validate_qos"])
@pytest.mark.parametrize("name", ["channel", "consumers", "suppliers", "c", "s"])
async def test_every_bad_property_is_told_and_nothing_is_changed(
    operation: str, name: str, notify: Path
) -> None:
    async with scene(notify) as s:
        await s.proxy("c", "consumers", "push", "structured")
        await s.proxy("s", "suppliers", "push", "structured")
        before = await s.one("get_qos", name)
        told = await s.one(operation, name, "&".join(("Timeout=ulonglong:5", *WRONG)))
        assert told == f"! UnsupportedQoS {' '.join(WRONG.values())}"
        assert await s.one("get_qos", name) == before


async def test_what_belongs_to_another_level_or_does_not_fit(notify: Path) -> None:
    async with scene(notify) as s:
        told = await s.one("set_qos", "consumers", "EventReliability=short:1")
        assert told == "! UnsupportedQoS UNSUPPORTED_PROPERTY,EventReliability,null:..null:"
        told = await s.one("set_qos", "channel", "StartTime=utc:1")
        assert told == "! UnsupportedQoS UNSUPPORTED_PROPERTY,StartTime,null:..null:"
        told = await s.one("set_qos", "consumers", "ConnectionReliability=short:1")
        wanted = "UNAVAILABLE_VALUE,ConnectionReliability,short:0..short:0"
        assert told == f"! UnsupportedQoS {wanted}"
        told = await s.one("create_channel", "-", "factory", "OrderPolicy=short:8", "")
        assert told == "! UnsupportedQoS BAD_VALUE,OrderPolicy,short:0..short:3"
        told = await s.one("create_channel", "-", "factory", "", "MaxConsumers=long:-1")
        assert told == "! UnsupportedAdmin BAD_VALUE,MaxConsumers,long:0..long:2147483647"
        assert await s.one("show", "factory", "channels") == "1,2"


async def test_what_else_could_be_set_is_told(notify: Path) -> None:
    async with scene(notify) as s:
        await s.proxy("c", "consumers", "push", "structured")
        told = (await s.one("validate_qos", "c", "Priority=short:3")).split("&")
        assert "OrderPolicy=short:0..short:3" in told
        assert "MaximumBatchSize=long:1..long:2147483647" in told
        assert not any(line.startswith("Priority=") for line in told)
        told = (await s.one("validate_event_qos", "c", "Priority=short:3")).split("&")
        names = [line.partition("=")[0] for line in told]
        assert names == ["EventReliability", "StartTime", "StopTime", "Timeout"]
        refused = await s.one("validate_event_qos", "c", "Priority=string:x&OrderPolicy=short:1")
        assert refused == (
            "! UnsupportedQoS BAD_TYPE,Priority,null:..null: "
            "UNSUPPORTED_PROPERTY,OrderPolicy,null:..null:"
        )


async def test_admin_properties_are_set_all_or_nothing(notify: Path) -> None:
    async with scene(notify) as s:
        await s.done("set_admin", "channel", "MaxConsumers=long:1&MaxQueueLength=long:5")
        before = await s.one("get_admin", "channel")
        assert before.startswith("MaxQueueLength=long:5&MaxConsumers=long:1&")
        told = await s.one(
            "set_admin", "channel", "MaxSuppliers=long:2&MaxConsumers=short:2&X=long:1"
        )
        assert told == (
            "! UnsupportedAdmin BAD_TYPE,MaxConsumers,null:..null: BAD_PROPERTY,X,null:..null:"
        )
        assert await s.one("get_admin", "channel") == before
        await s.id("obtain", "one", "consumers", "push", "any")
        told = await s.one("obtain", "two", "consumers", "push", "any")
        assert told == "! AdminLimitExceeded MaxConsumers=long:1"
        told = await s.one("obtain", "two", "consumers", "push", "event")
        assert told == "! IMP_LIMIT minor 0 completed 1"
        await s.done("disconnect", "one")
        await s.id("obtain", "two", "consumers", "push", "any")


async def test_a_full_channel_refuses(notify: Path) -> None:
    async with scene(notify, admin="MaxQueueLength=long:2") as s:
        await s.proxy("c", "consumers", "pull", "structured")
        await s.proxy("s", "suppliers", "push", "structured")
        await s.done("push", "s", "a|b|1|||null:", "a|b|2|||null:")
        assert await s.one("push", "s", "a|b|3|||null:") == "! IMP_LIMIT minor 0 completed 1"
        assert await s.one("pull", "c") == "a|b|1|||null:"
        await s.done("push", "s", "a|b|4|||null:")
