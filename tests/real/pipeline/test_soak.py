"""A short soak: the kit is alive, it finds nothing, and it finds what is planted.

`make soak` runs it for an hour, with all faults (`tests.real.faults.soak.run`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.real.faults.fault import Fault, copied_package
from tests.real.faults.soak.run import Audit, Plan, play
from tidings.pipeline.audit import run_audit
from tidings.pipeline.audit.result import AuditOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

SEED = 3  # the first kill takes the service, and a consumer between its ledger and its answer

UNSYNCED = Fault(
    "pushes are answered before they are written",
    "engine/writing.py",
    "        self._write(write.records, write.sync, self._written)\n",
    "        for post, answer in write.answers:\n"
    "            post.answer(answer)\n"
    "        write.answers = []\n"
    "        asyncio.get_running_loop().call_later(\n"
    "            0.3, self._write, write.records, write.sync, self._written\n"
    "        )\n",
)
UNMARKED = Fault(
    "what is delivered again is not marked",
    "web/sockets.py",
    "if message.seq in again] if again else ()",
    "if message.seq in again and False]",
)
DROPPED = Fault(
    "some outcomes are not written",
    "engine/perform.py",
    "if effect.durable and self._store is not None:\n            write.records.append(",
    "if all(seq % 97 for seq in effect.durable) and effect.durable and self._store:\n"
    "            write.records.append(",
)


@pytest.fixture
def audit(spark: SparkSession) -> Audit:
    def audited(archive: Path) -> Mapping[str, Any]:
        found: Mapping[str, Any] = msgspec.to_builtins(run_audit(spark, AuditOptions(str(archive))))
        return found

    return audited


def test_what_is_answered_comes_once_and_in_order_and_the_audit_agrees(
    audit: Audit, tmp_path: Path
) -> None:
    found = play(tmp_path, Plan(SEED, 4.0, ("kill", "full", "flip"), pause=0.2), audit)
    assert found.findings == [], found.table()
    assert found.counts["events answered"] > 100
    assert found.done


def test_what_is_lost_or_comes_again_without_a_mark_is_found(tmp_path: Path) -> None:
    package = copied_package(tmp_path / "package")
    for fault in (UNSYNCED, UNMARKED):
        fault.apply(package)
    found = play(tmp_path / "run", Plan(SEED, 1.0, ("kill",)), package=package.parent)
    words = {one.partition(":")[0] for one in found.findings}
    assert {"lost", "twice"} <= words, found.table()
    assert any("without a mark" in one for one in found.findings), found.table()


def test_outcomes_that_are_not_written_are_found_by_the_audit(audit: Audit, tmp_path: Path) -> None:
    DROPPED.apply(copied_package(tmp_path / "package"))
    plan = Plan(SEED, 1.0, ("full",))
    found = play(tmp_path / "run", plan, audit, package=tmp_path / "package")
    assert any("copies that were not delivered" in one for one in found.findings), found.table()
