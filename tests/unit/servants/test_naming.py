"""Names: bound, found, listed, and what is refused."""

from __future__ import annotations

import asyncio

import pytest

from tests.unit.servants.opened import Whole, name, play, whole
from tidings.cos.CosNaming_auto import (
    Binding,
    BindingIterator,
    BindingType,
    NameComponent,
    NamingContext,
    NamingContext_AlreadyBound,
    NamingContext_CannotProceed,
    NamingContext_InvalidName,
    NamingContext_NotEmpty,
    NamingContext_NotFound,
    NamingContextExt_InvalidAddress,
)
from tidings.events.reference import Reference
from tidings.orb.exceptions import BAD_PARAM, NO_PERMISSION, OBJECT_NOT_EXIST
from tidings.orb.ior import make_reference
from tidings.orb.pseudo import NON_EXISTENT
from tidings.servants.naming import name_text, read_name

THERE = make_reference("IDL:X:1.0", "there.example", 1, b"x")
OTHER = make_reference("IDL:X:1.0", "other.example", 1, b"x")


def test_names_are_bound_found_and_taken_away() -> None:
    async def part(w: Whole) -> None:
        root = w.root
        await root.bind(name("a"), THERE)
        assert await root.resolve(name("a")) == THERE
        with pytest.raises(NamingContext_AlreadyBound):
            await root.bind(name("a"), OTHER)
        await root.rebind(name("a"), OTHER)
        assert await root.resolve(name("a")) == OTHER
        assert await root.resolve_str("a") == OTHER
        await root.unbind(name("a"))
        with pytest.raises(NamingContext_NotFound) as missing:
            await root.resolve(name("a"))
        assert (missing.value.why, missing.value.rest_of_name) == ("missing_node", name("a"))

    play(part)


def test_references_to_contexts_and_lists_of_another_run_lead_nowhere() -> None:
    async def run() -> None:
        kept: list[Reference] = []
        async with whole() as before:
            kept.append(await before.root.new_context())
            _, rest = await before.root.list(1)
            kept.append(rest)
            port = before.address.port
            assert not await before.client.non_existent(kept[0])
        async with whole(port=port) as after:
            await after.root.new_context()
            await after.root.list(1)
            for reference in kept:
                with pytest.raises(OBJECT_NOT_EXIST):
                    await after.client.call(reference, NON_EXISTENT, ())
            # The service's own contexts are the same in every run.
            found = await after.root.resolve_str("channels/default")
            assert found.type_id == "IDL:omg.org/CosNotifyChannelAdmin/EventChannel:1.0"

    asyncio.run(run())


def test_the_kind_is_part_of_a_name() -> None:
    async def part(w: Whole) -> None:
        await w.root.bind([NameComponent("a", "one")], THERE)
        await w.root.bind([NameComponent("a", "two")], OTHER)
        assert await w.root.resolve_str("a.one") == THERE
        assert await w.root.resolve_str("a.two") == OTHER

    play(part)


def test_contexts_stand_in_contexts() -> None:
    async def part(w: Whole) -> None:
        root = w.root
        inner = w.client.stub(NamingContext, await root.bind_new_context(name("in")))
        await inner.bind(name("a"), THERE)
        assert await root.resolve(name("in", "a")) == THERE
        await root.bind(name("in", "b"), OTHER)
        assert await inner.resolve(name("b")) == OTHER
        again = w.client.stub(NamingContext, await root.resolve(name("in")))
        assert await again.resolve(name("a")) == THERE
        with pytest.raises(NamingContext_NotEmpty):
            await inner.destroy()
        await inner.unbind(name("a"))
        await inner.unbind(name("b"))
        await inner.destroy()
        with pytest.raises(OBJECT_NOT_EXIST):
            await inner.resolve(name("a"))
        with pytest.raises(NamingContext_NotFound):
            await root.resolve(name("in", "a"))

    play(part)


def test_a_name_may_go_on_only_in_a_context() -> None:
    async def part(w: Whole) -> None:
        root = w.root
        await root.bind(name("a"), THERE)
        with pytest.raises(NamingContext_NotFound) as no_context:
            await root.resolve(name("a", "b", "c"))
        told = no_context.value
        assert (told.why, told.rest_of_name) == ("not_context", name("a", "b", "c"))
        with pytest.raises(NamingContext_NotFound) as wrong:
            await root.rebind_context(name("a"), THERE)
        assert wrong.value.why == "not_context"
        await root.bind_new_context(name("in"))
        with pytest.raises(NamingContext_NotFound) as other:
            await root.rebind(name("in"), THERE)
        assert other.value.why == "not_object"
        with pytest.raises(NamingContext_AlreadyBound):
            await root.bind_new_context(name("in"))
        with pytest.raises(BAD_PARAM):
            await root.bind_context(name("nil"), Reference())

    play(part)


def test_contexts_of_others_are_told_and_not_asked() -> None:
    async def part(w: Whole) -> None:
        await w.root.bind_context(name("there"), THERE)
        assert await w.root.resolve(name("there")) == THERE
        with pytest.raises(NamingContext_CannotProceed) as elsewhere:
            await w.root.resolve(name("there", "a", "b"))
        told = elsewhere.value
        assert (told.cxt, told.rest_of_name) == (THERE, name("a", "b"))

    play(part)


