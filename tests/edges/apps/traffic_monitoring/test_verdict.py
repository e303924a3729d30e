"""The verdict on a scene: by the cars' own logs, and whatever differs is found."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tidings.apps.traffic_monitoring.offences import Fine, LimitSet, Offence
from tidings.apps.traffic_monitoring.replay import Line
from tidings.apps.traffic_monitoring.traffic import verdict

LICENCE = "05D1001"
LIMITS = [LimitSet(0, "road-1", 50), LimitSet(1, "road-1", 80)]
OFFENCE = Offence(0, LICENCE, "road-1", 60, 50)


def drove(second: int, x: float) -> Line:
    about = {"licence": LICENCE, "x": x, "y": 100.0, "rate": 60, "brakes": False}
    return Line(second, second, "car-1", "drove", about)


def heard(second: int, subject: str) -> Line:
    return Line(second, second, "road-1", "heard", {"subject": subject, "license_no": LICENCE})


# Second 0: too fast at road-1. Second 1: no more, as the limit is higher. Second 2: out of reach.
LINES = [
    *(drove(second, x) for second, x in ((0, 300.0), (1, 320.0), (2, 600.0))),
    *(heard(second, subject) for second in (0, 1) for subject in ("Speed", "Location")),
]


def room(**changed: Any) -> Any:
    made = {"limits": LIMITS, "offences": [OFFENCE], "fines": [Fine(OFFENCE, 30)]}
    return SimpleNamespace(**(made | changed))


def test_a_scene_in_which_all_is_as_it_must_be() -> None:
    found = verdict(LINES, room())
    assert found.holds
    assert (found.radio.found, found.offences.found, found.fines.found) == (4, 1, 1)
    assert found.decided == 1


@pytest.mark.parametrize(
    ("lines", "changed", "part"),
    [
        (LINES[:-1], {}, "radio"),
        ([*LINES, heard(2, "Speed")], {}, "radio"),
        ([*LINES, LINES[-1]], {}, "radio"),
        (LINES, {"offences": []}, "offences"),
        (LINES, {"offences": [OFFENCE, OFFENCE]}, "offences"),
        (LINES, {"offences": [OFFENCE, OFFENCE._replace(second=1, limit=80)]}, "offences"),
        (LINES, {"offences": [OFFENCE._replace(rate=61)]}, "offences"),
        (LINES, {"fines": []}, "fines"),
        (LINES, {"fines": [Fine(OFFENCE, 60)]}, "fines"),
    ],
)
def test_whatever_differs_is_found(lines: list[Line], changed: dict[str, Any], part: str) -> None:
    found = verdict(lines, room(**changed))
    assert not found.holds
    wrong = {name for name in ("radio", "offences", "fines") if not getattr(found, name).holds}
    assert wrong == {part}
