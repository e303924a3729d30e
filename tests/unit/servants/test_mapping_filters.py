from __future__ import annotations

import asyncio

import pytest

from tests.unit.servants.scenes import Scene, expression, play, refused
from tests.unit.servants.test_filters import bid
from tidings.cos.CosNotification_auto import Property
from tidings.cos.CosNotifyFilter_auto import (
    ConstraintNotFound,
    InvalidConstraint,
    InvalidValue,
    MappingConstraintInfo,
    MappingConstraintPair,
    MappingFilter,
    UnsupportedFilterableData,
)
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.orb.exceptions import OBJECT_NOT_EXIST


async def new_mapping(scene: Scene) -> MappingFilter:
    """What gives dear bids a higher priority."""
    reference = await scene.filters.create_mapping_filter("", Any(tc.SHORT, 1))
    return scene.stub(MappingFilter, reference)


def pair(text: str, value: int) -> MappingConstraintPair:
    return MappingConstraintPair(expression(text), Any(tc.SHORT, value))


def test_the_default_fixes_the_type_of_the_values() -> None:
    async def part(scene: Scene) -> None:
        made = await new_mapping(scene)
        assert await made.get_value_type() == tc.SHORT
        assert await made.get_default_value() == Any(tc.SHORT, 1)
        assert await made.get_constraint_grammar() == "EXTENDED_TCL"
        reference = await scene.filters.create_mapping_filter("", "none")
        assert await scene.stub(MappingFilter, reference).get_value_type() == tc.STRING

    play(part)


def test_constraints_get_ids_and_come_back_with_their_values() -> None:
    async def part(scene: Scene) -> None:
        made = await new_mapping(scene)
        given = [pair("$price > 3", 2), pair("$price > 9", 3)]
        added = await made.add_mapping_constraints(given)
        assert [(one[0], one.value) for one in added] == given
        assert list(await made.get_all_mapping_constraints()) == list(added)
        ids = [one.constraint_id for one in added]
        assert list(await made.get_mapping_constraints(ids[::-1])) == list(added)[::-1]
        with pytest.raises(ConstraintNotFound) as told:
            await made.get_mapping_constraints([77])
        assert told.value.id == 77
        await made.remove_all_mapping_constraints()
        assert not await made.get_all_mapping_constraints()

    play(part)


def test_bad_constraints_and_values_are_told_and_nothing_is_added() -> None:
    async def part(scene: Scene) -> None:
        made = await new_mapping(scene)
        with pytest.raises(InvalidConstraint) as told:
            await made.add_mapping_constraints([pair("", 1), pair("$price >", 2)])
        assert told.value.constr == expression("$price >")
        wrong = MappingConstraintPair(expression("$price > 3"), Any(tc.LONG, 2))
        with pytest.raises(InvalidValue) as refusal:
            await made.add_mapping_constraints([pair("", 1), wrong])
        assert (refusal.value.constr, refusal.value.value) == (expression("$price > 3"), 2)
        assert not await made.get_all_mapping_constraints()

    play(part)


def test_constraints_are_deleted_and_replaced_all_or_nothing() -> None:
    async def part(scene: Scene) -> None:
        made = await new_mapping(scene)
        added = await made.add_mapping_constraints([pair("$price > 3", 2), pair("$price > 9", 3)])
        one, two = (info.constraint_id for info in added)
        new = MappingConstraintInfo(expression("$price > 99"), two, Any(tc.SHORT, 4))
        with pytest.raises(ConstraintNotFound) as told:
            await made.modify_mapping_constraints([one], [new._replace(constraint_id=55)])
        assert told.value.id == 55
        with pytest.raises(InvalidValue) as refusal:
            await made.modify_mapping_constraints([one], [new._replace(value="high")])
        assert refusal.value.value == "high"
        bad = new._replace(constraint_expression=expression("("))
        with pytest.raises(InvalidConstraint):
            await made.modify_mapping_constraints([one], [bad])
        assert list(await made.get_all_mapping_constraints()) == list(added)
        await made.modify_mapping_constraints([one], [new])
        assert list(await made.get_all_mapping_constraints()) == [new]

    play(part)


def test_of_two_clients_that_delete_one_constraint_one_is_told_that_it_is_gone() -> None:
    async def part(scene: Scene) -> None:
        made = await new_mapping(scene)
        (info,) = await made.add_mapping_constraints([pair("$price > 3", 2)])
        calls = [made.modify_mapping_constraints([info.constraint_id], ()) for _ in range(2)]
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert sorted(type(one).__name__ for one in results) == ["ConstraintNotFound", "NoneType"]

    play(part)


def test_the_best_value_whose_constraint_matches_is_told() -> None:
    async def part(scene: Scene) -> None:
        made = await new_mapping(scene)
        await made.add_mapping_constraints([pair("$price > 3", 2), pair("$price > 9", 3)])
        assert await made.match_structured(bid(10)) == (True, Any(tc.SHORT, 3))
        assert await made.match_structured(bid(4)) == (True, Any(tc.SHORT, 2))
        assert await made.match_structured(bid(1)) == (False, Any(tc.SHORT, 1))
        assert await made.match_typed([Property("price", 10)]) == (True, Any(tc.SHORT, 3))
        await made.add_mapping_constraints([pair("$ == 5", 9)])
        assert await made.match(5) == (True, Any(tc.SHORT, 9))
        assert await made.match("five") == (False, Any(tc.SHORT, 1))
        with pytest.raises(UnsupportedFilterableData):
            await made.match_typed([Property("", 10)])

    play(part)


def test_a_mapping_filter_that_was_destroyed_exists_no_more() -> None:
    async def part(scene: Scene) -> None:
        made = await new_mapping(scene)
        await made.destroy()
        for call in (made.get_value_type(), made.destroy(), made.match(1)):
            await refused(call, OBJECT_NOT_EXIST)

    play(part)
