from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from tests.unit.api.view_strategies import holder_places, ids, numbers, over_the_wire, types
from tidings.api import changes as api
from tidings.api.changes import (
    AdvertisementForm,
    AttachFilter,
    Highest,
    KnownTypes,
    KnownTypesForm,
    Ranges,
    SetMappingForm,
    TypesChange,
)
from tidings.channel.management import (
    AddFilter,
    ObtainTypes,
    OfferChange,
    SetMapping,
    SubscriptionChange,
)
from tidings.channel.property_errors import Level, PropertyRange
from tidings.channel.qos import QoS
from tidings.channel.qos_check import validate
from tidings.channel.views import Advertisement
from tidings.channel.vocabulary import InfoMode, Place, Side
from tidings.filters.constraint import EventTypePattern, event_type

_bounds = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1)


@given(st.lists(st.builds(PropertyRange, st.text("aé", max_size=3), _bounds, _bounds)).map(tuple))
def test_ranges_come_back_as_they_were(ranges: tuple[PropertyRange, ...]) -> None:
    assert repr(over_the_wire(Ranges.of(ranges)).info()) == repr(ranges)


def test_the_ranges_of_the_core_come_back_as_they_were() -> None:
    ranges = validate(QoS(), Level.CHANNEL, None, {})
    assert ranges
    assert repr(over_the_wire(Ranges.of(ranges)).info()) == repr(ranges)


@given(
    st.builds(
        Advertisement,
        offered=types,
        wanted=types,
        offers=st.dictionaries(st.sampled_from(["proxy 3", "admin 0", ""]), types),
        wants=st.dictionaries(ids, types, max_size=3),
    )
)
def test_advertisements_come_back_as_they_were(info: Advertisement) -> None:
    assert over_the_wire(AdvertisementForm.of(info)).info() == info


@given(types)
def test_known_types_come_back_as_they_were(known: tuple[EventTypePattern, ...]) -> None:
    assert over_the_wire(KnownTypes.of(known)).info() == known


@given(holder_places, types, types, st.sampled_from([OfferChange, SubscriptionChange]))
def test_changes_of_types_are_asked_for_as_they_were(
    place: Place,
    added: tuple[EventTypePattern, ...],
    removed: tuple[EventTypePattern, ...],
    kind: type[OfferChange],
) -> None:
    command = kind(place, added, removed)
    for side in Side:  # what a program says is not turned into something else
        assert over_the_wire(TypesChange.of(command)).to_command(place, side) == command


def test_a_change_of_types_is_what_the_object_does() -> None:
    place = Place(1, proxy=2)
    change = TypesChange(added=["A::B"])
    wanted = (event_type("A::B"),)
    assert change.to_command(place, Side.SUPPLIER) == OfferChange(place, wanted)
    assert change.to_command(place, Side.CONSUMER) == SubscriptionChange(place, wanted)


@pytest.mark.parametrize("mode", InfoMode)
def test_modes_come_back_as_they_were(mode: InfoMode) -> None:
    command = ObtainTypes(1, 2, mode)
    assert over_the_wire(KnownTypesForm.of(command)).to_command(1, 2) == command


@given(holder_places, ids)
def test_filters_are_attached_as_asked(place: Place, id: int) -> None:
    assert over_the_wire(AttachFilter(filter=id)).to_command(place) == AddFilter(place, id)
    for found in (id, None):
        form = over_the_wire(SetMappingForm(filter=found))
        assert form.to_command(place, "priority") == SetMapping(place, "priority", found)


def test_no_mapping_filter_must_be_said() -> None:
    with pytest.raises(ValidationError):
        SetMappingForm.model_validate({})


@given(st.none() | numbers)
def test_numbers_come_back_as_they_were(highest: int | None) -> None:
    assert over_the_wire(Highest(highest=highest)).highest == highest


@pytest.mark.parametrize(
    "model",
    [
        one
        for one in vars(api).values()
        if isinstance(one, type) and issubclass(one, BaseModel) and one.__module__ == api.__name__
    ],
)
def test_the_examples_fit(model: type[BaseModel]) -> None:
    for example in model.model_json_schema().get("examples", []):
        found = model.model_validate(example)
        assert over_the_wire(found) == found
