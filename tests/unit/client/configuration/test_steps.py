from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from tidings.client.configuration import applying, steps


@pytest.mark.parametrize("action", get_args(steps.Action), ids=lambda one: one.__name__)
def test_whoever_carries_steps_out_knows_every_action(action: type) -> None:
    text = Path(applying.__file__).read_text(encoding="utf-8")
    assert f"case todo.{action.__name__}(" in text


def test_a_plan_can_be_compared() -> None:
    step = steps.Step(steps.Verb.CREATE, "channel a", ())
    assert steps.Plan((step,)) == steps.Plan((steps.Step(steps.Verb.CREATE, "channel a", ()),))
