"""What the tests of the audit ask of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.archive_worlds import World
from tests.real.pipeline.archive_faults import ArchiveCopy, Row
from tidings.pipeline.audit import run_audit
from tidings.pipeline.audit.result import (
    EXPLANATIONS,
    AuditOptions,
    AuditResult,
    Finding,
    FindingKind,
)
from tidings.stores.archive.columns import OUTCOMES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["adds_up", "audited", "faults", "final_outcomes", "only", "origin_of"]

Kind = FindingKind


def audited(spark: SparkSession, archive: Path, **given: Any) -> AuditResult:
    return run_audit(spark, AuditOptions(str(archive), **given))


def faults(result: AuditResult, channel: str | None = None) -> dict[Kind, list[Finding]]:
    """Of all channels or one, by kind, without those that say that a file is not as sealed."""
    found: dict[Kind, list[Finding]] = {}
    for finding in result.faults:
        if finding.kind is not Kind.SEGMENT_CHANGED and channel in {None, finding.channel}:
            found.setdefault(finding.kind, []).append(finding)
    return found


def only(found: dict[Kind, list[Finding]], kind: Kind) -> Finding:
    [finding] = found[kind]
    return finding


def origin_of(world: World, name: str = "world") -> str:
    [origin] = [origin for origin, known in world.channels.items() if known == name]
    return origin


def final_outcomes(copy: ArchiveCopy, world: World, channel: str = "world") -> list[Row]:
    """Deliveries of copies that have no other outcome, of consumers that still exist."""
    rows = copy.rows(OUTCOMES)
    seen: dict[tuple[str, int, int], int] = {}
    for row in rows:
        key = (row["origin"], row["proxy"], row["seq"])
        seen[key] = seen.get(key, 0) + 1
    origin = origin_of(world, channel)
    return [
        row
        for row in rows
        if row["outcome"] == "delivered"
        and row["origin"] == origin
        and seen[origin, row["proxy"], row["seq"]] == 1
        and (origin, row["proxy"]) not in world.gone
    ]


def adds_up(result: AuditResult) -> bool:
    return all(
        sum(getattr(account, name) for name in (*EXPLANATIONS, "unexplained")) == account.pairs
        for account in result.accounts
    )