def test_a_context_without_a_name_gets_one_later() -> None:
    async def part(w: Whole) -> None:
        made = await w.root.new_context()
        await w.client.stub(NamingContext, made).bind(name("a"), THERE)
        await w.root.bind_context(name("late"), made)
        assert await w.root.resolve(name("late", "a")) == THERE

    play(part)


@pytest.mark.parametrize("wrong", [(), name(*"a" * 65), name("a" * 1_025)], ids=len)
def test_names_that_are_none(wrong: tuple[NameComponent, ...]) -> None:
    async def part(w: Whole) -> None:
        with pytest.raises(NamingContext_InvalidName):
            await w.root.resolve(wrong)
        with pytest.raises(NamingContext_InvalidName):
            await w.root.bind(wrong, THERE)

    play(part)


def test_a_list_is_read_to_its_end() -> None:
    async def part(w: Whole) -> None:
        context = w.client.stub(NamingContext, await w.root.new_context())
        for at in range(10):
            await context.bind(name(str(at)), THERE)
        listed, rest = await context.list(3)
        found = [*listed]
        more = w.client.stub(BindingIterator, rest)
        there, binding = await more.next_one()
        assert there
        found.append(binding)
        there, bindings = await more.next_n(100)
        assert there
        found += bindings
        assert found == [Binding(name(str(at)), BindingType.nobject) for at in range(10)]
        assert await more.next_one() == (False, Binding((), BindingType.nobject))
        assert await more.next_n(1) == (False, ())
        with pytest.raises(BAD_PARAM):
            await more.next_n(0)
        await more.destroy()
        with pytest.raises(OBJECT_NOT_EXIST):
            await more.next_one()
        listed, rest = await context.list(10)
        assert (len(listed), rest.profiles) == (10, ())

    play(part)


def test_the_services_own_objects_are_there() -> None:
    async def part(w: Whole) -> None:
        listed, _ = await w.root.list(100)
        found = {name_text(one.binding_name): one.binding_type.value for one in listed}
        assert found == {
            "NotificationService": "nobject",
            "NotifyEventChannelFactory": "nobject",
            "DefaultFilterFactory": "nobject",
            "NotificationServiceAgent": "nobject",
            "EventChannelFactory": "nobject",
            "DefaultEventChannel": "nobject",
            "ChannelFactory.ChannelFactory": "nobject",
            "EventChannelFactory.EventChannelFactory": "nobject",
            "EventChannel.EventChannel": "nobject",
            "channels": "ncontext",
            "advertisers": "ncontext",
        }
        channel = await w.root.resolve_str("DefaultEventChannel")
        assert await w.root.resolve_str("EventChannel.EventChannel") == channel
        assert await w.root.resolve_str("channels/default") == channel
        assert await w.root.resolve_str("channels/1.id") == channel
        with pytest.raises(NO_PERMISSION):
            await w.root.bind(name("channels", "x"), THERE)
        with pytest.raises(NO_PERMISSION):
            await w.root.unbind(name("channels", "default"))

    play(part)


def test_a_corbaname_is_looked_up() -> None:
    async def part(w: Whole) -> None:
        url = f"corbaname::{w.address}#channels/default"
        assert await w.client.resolve(url) == await w.root.resolve_str("channels/default")

    play(part)


def test_the_root_stays() -> None:
    async def part(w: Whole) -> None:
        for id in ("channels", "advertisers"):
            await w.root.unbind(name(id))
        listed, _ = await w.root.list(100)
        for one in listed:
            await w.root.unbind(one.binding_name)
        with pytest.raises(NO_PERMISSION):
            await w.root.destroy()

    play(part)


@pytest.mark.parametrize(
    ("text", "components"),
    [
        ("a", [("a", "")]),
        ("a.b/c", [("a", "b"), ("c", "")]),
        (r"a\.b/c\/d\\", [("a.b", ""), ("c/d\\", "")]),
        (".b", [("", "b")]),
        (".", [("", "")]),
    ],
)
def test_names_as_text(text: str, components: list[tuple[str, str]]) -> None:
    made = tuple(NameComponent(*one) for one in components)
    assert read_name(text) == made
    assert name_text(made) == text


def test_texts_that_are_no_names() -> None:
    for text in ("", "a//b", "a.", "a\\b"):
        with pytest.raises(NamingContext_InvalidName):
            read_name(text)
    with pytest.raises(NamingContext_InvalidName):
        name_text(())


def test_texts_and_urls_over_the_wire() -> None:
    async def part(w: Whole) -> None:
        assert await w.root.to_string([NameComponent("a.b", "c")]) == r"a\.b.c"
        assert await w.root.to_name(r"a\.b.c") == (NameComponent("a.b", "c"),)
        url = await w.root.to_url(":host:2809", "a b/c.d")
        assert url == "corbaname::host:2809#a%20b/c.d"
        with pytest.raises(NamingContextExt_InvalidAddress):
            await w.root.to_url("no address", "a")
        with pytest.raises(NamingContext_InvalidName):
            await w.root.to_url(":host", "a//b")

    play(part)
