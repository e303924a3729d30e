from __future__ import annotations

import asyncio

import pytest

from tests.unit.servants.scenes import Scene, expression, play, refused
from tidings.channel.settings import Settings
from tidings.cos.CosNotification_auto import (
    EventHeader,
    EventType,
    FixedEventHeader,
    Property,
    StructuredEvent,
)
from tidings.cos.CosNotifyFilter_auto import (
    ConstraintInfo,
    ConstraintNotFound,
    Filter,
    InvalidConstraint,
    InvalidGrammar,
    MappingFilter,
    UnsupportedFilterableData,
)
from tidings.events import build
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.events.structured import STRUCTURED_EVENT
from tidings.orb.exceptions import OBJECT_NOT_EXIST
from tidings.orb.generated import read_nothing, read_void, write_nothing, write_void
from tidings.orb.stubs import Operation


async def new_filter(scene: Scene, *texts: str) -> Filter:
    made = scene.stub(Filter, await scene.filters.create_filter("EXTENDED_TCL"))
    if texts:
        await made.add_constraints([expression(text) for text in texts])
    return made


def bid(price: int, **header: object) -> StructuredEvent:
    fixed = FixedEventHeader(EventType("Auction", "Bid"), "first")
    variable = tuple(Property(name, value) for name, value in header.items())  # type: ignore[arg-type]
    return StructuredEvent(EventHeader(fixed, variable), (Property("price", price),), None)


def test_filters_are_made_for_the_languages_we_speak() -> None:
    async def part(scene: Scene) -> None:
        for grammar in ("EXTENDED_TCL", "ETCL", ""):
            reference = await scene.filters.create_filter(grammar)
            assert reference.type_id == Filter.INTERFACE.id
            made = scene.stub(Filter, reference)
            assert await made.get_constraint_grammar() == "EXTENDED_TCL"
            reference = await scene.filters.create_mapping_filter(grammar, 1)
            assert reference.type_id == MappingFilter.INTERFACE.id
        with pytest.raises(InvalidGrammar):
            await scene.filters.create_filter("SQL")
        with pytest.raises(InvalidGrammar):
            await scene.filters.create_mapping_filter("SQL", 1)

    play(part)


def test_constraints_get_ids_and_come_back_as_they_were_given() -> None:
    async def part(scene: Scene) -> None:
        made = await new_filter(scene)
        given = [expression("$price > 3", ("Auction", "Bid"), ("", "%ALL")), expression("")]
        added = await made.add_constraints(given)
        assert [one.constraint_expression for one in added] == given
        first, second = (one.constraint_id for one in added)
        assert list(await made.get_all_constraints()) == list(added)
        assert list(await made.get_constraints([second, first])) == [added[1], added[0]]
        with pytest.raises(ConstraintNotFound) as told:
            await made.get_constraints([first, 99])
        assert told.value.id == 99

    play(part)


def test_bad_constraints_are_told_and_nothing_is_added() -> None:
    async def part(scene: Scene) -> None:
        made = await new_filter(scene)
        for bad in (expression("$price >"), expression("", ("Auction", "%ALL"))):
            with pytest.raises(InvalidConstraint) as told:
                await made.add_constraints([expression("$price > 3"), bad])
            assert told.value.constr == bad
        assert not await made.get_all_constraints()

    play(part)


def test_constraints_are_deleted_and_replaced_all_or_nothing() -> None:
    async def part(scene: Scene) -> None:
        made = await new_filter(scene, "$price > 1", "$price > 2", "$price > 3")
        one, two, three = (info.constraint_id for info in await made.get_all_constraints())
        new = ConstraintInfo(expression("$price > 22"), two)
        for delete, replace, wrong in (
            ([one, 99], [new], 99),
            ([one], [new, new._replace(constraint_id=98)], 98),
            ([two], [new], two),
            # An unknown id comes before a bad text.
            ([97], [new._replace(constraint_expression=expression("("))], 97),
        ):
            with pytest.raises(ConstraintNotFound) as told:
                await made.modify_constraints(delete, replace)
            assert told.value.id == wrong
        bad = expression("$price >")
        with pytest.raises(InvalidConstraint) as refusal:
            await made.modify_constraints([one], [ConstraintInfo(bad, two)])
        assert refusal.value.constr == bad
        await made.modify_constraints([one], [new])
        kept = [(info.constraint_id, info[0]) for info in await made.get_all_constraints()]
        assert kept == [(two, expression("$price > 22")), (three, expression("$price > 3"))]

    play(part)


