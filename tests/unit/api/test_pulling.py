from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from tests.unit.api.view_strategies import over_the_wire
from tidings.api.pulling import AckForm, PullForm, ReasonForm
from tidings.channel.commands import Ack, Failed, Reject

_times = st.none() | st.integers(0, 366 * 86_400_000_000)


@given(st.integers(1, 1_000), _times, _times)
def test_times_come_back_to_the_microsecond(most: int, wait: int | None, lease: int | None) -> None:
    found = over_the_wire(PullForm.of(most, wait, lease))
    assert (found.most, found.lease_microseconds) == (most, lease)
    longest = 366 * 86_400
    assert found.wait_at_most(longest) == (longest * 1_000_000 if wait is None else wait)


def test_nobody_waits_longer_than_the_service_lets() -> None:
    assert PullForm(wait=None).wait_at_most(60) == 60_000_000
    assert PullForm(wait=90).wait_at_most(60) == 60_000_000
    assert PullForm(wait=0.5).wait_at_most(60) == 500_000
    assert PullForm().wait_at_most(60) == 0
    assert PullForm().lease_microseconds == 30_000_000


@pytest.mark.parametrize(
    "body",
    [
        {"most": 0},
        {"most": 1001},
        {"wait": -1},
        {"wait": float("inf")},
        {"wait": float("nan")},
        {"wait": "1"},
        {"wait": True},
        {"lease": 1e300},
    ],
)
def test_a_pull_is_taken_by_the_letter(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        PullForm.model_validate(body)


def test_answers_are_what_the_core_is_told() -> None:
    assert AckForm(seqs=[1, 2]).to_command(3, 4) == Ack(3, 4, [1, 2])
    form = ReasonForm(seqs=[1], reason="no")
    assert form.to_retry(3, 4) == Failed(3, 4, [1], "no")
    assert form.to_reject(3, 4) == Reject(3, 4, [1], "no")
    with pytest.raises(ValidationError):
        AckForm.model_validate({"seqs": [2**63]})


def test_a_reason_is_brought_to_a_form_that_can_be_sent() -> None:
    assert ReasonForm.of((1,), "x" * 9_999).reason == "x" * 4_096
    assert ReasonForm.of((1,), "\ud800").reason == "\\ud800"
    assert len(ReasonForm.of((1,), "\ud800" * 4_096).reason) == 4_096
    assert ReasonForm.of((1,), ValueError("no")).reason == "ValueError('no')"


@pytest.mark.parametrize("model", [AckForm, ReasonForm, PullForm])
def test_the_examples_fit(model: type[BaseModel]) -> None:
    for example in model.model_json_schema()["examples"]:
        found = model.model_validate(example)
        assert over_the_wire(found) == found
