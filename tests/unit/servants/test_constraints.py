from __future__ import annotations

import asyncio

import pytest

from tests.unit.servants.scenes import expression, run
from tidings.channel.settings import DEFAULT_SETTINGS, Settings
from tidings.cos.CosNotifyFilter_auto import ConstraintNotFound, InvalidConstraint
from tidings.errors import InvalidUsage
from tidings.events import typecode as tc
from tidings.events.boxes import Any
from tidings.filters.mapping import MappedConstraint
from tidings.servants.constraints import (
    bad_value,
    constraint_in,
    constraint_out,
    constraints_in,
    selected,
    unknown_id,
)


def test_a_constraint_comes_back_as_it_was_written() -> None:
    given = expression("$.price  >  3", ("Auction", "Bid*"), ("", "%ALL"))
    assert constraint_out(constraint_in(given, DEFAULT_SETTINGS)) == given


@pytest.mark.parametrize(
    "bad",
    [expression("$.price >"), expression("TRUE", ("Auction", "%ALL"))],
    ids=["its text", "its event types"],
)
def test_a_bad_constraint_is_told_whole(bad: object) -> None:
    with pytest.raises(InvalidConstraint) as told:
        constraint_in(bad, DEFAULT_SETTINGS)  # type: ignore[arg-type]
    assert told.value.constr == bad


def test_event_types_this_installation_does_not_take_make_a_constraint_bad() -> None:
    with pytest.raises(InvalidConstraint):
        constraint_in(expression("", ("Auction", "Bid*")), Settings(partial_wildcards=False))


def test_the_first_unknown_id_is_told() -> None:
    known = {1: "a", 2: "b"}
    assert unknown_id([1], [2], known) is None
    for delete, replace, id in (([1, 7], [8], 7), ([1], [8], 8), ([2], [1, 2], 2)):
        found = unknown_id(delete, replace, known)
        assert found is not None
        assert found.id == id


def test_constraints_are_selected_by_their_ids() -> None:
    assert selected([2, 1], {1: "a", 2: "b", 3: "c"}) == {2: "b", 1: "a"}
    with pytest.raises(ConstraintNotFound) as told:
        selected([1, 9], {1: "a"})
    assert told.value.id == 9


def test_a_short_question_gets_no_endless_answer() -> None:
    assert selected([1, 1], {1: "a", 2: "b"}) == {1: "a"}
    with pytest.raises(InvalidUsage, match="3 ids are asked for, and there are 2 constraints"):
        selected([1, 1, 1], {1: "a", 2: "b"})


def test_ids_are_checked_without_comparing_each_with_each() -> None:
    deleted, replaced = [1] * 400_000, [2] * 100_000  # 40,000,000,000 pairs
    assert unknown_id(deleted, replaced, {1: "a", 2: "b"}) is None


def test_a_value_of_another_type_is_told_with_its_constraint() -> None:
    made = constraint_in(expression("$.price > 3"), DEFAULT_SETTINGS)
    good, bad = MappedConstraint(made, Any(tc.SHORT, 1)), MappedConstraint(made, 2)
    assert bad_value([good], tc.SHORT) is None
    found = bad_value([good, bad], tc.SHORT)
    assert found is not None
    assert (found.constr, found.value) == (expression("$.price > 3"), 2)


def test_while_many_constraints_are_read_others_have_their_turns() -> None:
    async def part() -> None:
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        busy = asyncio.create_task(other())
        given = [expression(f"$price > {number}") for number in range(200)]
        made = await constraints_in(given, DEFAULT_SETTINGS)
        busy.cancel()
        assert [constraint_out(one) for one in made] == given
        assert turns >= 4

    run(part())
