"""One consumer is stuck while events flow past it: memory stays bounded, others get theirs.

A few times what its queue may hold shows it; `make soak` lets millions flow.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tidings.channel.settings import Limits

FLOOD = Path(__file__).parent / "stuck" / "flood.py"

SOAK = "TIDINGS_SOAK_ROUNDS" in os.environ
BEST_EFFORT = 5_000_000 if SOAK else 4 * Limits().entries_per_consumer
PERSISTENT = 250_000 if SOAK else 3 * Limits().entries_per_consumer // 2

# What Python, the service and a full queue of the server's limits may take: content counts as
# it is estimated, and an estimate may be three times too low.
MOST_OCTETS = 60_000_000 + 3 * Limits().octets_per_consumer


def flood(events: int, folder: Path | None, seconds: int) -> dict[str, Any]:
    command = [sys.executable, str(FLOOD), str(events), "" if folder is None else str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_best_effort_events_past_a_stuck_consumer(
    record_property: Callable[[str, object], None],
) -> None:
    found = flood(BEST_EFFORT, None, 880)
    assert found["refused"] == 0
    assert found["counts"] == [BEST_EFFORT, BEST_EFFORT // 10]
    assert found["faults"] == [0, 0]
    assert found["waiting"] <= Limits().entries_per_consumer
    assert found["waiting"] + found["discarded"] + found["in_flight"] == BEST_EFFORT
    assert found["peak"] < MOST_OCTETS
    record_property(
        "table", f"stuck consumer, {BEST_EFFORT:,} events: peak {found['peak']:,} octets"
    )


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_persistent_events_past_a_stuck_consumer(tmp_path: Path) -> None:
    found = flood(PERSISTENT, tmp_path / "data", 280)
    assert found["refused"] == 0
    assert found["counts"] == [PERSISTENT, PERSISTENT // 10]
    assert found["faults"] == [0, 0]
    assert found["discarded"] == 0
    assert found["waiting"] + found["in_flight"] == PERSISTENT
    assert found["spilled"] >= PERSISTENT - Limits().entries_per_consumer - 1_000
    assert found["peak"] < MOST_OCTETS
