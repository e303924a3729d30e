"""The bench of attacks reports what another client feels, for each attack."""

from __future__ import annotations

import pytest

from tidings.bench import attack
from tidings.bench.attack_load import ATTACKS
from tidings.errors import InvalidUsage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

CHOSEN = ("1,000 bad events", "64 frames of 1,000 events under way", "100 references to nobody")


def test_every_figure_of_the_report_is_there() -> None:
    report = attack.run(seconds=0.3, attacks=CHOSEN)
    assert report["bench"] == "attack"
    rows = {row["name"]: row for row in report["results"]}
    for row in rows.values():
        assert set(row) == {"name", "value", "unit", "target", "ok"}
    for name in ("nobody attacks", *CHOSEN):
        for what in ("an event", "a request"):
            assert rows[f"{name}: p50 of {what}"]["value"] > 0
            assert rows[f"{name}: p99 of {what}"]["target"] == "<= 50"
        assert rows[f"{name}: memory"]["target"] == "<= 200"
    assert "the longest hold of the loop" in rows


def test_bad_arguments_are_refused() -> None:
    assert set(CHOSEN) <= set(ATTACKS)
    with pytest.raises(InvalidUsage, match="no attack is named 'x'"):
        attack.run(attacks=["x"])
    with pytest.raises(InvalidUsage, match="seconds must be more than 0"):
        attack.run(seconds=0)
