from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from tests.property.strategies import events, texts
from tests.unit.api.view_strategies import ids, numbers, over_the_wire
from tidings.api.dead_letters import DeadLetter, DeadLetters, RedriveForm, Redriven
from tidings.channel.effects import Cause
from tidings.channel.views import DeadLetterInfo
from tidings.errors import InvalidConstraint
from tidings.filters.constraint import constraint

_letters = st.builds(
    DeadLetterInfo,
    id=ids,
    channel=ids,
    proxy=ids,
    seq=ids,
    arrival=numbers,
    at=numbers,
    causes=st.lists(st.builds(Cause, numbers, texts), max_size=3).map(tuple),
    event=events,
)


@given(st.lists(_letters, max_size=2))
def test_dead_letters_come_back_as_they_were(letters: list[DeadLetterInfo]) -> None:
    answer = DeadLetters(dead_letters=[DeadLetter.of(one) for one in letters])
    assert [one.info() for one in over_the_wire(answer).dead_letters] == letters


def test_which_ones_are_redriven_is_said_by_a_constraint() -> None:
    assert RedriveForm().to_constraint() == constraint("")
    assert RedriveForm(filter="$a > 3").to_constraint() == constraint("$a > 3")
    with pytest.raises(InvalidConstraint):
        RedriveForm(filter="$a >").to_constraint()


@pytest.mark.parametrize(
    "body", [{"most": 0}, {"most": 10**9}, {"most": None}, {"channel": -1}, {"channel": True}]
)
def test_a_request_is_taken_by_the_letter(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        RedriveForm.model_validate(body)


@pytest.mark.parametrize("model", [DeadLetter, RedriveForm, Redriven])
def test_the_examples_fit(model: type[BaseModel]) -> None:
    for example in model.model_json_schema()["examples"]:
        found = model.model_validate(example)
        assert over_the_wire(found) == found
