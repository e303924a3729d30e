"""Results of jobs to be shown, made up."""

from __future__ import annotations

from tidings.pipeline.audit.result import Account, AuditResult, Finding, FindingKind, PairId
from tidings.pipeline.backtest import BacktestResult, HourCount, LiveSubscription, Sample
from tidings.pipeline.report import (
    ArchiveFacts,
    Changes,
    Consumer,
    DeadLetters,
    Destroyed,
    FanOut,
    Latency,
    Refusals,
    Report,
    Slice,
    Supplier,
    Volume,
)

HOUR = 3_600_000_000
START = 1_794_700_800_000_000  # 2026-11-15T00:00:00Z

LATENCY = Latency(900, 1.5, 20.0, 2_500.0, 7_500_000.0)
CONSUMER = Consumer(
    "auction", "a" * 32, 7, "billing", 1_000, 0.5, {"delivered": 900, "pending": 100}, LATENCY
)
FACTS = ArchiveFacts(
    12, START + HOUR, 48, 1_500_000, {"events": 2_000, "outcomes": 900}, 3, START, START + HOUR
)


def report() -> Report:
    return Report(
        archive="/srv/archive", since_us=None, until_us=None, channels=(), facts=FACTS,
        events=2_000, octets=400_000, first_us=START, last_us=START + HOUR, slice_us=HOUR,
        slices=(
            Slice(START, "auction", "Auction", "bid", 1_500),
            Slice(START, "auction", "", "the rest", 100),
            Slice(START + HOUR, "clicks", "Web", "Click", 400)
        ),
        volumes=(Volume("auction", "Auction", "bid", 1_500, 300_000),
                 Volume("clicks", "Web", "Click", 400, 90_000)),
        types=5,
        fan_out=(FanOut("auction", 1_600, 1_000, 0.625, 1, 1, 2, 700),),
        outcomes={"delivered": 900, "pending": 98, "rejected": 2, "redriven": 1},
        latency=LATENCY, consumers=(CONSUMER,), slowest=(CONSUMER,), consumers_in_all=1,
        suppliers=(Supplier("house-1", 1_900, 1, START), Supplier(None, 100, 2, START)),
        suppliers_in_all=2,
        dead_letters=(DeadLetters("auction", 7, "billing", "rejected", "HTTP 410", 2, START),),
        destroyed=(Destroyed("roads", START, "ann", 3, "HTTP", "192.0.2.7"),),
        changes=(Changes("ann", "destroy_channel", "done", 1, START),),
        refusals=(Refusals("eve", "IIOP", "192.0.2.9", "push", "forbidden", 1_200, START),),
        problems=("a segment is missing",), seconds=1.5,
    )  # fmt: skip


def backtest() -> BacktestResult:
    return BacktestResult(
        constraint="$price < 10", event_types=("Auction::*",), seal=12, since_us=None,
        until_us=None, events=2_000, matched=250, first_us=START, last_us=START + HOUR,
        hours=(HourCount(START, "Auction", "bid", 1_500, 250),
               HourCount(START + HOUR, "", "", 500, 0)),
        samples=(Sample("auction", 17, START, '{"price": 9}'),), how="native",
        live=(LiveSubscription("auction", 7, "billing", 1_000, 200, ((START, 1_000),)),),
        live_from="the archive", seconds=2.0,
    )  # fmt: skip


def audit(*, good: bool = False) -> AuditResult:
    fault = Finding(
        FindingKind.MISSING_OUTCOME, True, "2 copies have no outcome", "auction", "a" * 32, 2,
        (PairId(5, 7),),
    )  # fmt: skip
    told = Finding(FindingKind.RETENTION, False, "retention dropped 3 segments", count=3)
    account = Account("auction", "a" * 32, 100, 150, delivered=140, pending=8,
                      unexplained=0 if good else 2)  # fmt: skip
    findings = (told,) if good else (fault, told)
    return AuditResult("/srv/archive", 12, START, None, None, True, (account,), findings,
                       ("equality: 3 units",), 3.0)  # fmt: skip
