"""Filters and mapping filters made, attached, changed and removed by a client in C++."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real.interop.notifying import Scene, scene

GRAMMAR = "EXTENDED_TCL"


def event(name: str, rate: int, domain: str = "Traffic", type: str = "Speed") -> str:
    return f"{domain}|{type}|{name}||rate=long:{rate}|null:"


def pushed(name: str, rate: int, domain: str = "Traffic", type: str = "Speed") -> str:
    return f"c-client push_structured_event {event(name, rate, domain, type)}"


NONE_NOW_UPDATES_OFF = "2"


async def flow(s: Scene) -> None:
    """A consumer and a supplier that is not told of what is wanted."""
    await s.proxy("c", "consumers", "push", "structured")
    await s.proxy("s", "suppliers", "push", "structured")
    await s.do("obtain_types", "s", NONE_NOW_UPDATES_OFF)


async def sent(s: Scene) -> None:
    """Sends three events that filters can tell from each other."""
    await s.done("push", "s", event("slow", 10), event("fast", 90), event("x", 50, "Other", "Y"))


async def test_constraints_are_added_changed_and_removed(notify: Path) -> None:
    async with scene(notify) as s:
        await s.done("create_filter", "f", "filters", GRAMMAR)
        assert await s.one("grammar", "f") == GRAMMAR
        added = await s.do(
            *("add_constraints", "f", "Traffic::*", "$rate > 50", "A::B,C::D", "$x == 'y'", "", "")
        )
        assert added == ["1 [Traffic::*] $rate > 50", "2 [A::B,C::D] $x == 'y'", "3 [] "]
        assert await s.do("all_constraints", "f") == added
        assert await s.do("get_constraints", "f", "3,1") == [added[2], added[0]]
        await s.done("modify_constraints", "f", "3", "1", "Traffic::Speed", "$rate > 80")
        assert await s.do("all_constraints", "f") == ["1 [Traffic::Speed] $rate > 80", added[1]]
        assert await s.one("match_structured", "f", event("n", 90)) == "true"
        assert await s.one("match_structured", "f", event("n", 70)) == "false"
        await s.done("remove_all_constraints", "f")
        assert await s.do("all_constraints", "f") == []
        await s.done("destroy", "f")
        told = await s.one("all_constraints", "f")
        assert told == "! OBJECT_NOT_EXIST minor 4f4d0001 completed 1"


async def test_what_is_wrong_with_constraints_is_told_by_typed_exceptions(notify: Path) -> None:
    async with scene(notify) as s:
        assert await s.one("create_filter", "f", "filters", "SQL") == "! InvalidGrammar"
        await s.done("create_filter", "f", "filters", GRAMMAR)
        kept = await s.do("add_constraints", "f", "", "$a == 1")
        told = await s.one("add_constraints", "f", "", "$b == 2", "D::T", "$a ==")
        assert told == "! InvalidConstraint [D::T] $a =="
        told = await s.one("modify_constraints", "f", "", "1", "X::Y", "((")
        assert told == "! InvalidConstraint [X::Y] (("
        assert await s.one("modify_constraints", "f", "7") == "! ConstraintNotFound 7"
        assert await s.one("modify_constraints", "f", "", "8", "", "") == "! ConstraintNotFound 8"
        assert await s.one("get_constraints", "f", "1,9") == "! ConstraintNotFound 9"
        assert await s.do("all_constraints", "f") == kept


async def test_filters_match_every_form_of_event(notify: Path) -> None:
    async with scene(notify) as s:
        await s.done("create_filter", "f", "filters", GRAMMAR)
        await s.do("add_constraints", "f", "", "$.a == 1", "", "$rate == 5", "", "$.uu.s == 'hi'")
        assert await s.one("match", "f", "S:1;2.5;red=7") == "true"
        assert await s.one("match", "f", "S:2;2.5;red=7") == "false"
        assert await s.one("match", "f", "S:2;2.5;green=hi") == "true"
        assert await s.one("match_structured", "f", event("n", 5)) == "true"
        assert await s.one("match_typed", "f", "rate=long:5&x=string:y") == "true"
        assert await s.one("match_typed", "f", "rate=long:6") == "false"


@pytest.mark.parametrize("holder", ["c", "consumers", "s", "suppliers"])
async def test_filters_are_attached_to_proxies_and_admins(holder: str, notify: Path) -> None:
    async with scene(notify) as s:
        await flow(s)
        await s.done("create_filter", "f", "filters", GRAMMAR)
        await s.do("add_constraints", "f", "Traffic::*", "$rate > 50")
        id = await s.id("add_filter", holder, "f")
        assert await s.one("all_filters", holder) == str(id)
        assert await s.one("find", "-", holder, "filter", str(id)) == "f"
        await sent(s)
        await s.hears(pushed("fast", 90))
        await s.done("modify_constraints", "f", "", "1", "", "$rate <= 50")
        await sent(s)
        await s.hears(pushed("slow", 10), pushed("x", 50, "Other", "Y"))
        await s.done("remove_filter", holder, str(id))
        assert await s.one("remove_filter", holder, str(id)) == "! FilterNotFound"
        assert await s.one("find", "-", holder, "filter", str(id)) == "! FilterNotFound"
        assert await s.one("add_filter", holder, "nil") == "! BAD_PARAM minor 0 completed 1"
        await sent(s)
        await s.hears(pushed("slow", 10), pushed("fast", 90), pushed("x", 50, "Other", "Y"))


async def test_a_filter_that_is_destroyed_is_dropped_by_its_holders(notify: Path) -> None:
    async with scene(notify) as s:
        await flow(s)
        for name in ("f", "g"):
            await s.done("create_filter", name, "filters", GRAMMAR)
            await s.do("add_constraints", name, "", "FALSE")
            await s.id("add_filter", "c", name)
        await s.done("destroy", "f")
        assert await s.one("all_filters", "c") == "2"
        await s.done("remove_all_filters", "c")
        assert await s.one("all_filters", "c") == ""
        await s.done("push", "s", event("n", 1))
        await s.hears(pushed("n", 1))


@pytest.mark.parametrize(("operator", "passes"), [("AND", False), ("OR", True)])
async def test_the_filters_of_an_admin_are_joined_with_those_of_its_proxies(
    operator: str, passes: bool, notify: Path
) -> None:
    async with scene(notify) as s:
        await s.id("new_admin", "own", "channel", "consumers", operator)
        assert await s.one("show", "own", "MyOperator") == operator
        await s.proxy("c", "own", "push", "structured")
        await s.proxy("s", "suppliers", "push", "structured")
        for holder, text in (("own", "$rate > 50"), ("c", "$rate < 50")):
            await s.done("create_filter", f"f-{holder}", "filters", GRAMMAR)
            await s.do("add_constraints", f"f-{holder}", "", text)
            await s.id("add_filter", holder, f"f-{holder}")
        await s.done("push", "s", event("a", 60), event("b", 40), event("neither", 50))
        if passes:
            await s.hears(pushed("a", 60), pushed("b", 40))
        else:
            await s.hears()


async def test_callbacks_hear_what_a_filter_asks_for(notify: Path) -> None:
    async with scene(notify) as s:
        await s.done("create_filter", "f", "filters", GRAMMAR)
        id = await s.id("attach_callback", "f", "listener")
        assert await s.one("callbacks", "f") == str(id)
        await s.do("add_constraints", "f", "A::B", "", "A::C,A::B", "")
        await s.hears("listener subscription_change +A::B,A::C -")
        await s.done("modify_constraints", "f", "2")
        await s.hears("listener subscription_change + -A::C")
        await s.done("detach_callback", "f", str(id))
        assert await s.one("detach_callback", "f", str(id)) == "! CallbackNotFound"
        assert await s.one("callbacks", "f") == ""
        await s.done("remove_all_constraints", "f")
        await s.hears()


async def test_mapping_filters_are_made_changed_and_asked(notify: Path) -> None:
    async with scene(notify) as s:
        await s.done("create_mapping", "m", "filters", GRAMMAR, "short:-1")
        assert await s.one("mapping", "m") == f"{GRAMMAR} 2 short:-1"
        added = await s.do(
            *("add_mapped", "m", "", "$rate > 50", "short:1", "Traffic::*", "$rate > 80"),
            "short:7",
        )
        assert added == ["1 [] $rate > 50 -> short:1", "2 [Traffic::*] $rate > 80 -> short:7"]
        assert await s.do("all_mapped", "m") == added
        assert await s.do("get_mapped", "m", "2") == added[1:]
        assert await s.one("match_mapped", "m", event("n", 90)) == "true short:7"
        assert await s.one("match_mapped", "m", event("n", 60)) == "true short:1"
        assert await s.one("match_mapped", "m", event("n", 40)) == "false short:-1"
        told = await s.one("add_mapped", "m", "A::B", "$a", "long:5")
        assert told == "! InvalidValue [A::B] $a long:5"
        told = await s.one("add_mapped", "m", "A::B", "$a ==", "short:5")
        assert told == "! InvalidConstraint [A::B] $a =="
        await s.done("modify_mapped", "m", "1", "2", "", "$rate > 70", "short:9")
        assert await s.do("all_mapped", "m") == ["2 [] $rate > 70 -> short:9"]
        assert await s.one("get_mapped", "m", "1") == "! ConstraintNotFound 1"
        await s.done("remove_all_mapped", "m")
        assert await s.do("all_mapped", "m") == []
        await s.done("destroy", "m")
        assert (await s.one("all_mapped", "m")).startswith("! OBJECT_NOT_EXIST")


@pytest.mark.parametrize("holder", ["c", "consumers"])
async def test_a_mapping_filter_gives_events_their_priority(holder: str, notify: Path) -> None:
    async with scene(notify) as s:
        await s.proxy("c", "consumers", "pull", "structured")
        await s.proxy("s", "suppliers", "push", "structured")
        await s.done("create_mapping", "m", "filters", GRAMMAR, "short:0")
        await s.do("add_mapped", "m", "", "$rate > 50", "short:10")
        await s.done("set_mapping", holder, "priority", "m")
        assert await s.one("get", "-", holder, "priority_filter") == "m"
        assert await s.one("get", "-", holder, "lifetime_filter") == "nil"
        await s.done("push", "s", event("slow", 10), event("fast", 90))
        assert [await s.one("pull", "c") for _ in range(2)] == [
            event("fast", 90),
            event("slow", 10),
        ]
        await s.done("set_mapping", holder, "priority", "nil")
        assert await s.one("get", "-", holder, "priority_filter") == "nil"
        await s.done("push", "s", event("slow", 10), event("fast", 90))
        assert [await s.one("pull", "c") for _ in range(2)] == [
            event("slow", 10),
            event("fast", 90),
        ]


async def test_a_mapping_filter_gives_events_their_lifetime(notify: Path) -> None:
    async with scene(notify) as s:
        await s.proxy("c", "consumers", "pull", "structured")
        await s.proxy("s", "suppliers", "push", "structured")
        await s.done("create_mapping", "m", "filters", GRAMMAR, "ulonglong:0")
        await s.do("add_mapped", "m", "", "$rate > 50", "ulonglong:1")
        await s.done("set_mapping", "c", "lifetime", "m")
        await s.done("push", "s", event("short-lived", 90), event("stays", 10))
        assert await s.one("pull", "c") == event("stays", 10)
        await s.done("create_mapping", "wrong", "filters", GRAMMAR, "string:x")
        told = await s.one("set_mapping", "c", "lifetime", "wrong")
        assert told == "! BAD_PARAM minor 0 completed 1"
