from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError

from tests.property.strategies import stored_values
from tests.unit.api.view_strategies import (
    constraints,
    filters,
    ids,
    mapped,
    mappings,
    over_the_wire,
)
from tidings.api import filters as api
from tidings.api.filters import (
    AnyFilter,
    ConstraintForm,
    Filter,
    MappedForm,
    ModifyConstraintsForm,
    NewFilter,
    NewMapping,
    filter_of,
    to_constraints,
    to_mapped,
)
from tidings.channel import management
from tidings.channel.views import FilterInfo, MappingInfo
from tidings.errors import InvalidConstraint, InvalidEvent, InvalidEventType
from tidings.events.anyvalue import same
from tidings.filters.constraint import Constraint, constraint
from tidings.filters.mapping import MappedConstraint

_FILTERS: TypeAdapter[Filter | api.Mapping] = TypeAdapter(AnyFilter)


def _same_mapped(left: MappedConstraint, right: MappedConstraint) -> bool:
    return left.constraint == right.constraint and same(left.value, right.value)


@given(filters)
def test_filters_come_back_as_they_were(info: FilterInfo) -> None:
    found = _FILTERS.validate_python(json.loads(_FILTERS.dump_json(filter_of(info)))).info()
    assert found == info


@given(mappings)
def test_mapping_filters_come_back_as_they_were(info: MappingInfo) -> None:
    found = _FILTERS.validate_python(json.loads(_FILTERS.dump_json(filter_of(info)))).info()
    assert isinstance(found, MappingInfo)
    assert same(found.default, info.default)  # type: ignore[arg-type]
    assert list(found.mapped) == list(info.mapped)
    assert all(_same_mapped(found.mapped[id], one) for id, one in info.mapped.items())
    rest = (found.id, found.version, found.holders, found.owner)
    assert rest == (info.id, info.version, info.holders, info.owner)


def test_a_filter_is_told_by_its_kind() -> None:
    with pytest.raises(ValidationError):
        _FILTERS.validate_python({"id": 1, "kind": "sieve"})


@given(st.lists(constraints, max_size=3), st.booleans())
def test_a_new_filter_is_asked_for_as_it_was(given_: list[Constraint], private: bool) -> None:
    command = management.CreateFilter(tuple(given_), "EXTENDED_TCL", private=private)
    assert over_the_wire(NewFilter.of(command)).to_command() == command


@given(stored_values, st.lists(mapped, max_size=3))
def test_a_new_mapping_filter_is_asked_for_as_it_was(
    default: Any, given_: list[MappedConstraint]
) -> None:
    command = management.CreateMapping(default, tuple(given_), private=True)
    found = over_the_wire(NewMapping.of(command)).to_command()
    assert same(found.default, default)
    assert all(map(_same_mapped, found.mapped, given_))
    assert (len(found.mapped), found.grammar, found.private) == (len(given_), "", True)


@given(st.lists(ids, max_size=3), st.dictionaries(ids, constraints, max_size=3))
def test_changes_come_back_as_they_were(delete: list[int], replace: dict[int, Constraint]) -> None:
    form = ModifyConstraintsForm(
        delete=delete, replace={id: ConstraintForm.of(one) for id, one in replace.items()}
    )
    command = over_the_wire(form).to_command(7)
    assert command == management.ModifyConstraints(7, tuple(delete), replace)


def test_a_constraint_may_be_a_text_alone() -> None:
    body = {"constraints": ["$a < 3", {"text": "$a < 3", "types": ["A::B"]}, {}]}
    assert NewFilter.model_validate(body).to_command().constraints == (
        constraint("$a < 3"),
        constraint("$a < 3", ["A::B"]),
        constraint(""),
    )


def test_the_place_of_a_fault_is_known() -> None:
    with pytest.raises(InvalidConstraint) as caught:
        to_constraints(["TRUE", ConstraintForm(text="$a ==\n and")])
    assert (caught.value.line, caught.value.text) == (2, "$a ==\n and")
    with pytest.raises(InvalidEventType):
        to_constraints([ConstraintForm(types=["a::%NONE"])])
    with pytest.raises(InvalidEvent) as value:
        to_mapped([MappedForm(value={"$type": "short", "value": 70000})])
    assert value.value.where.startswith("value")
    with pytest.raises(InvalidEvent) as default:
        NewMapping(default={"$type": "shirt", "value": 1}).to_command()
    assert default.value.where == "default.$type"


@pytest.mark.parametrize(
    "body",
    [
        {"constraints": "TRUE"},
        {"constraints": [3]},
        {"constraints": [None]},
        {"constraints": [{"text": 3}]},
        {"constraints": [{"text": "", "types": "A::B"}]},
        {"constraints": [{"expression": "TRUE"}]},
        {"private": None},
        {"owner": "me"},
    ],
)
def test_a_request_is_taken_by_the_letter(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        NewFilter.model_validate(body)


def test_a_mapped_constraint_needs_its_value_and_null_is_one() -> None:
    with pytest.raises(ValidationError):
        MappedForm.model_validate({"text": "TRUE"})
    assert MappedForm.model_validate({"value": None}).to_mapped().value is None
    with pytest.raises(ValidationError):
        NewMapping.model_validate({})


@pytest.mark.parametrize(
    "model",
    [
        one
        for one in vars(api).values()
        if isinstance(one, type) and issubclass(one, BaseModel) and one.__module__ == api.__name__
    ],
)
def test_the_examples_fit(model: type[BaseModel]) -> None:
    for example in model.model_json_schema()["examples"]:
        found = model.model_validate(example)
        for one in ("to_constraint", "to_mapped", "info"):
            if hasattr(found, one):
                getattr(found, one)()
