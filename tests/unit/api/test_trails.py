from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.property.strategies import boxes, events, texts
from tests.unit.api.view_strategies import ids, maybe_id, numbers, over_the_wire
from tidings.api.trails import DryRunForm, TrailForm
from tidings.channel.commands import DryRun
from tidings.channel.trail import Step, Trail
from tidings.channel.vocabulary import Item
from tidings.errors import InvalidEvent

_maybe = st.none() | numbers
_steps = st.builds(
    Step,
    stage=st.sampled_from(["supplier", "channel", "consumer"]),
    proxy=maybe_id,
    passed=st.booleans(),
    reason=texts,
    priority=_maybe,
    expiry=_maybe,
    start=_maybe,
)


@given(
    st.builds(
        Trail,
        plan=ids,
        now=numbers,
        accepted=st.booleans(),
        recipients=st.lists(ids, max_size=3).map(tuple),
        steps=st.lists(_steps, max_size=3).map(tuple),
    )
)
def test_trails_come_back_as_they_were(trail: Trail) -> None:
    assert over_the_wire(TrailForm.of(trail)).info() == trail


@given(events | boxes(), maybe_id)
def test_a_dry_run_is_asked_for_as_it_was(item: Item, publisher: int | None) -> None:
    found = over_the_wire(DryRunForm.of(DryRun(3, item, publisher))).to_command(3)
    assert found == DryRun(3, item, publisher)


def test_what_is_no_event_is_named() -> None:
    with pytest.raises(InvalidEvent, match="domain"):
        DryRunForm(event={"type": "books"}).to_command(1)
    with pytest.raises(ValidationError):
        DryRunForm.model_validate({"event": []})
    with pytest.raises(ValidationError):
        DryRunForm.model_validate({"event": {}, "publisher": "7"})


@pytest.mark.parametrize("model", [TrailForm, DryRunForm])
def test_the_examples_fit(model: type[TrailForm]) -> None:
    for example in model.model_json_schema()["examples"]:
        found = model.model_validate(example)
        assert over_the_wire(found) == found
