"""What an audit is asked, and what it answers."""

from __future__ import annotations

from dataclasses import fields

import msgspec
import pytest

from tidings.pipeline.audit_result import (
    Account,
    AuditOptions,
    AuditResult,
    Finding,
    FindingKind,
    PairId,
)


def result(*findings: Finding) -> AuditResult:
    return AuditResult("a", 1, 2, None, None, True, (Account("c", "0" * 32),), findings)


@pytest.mark.parametrize(
    "name",
    [
        field.name
        for field in fields(Account)
        if field.name not in {"channel", "origin", "events", "pairs", "redriven"}
    ],
)
def test_every_explanation_counts(name: str) -> None:
    assert Account("c", "0" * 32, **{name: 3}).explained == 3


def test_what_is_only_told_is_no_fault() -> None:
    told = Finding(FindingKind.RETENTION, fault=False, sentence="some are gone")
    fault = Finding(FindingKind.GAP, fault=True, sentence="a gap")
    assert (result().status, result(told).status, result(told, fault).status) == (0, 0, 1)
    assert result(told, fault).faults == (fault,)


def test_a_time_makes_it_a_part_and_a_channel_does_not() -> None:
    assert not AuditOptions("a", channels=("c",)).is_part
    assert AuditOptions("a", since_us=1).is_part
    assert AuditOptions("a", until_us=1).is_part


def test_a_result_is_ready_for_json() -> None:
    found = Finding(
        FindingKind.WRONG_PROXY, fault=True, sentence="x", pairs=(PairId(1, 2),), version=3
    )
    plain = msgspec.json.decode(msgspec.json.encode(result(found)))
    assert plain["findings"][0]["kind"] == "wrong proxy"
    assert plain["findings"][0]["pairs"] == [{"seq": 1, "proxy": 2}]
