"""One consumer is stuck while events flow past it: memory stays bounded, others get theirs.

A few times what its queue may hold shows it, and a small queue is full early; `make soak` lets
millions flow past one of the usual size.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE
from tests.real.faults.sizes import size
from tidings.channel.settings import Limits

FLOOD = Path(__file__).parent / "stuck" / "flood.py"

ENTRIES = size(10_000, Limits().entries_per_consumer)
BEST_EFFORT = size(4 * ENTRIES, 5_000_000)
PERSISTENT = size(3 * ENTRIES // 2, 250_000)
SECONDS = size(int(PATIENCE), 900)

# What Python, the service and a full queue of the server's limits may take: an event has 700
# octets at most, content counts as it is estimated, and an estimate may be three times too low.
MOST_OCTETS = 64_000_000 + 3 * min(Limits().octets_per_consumer, 700 * ENTRIES)


def flood(events: int, folder: Path | None) -> dict[str, Any]:
    command = [sys.executable, str(FLOOD), str(events), str(ENTRIES), str(folder or "")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 600)
def test_best_effort_events_past_a_stuck_consumer(
    record_property: Callable[[str, object], None],
) -> None:
    found = flood(BEST_EFFORT, None)
    assert found["refused"] == 0
    assert found["counts"] == [BEST_EFFORT, BEST_EFFORT // 10]
    assert found["faults"] == [0, 0]
    assert found["waiting"] <= ENTRIES
    assert found["waiting"] + found["discarded"] + found["in_flight"] == BEST_EFFORT
    assert found["peak"] < MOST_OCTETS
    record_property(
        "table", f"stuck consumer, {BEST_EFFORT:,} events: peak {found['peak']:,} octets"
    )


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 600)
def test_persistent_events_past_a_stuck_consumer(tmp_path: Path) -> None:
    found = flood(PERSISTENT, tmp_path / "data")
    assert found["refused"] == 0
    assert found["counts"] == [PERSISTENT, PERSISTENT // 10]
    assert found["faults"] == [0, 0]
    assert found["discarded"] == 0
    assert found["waiting"] + found["in_flight"] == PERSISTENT
    assert found["spilled"] >= PERSISTENT - ENTRIES - 1_000
    assert found["peak"] < MOST_OCTETS