def test_of_two_clients_that_delete_one_constraint_one_is_told_that_it_is_gone() -> None:
    async def part(scene: Scene) -> None:
        made = await new_filter(scene, "$price > 1")
        (info,) = await made.get_all_constraints()
        calls = [made.modify_constraints([info.constraint_id], ()) for _ in range(2)]
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert sorted(type(one).__name__ for one in results) == ["ConstraintNotFound", "NoneType"]

    play(part)


def test_all_constraints_can_be_removed_under_the_old_name_too() -> None:
    async def part(scene: Scene) -> None:
        made = await new_filter(scene, "$price > 1")
        await made.remove_all_constraints()
        assert not await made.get_all_constraints()
        await made.add_constraints([expression("$price > 1")])
        old = Operation(
            "remove_all_constraint", "", write_nothing, read_nothing, write_void, read_void
        )
        await scene.client.call(made._reference, old, ())
        assert not await made.get_all_constraints()

    play(part)


def test_a_filter_can_be_asked_about_structured_events() -> None:
    async def part(scene: Scene) -> None:
        made = await new_filter(scene)
        assert await made.match_structured(bid(1))
        await made.add_constraints([expression("$price > 3", ("Auction", "*"))])
        assert await made.match_structured(bid(4))
        assert not await made.match_structured(bid(3))
        await made.add_constraints([expression("$Priority == 5")])
        assert await made.match_structured(bid(1, Priority=Any(tc.SHORT, 5)))

    play(part)


def test_a_filter_can_be_asked_about_bare_values() -> None:
    async def part(scene: Scene) -> None:
        made = await new_filter(scene, "$ > 3")
        assert await made.match(4)
        assert not await made.match(Any(tc.SHORT, 3))
        assert not await made.match("four")
        # What holds a structured event is taken for it, as channels do.
        made = await new_filter(scene, "$price > 3 and $type_name == 'Bid'")
        event = build.event("Auction", "Bid", data={"price": 5})
        assert await made.match(event.as_any())

    play(part)


def test_a_filter_can_be_asked_about_typed_events() -> None:
    async def part(scene: Scene) -> None:
        made = await new_filter(scene, "$operation == 'bid' and $price > 3")
        await made.add_constraints([expression("", ("", "%TYPED"))])
        assert await made.match_typed([Property("operation", "sell"), Property("price", 1)])
        made = await new_filter(scene, "$operation == 'bid' and $price > 3")
        assert await made.match_typed([Property("operation", "bid"), Property("price", 4)])
        assert not await made.match_typed([Property("operation", "sell"), Property("price", 4)])

    play(part)


def test_what_can_be_no_event_is_unsupported() -> None:
    async def part(scene: Scene) -> None:
        made = await new_filter(scene, "$price > 3")
        nameless = (Property("", 1),)
        with pytest.raises(UnsupportedFilterableData):
            await made.match_structured(bid(1)._replace(filterable_data=nameless))
        with pytest.raises(UnsupportedFilterableData):
            await made.match_typed(nameless)
        # Something else under the name of a structured event.
        claimed = tc.struct(STRUCTURED_EVENT.id, "StructuredEvent", [("price", tc.LONG)])
        with pytest.raises(UnsupportedFilterableData):
            await made.match(Any(claimed, (4,)))

    play(part)


def test_an_installation_may_say_that_an_empty_filter_lets_nothing_pass() -> None:
    async def part(scene: Scene) -> None:
        made = await new_filter(scene)
        assert not await made.match_structured(bid(1))

    play(part, Settings(empty_filter_passes=False))


def test_a_filter_that_was_destroyed_exists_no_more() -> None:
    async def part(scene: Scene) -> None:
        made = await new_filter(scene, "$price > 1")
        await made.destroy()
        for call in (
            made.get_all_constraints(),
            made.match(1),
            made.destroy(),
            made.get_callbacks(),
            made.get_constraint_grammar(),
        ):
            await refused(call, OBJECT_NOT_EXIST)

    play(part)
