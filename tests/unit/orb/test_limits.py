from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest

from tidings.orb.limits import DEFAULT_LIMITS, Limits


def test_every_limit_is_a_number_that_takes_something() -> None:
    assert all(getattr(DEFAULT_LIMITS, field.name) > 0 for field in fields(Limits))


def test_limits_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        DEFAULT_LIMITS.message_size = 0  # type: ignore[misc]  # that is the point
