from __future__ import annotations

import pytest

from tidings.orb.minor_codes import OMG, meaning


@pytest.mark.parametrize(
    ("name", "minor", "said"),
    [
        ("MARSHAL", 0, ""),
        ("TRANSIENT", OMG | 3, "OMG minor 3: cancelled"),
        ("TRANSIENT", OMG | 99, "OMG minor 99"),
        ("BAD_OPERATION", 0x41540026, "omniORB minor 38"),
        ("TRANSIENT", 0x41540003, "omniORB minor 3"),
        ("MARSHAL", 0x12345678, "minor 0x12345678"),
    ],
)
def test_minor_codes_in_words(name: str, minor: int, said: str) -> None:
    assert meaning(name, minor) == said
