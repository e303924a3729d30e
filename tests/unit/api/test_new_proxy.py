from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.unit.api.view_strategies import ids, names, over_the_wire, qos
from tidings.api.new_proxy import NewProxy
from tidings.channel.management import (
    CreateFilter,
    ObtainProxy,
    OfferChange,
    SubscriptionChange,
)
from tidings.channel.vocabulary import Form, Place, Side, Style
from tidings.errors import InvalidConstraint
from tidings.filters.constraint import constraint, event_type


@given(
    st.builds(
        ObtainProxy,
        channel=ids,
        side=st.sampled_from(Side),
        style=st.sampled_from(Style),
        form=st.sampled_from(Form),
        admin=ids,
        qos=qos,
        name=names,
        bare=st.booleans(),
    )
)
def test_a_new_proxy_is_asked_for_as_it_was(command: ObtainProxy) -> None:
    found = over_the_wire(NewProxy.of(command))
    assert found.to_command(command.channel) == command
    assert found.to_filter() is None
    assert found.to_types(Place(1, proxy=2)) is None


def test_nothing_said_is_a_push_consumer_of_structured_events() -> None:
    assert NewProxy().to_command(3) == ObtainProxy(3, Side.CONSUMER, Style.PUSH)


def test_constraints_make_a_private_filter() -> None:
    asked = NewProxy.model_validate({"constraints": ["$a < 3", {"text": "$b", "types": ["A::*"]}]})
    wanted = (constraint("$a < 3"), constraint("$b", ["A::*"]))
    assert asked.to_filter() == CreateFilter(wanted, private=True)
    with pytest.raises(InvalidConstraint):
        NewProxy(constraints=["$a <"]).to_filter()


def test_types_are_asked_for_by_a_consumer_and_offered_by_a_supplier() -> None:
    place = Place(1, proxy=2)
    types = (event_type("A::B"),)
    assert NewProxy(types=["A::B"]).to_types(place) == SubscriptionChange(place, types)
    supplier = NewProxy(side="supplier", types=["A::B"])
    assert supplier.to_types(place) == OfferChange(place, types)


@pytest.mark.parametrize(
    "body",
    [
        {"side": "Consumer"},
        {"form": 1},
        {"admin": -1},
        {"admin": 2**63},
        {"admin": "0"},
        {"owner": "x"},
    ],
)
def test_a_request_is_taken_by_the_letter(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        NewProxy.model_validate(body)


def test_the_examples_fit() -> None:
    for example in NewProxy.model_json_schema()["examples"]:
        NewProxy.model_validate(example).to_filter()
