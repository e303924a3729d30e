"""What happens around events: pauses, batches, offers and subscriptions, ends of things."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.real.interop.notifying import Scene, scene

ALL_NOW_UPDATES_OFF, ALL_NOW_UPDATES_ON, NONE_NOW_UPDATES_OFF, NONE_NOW_UPDATES_ON = "0123"

OPERATIONS = {
    "any": ("long:{}", "push event:{{{}}}"),
    "structured": ("a|b|{}|||null:", "push_structured_event {}"),
    "sequence": ("a|b|{}|||null:", "push_structured_events 1 {}"),
}


def event(name: object) -> str:
    return f"a|b|{name}|||null:"


@pytest.mark.parametrize("form", ["any", "structured", "sequence"])
async def test_a_consumer_pauses_and_goes_on(form: str, notify: Path) -> None:
    async with scene(notify) as s:
        await s.id("obtain", "c", "consumers", "push", form)
        assert await s.one("suspend", "c") == "! NotConnected"
        assert await s.one("resume", "c") == "! NotConnected"
        await s.done("connect", "c", "client")
        assert await s.one("resume", "c") == "! ConnectionAlreadyActive"
        await s.done("suspend", "c")
        assert await s.one("suspend", "c") == "! ConnectionAlreadyInactive"
        await s.proxy("s", "suppliers", "push", "structured")
        await s.done("push", "s", event(1), event(2))
        await asyncio.sleep(0.1)
        assert not s.client.heard
        await s.done("resume", "c")
        told = OPERATIONS[form][1]
        await s.hears(*(f"client {told.format(event(at))}" for at in (1, 2)))


@pytest.mark.parametrize("form", ["any", "structured", "sequence"])
async def test_a_pull_supplier_pauses_and_goes_on(form: str, notify: Path) -> None:
    async with scene(notify) as s:
        await s.proxy("s", "suppliers", "pull", form)
        await s.done("suspend", "s")
        assert await s.one("suspend", "s") == "! ConnectionAlreadyInactive"
        await s.proxy("c", "consumers", "pull", form)
        await asyncio.sleep(0.2)  # who was asked just before may still answer
        item = OPERATIONS[form][0].format(7)
        await s.done("give", "s-client", item)
        await asyncio.sleep(0.2)
        assert (await s.one("try_pull", "c", "1")).startswith("none ")
        await s.done("resume", "s")
        got = await s.one("pull", "c", "1")
        assert got == (f"1 {item}" if form == "sequence" else item)


async def test_batches_are_as_large_as_asked_and_wait_as_long(notify: Path) -> None:
    async with scene(notify) as s:
        await s.id("obtain", "c", "consumers", "push", "sequence")
        half_a_second = "PacingInterval=ulonglong:5000000"
        await s.done("set_qos", "c", f"MaximumBatchSize=long:3&{half_a_second}")
        await s.done("connect", "c", "client")
        await s.proxy("s", "suppliers", "push", "sequence")
        await s.done("push", "s", *(event(at) for at in range(4)))
        first = " ; ".join(event(at) for at in range(3))
        await s.hears(f"client push_structured_events 3 {first}")
        await s.hears(f"client push_structured_events 1 {event(3)}")


async def test_a_batch_reaches_a_consumer_of_batches_of_its_size_whole(notify: Path) -> None:
    async with scene(notify) as s:
        await s.id("obtain", "c", "consumers", "push", "sequence")
        await s.done("set_qos", "c", "MaximumBatchSize=long:100")
        await s.done("connect", "c", "client")
        await s.proxy("s", "suppliers", "push", "sequence")
        for _ in range(3):
            await s.done("push", "s", *(event(at) for at in range(100)))
        await s.client.until(lambda heard: len(heard) == 3)
        whole = " ; ".join(event(at) for at in range(100))
        assert s.client.heard == [f"client push_structured_events 100 {whole}"] * 3


async def test_what_cannot_be_accepted_whole_is_refused_whole(notify: Path) -> None:
    async with scene(notify, admin="MaxQueueLength=long:2") as s:
        await s.proxy("c", "consumers", "pull", "sequence")
        await s.proxy("s", "suppliers", "push", "sequence")
        full = await s.one("push", "s", *(event(at) for at in range(4)))
        assert full == "! IMP_LIMIT minor 0 completed 1"
        twice = "a|b|c||x=long:1&x=long:2&y=long:3|null:"
        assert await s.one("push", "s", event(0), twice) == "! BAD_PARAM minor 0 completed 1"
        await s.done("push", "s", event(0), event(1))
        assert await s.one("pull", "c", "10") == f"2 {event(0)} ; {event(1)}"


async def test_consumers_hear_what_is_offered(notify: Path) -> None:
    async with scene(notify) as s:
        await s.proxy("c", "consumers", "push", "structured")
        await s.proxy("s", "suppliers", "push", "structured")
        await s.done("offer_change", "s", "A::B,A::C", "")
        await s.hears("c-client offer_change +A::B,A::C -")
        await s.done("offer_change", "suppliers", "A::C,A::D", "")
        await s.hears("c-client offer_change +A::D -")
        await s.done("offer_change", "s", "", "A::B,A::C")
        await s.hears("c-client offer_change + -A::B")
        assert await s.one("obtain_types", "c", ALL_NOW_UPDATES_OFF) == "A::C,A::D"
        await s.done("offer_change", "s", "X::Y", "")
        await s.hears()
        assert await s.one("obtain_types", "c", NONE_NOW_UPDATES_ON) == ""
        await s.done("disconnect", "s")
        await s.hears(
            "s-client disconnect_structured_push_supplier", "c-client offer_change + -X::Y"
        )


async def test_suppliers_hear_what_is_wanted(notify: Path) -> None:
    async with scene(notify) as s:
        await s.proxy("s", "suppliers", "push", "any")
        await s.proxy("c", "consumers", "pull", "sequence")
        await s.hears("s-client subscription_change +::%ALL -")
        await s.done("subscription_change", "c", "A::B,A::*", "")
        await s.hears("s-client subscription_change +A::*,A::B -::%ALL")
        assert await s.one("obtain_types", "s", ALL_NOW_UPDATES_ON) == "A::*,A::B"
        await s.done("create_filter", "f", "filters", "EXTENDED_TCL")
        await s.do("add_constraints", "f", "F::G", "")
        await s.id("add_filter", "c", "f")
        await s.client.until(lambda heard: any("F::G" in line for line in heard))
        s.client.heard.clear()
        assert await s.one("obtain_types", "s", NONE_NOW_UPDATES_OFF) == ""
        await s.done("subscription_change", "c", "", "A::B")
        await s.hears()


async def test_a_subscription_list_lets_only_its_types_through(notify: Path) -> None:
    async with scene(notify) as s:
        await s.proxy("c", "consumers", "push", "structured")
        await s.done("subscription_change", "c", "A::B", "")
        await s.proxy("s", "suppliers", "push", "structured")
        await s.do("obtain_types", "s", NONE_NOW_UPDATES_OFF)
        s.client.heard.clear()
        await s.done("push", "s", "A::B|x|no|||null:", "A|B|yes|||null:", "A|C|no|||null:")
        await s.hears("c-client push_structured_event A|B|yes|||null:")
        told = await s.one("subscription_change", "c", "A::%ALL", "")
        assert told == "! InvalidEventType A::%ALL"
        told = await s.one("offer_change", "s", "A::%MINE", "")
        assert told == "! InvalidEventType A::%MINE"


async def test_plain_event_clients_hear_of_no_types(notify: Path) -> None:
    async with scene(notify) as s:
        for name, admin in (("c", "consumers"), ("s", "suppliers")):
            await s.proxy(name, admin, "push", "event")
        await s.proxy("s2", "suppliers", "push", "structured")
        await s.done("offer_change", "s2", "A::B", "")
        await s.done("push", "s", "long:1")
        await s.hears("c-client push long:1")


async def test_a_consumer_that_says_it_is_gone_loses_its_proxy(notify: Path) -> None:
    async with scene(notify) as s:
        await s.proxy("c", "consumers", "push", "structured")
        await s.proxy("s", "suppliers", "push", "structured")
        await s.done("mode", "c-client", "gone")
        await s.done("push", "s", event(1))
        await s.client.until(lambda heard: len(heard) == 1)
        await until_gone(s, "c")


async def test_a_consumer_whose_object_is_no_more_loses_its_proxy(notify: Path) -> None:
    async with scene(notify) as s:
        await s.proxy("c", "consumers", "push", "any")
        await s.proxy("s", "suppliers", "push", "any")
        await s.done("end", "c-client")
        await s.done("push", "s", "long:1")
        await until_gone(s, "c")


async def test_a_consumer_that_fails_gets_its_events_later_and_in_order(notify: Path) -> None:
    async with scene(notify, rules__retry_first="100 ms", rules__retry_longest="100 ms") as s:
        await s.proxy("c", "consumers", "push", "structured")
        await s.proxy("s", "suppliers", "push", "structured")
        await s.done("mode", "c-client", "failing")
        await s.done("push", "s", event(1), event(2))
        await asyncio.sleep(0.2)
        await s.done("mode", "c-client", "good")
        await s.client.until(lambda heard: len(heard) == 2)
        assert s.client.heard == [f"c-client push_structured_event {event(at)}" for at in (1, 2)]


async def until_gone(s: Scene, name: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while await s.one("non_existent", name) != "true":  # noqa: ASYNC110 -- over the wire
            await asyncio.sleep(0.02)


async def test_admins_and_channels_are_found_and_end_with_all_in_them(notify: Path) -> None:
    async with scene(notify) as s:
        first = await s.id("new_admin", "own", "channel", "consumers", "AND")
        second = await s.id("new_admin", "other", "channel", "suppliers", "OR")
        assert await s.one("show", "channel", "consumers") == f"0,{first}"
        assert await s.one("show", "channel", "suppliers") == f"0,{second}"
        assert await s.one("show", "own", "MyID") == str(first)
        assert await s.one("find", "-", "channel", "consumers", str(first)) == "own"
        assert await s.one("find", "-", "channel", "suppliers", str(second)) == "other"
        assert await s.one("find", "-", "channel", "suppliers", "77") == "! AdminNotFound"
        assert await s.one("find", "-", "factory", "channel", "77") == "! ChannelNotFound"
        assert await s.one("get", "-", "own", "MyChannel") == "channel"
        assert await s.one("get", "-", "channel", "MyFactory") != "nil"
        assert await s.one("get", "-", "channel", "for_consumers") == "consumers"
        await s.proxy("c", "own", "push", "structured")
        await s.proxy("d", "consumers", "pull", "any")
        await s.done("destroy", "own")
        await s.hears("c-client disconnect_structured_push_consumer")
        assert await s.one("non_existent", "own") == "true"
        assert await s.one("non_existent", "c") == "true"
        await s.done("destroy", "channel")
        await s.hears("d-client disconnect_pull_consumer")
        assert (await s.one("get_qos", "channel")).startswith("! OBJECT_NOT_EXIST")
        assert await s.one("show", "factory", "channels") == "1"
