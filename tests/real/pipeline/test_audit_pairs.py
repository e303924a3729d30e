"""What the plan, the engine and the outcomes say of a pair, and what it amounts to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

from tidings.pipeline.audit.pairs import LAST, ObjectRow, Sources, Tile, pairs, tile_frame, tiles

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

AT = 100  # where the event is
P = 7

ALWAYS = ((1, True),)
NEVER: tuple[tuple[int, bool], ...] = ()
LATER = ((150, True),)
GONE = ((1, True), (150, False))
AGAIN = ((1, True), (150, False), (160, True))


@dataclass(frozen=True)
class Case:
    """One event and one proxy; what is said of them, and what is to come out."""

    state: str | None
    sent: bool = True
    listed: bool = True
    durable: tuple[tuple[int, bool], ...] = ALWAYS
    words: tuple[tuple[int, str], ...] = ()
    judged: bool = True
    waits: bool = False
    carried: bool = False


CASES = [
    Case("pending", waits=True),
    Case("delivered", words=((110, "delivered"),)),
    Case("expired", words=((110, "expired"),)),
    Case("discarded", words=((110, "discarded"),)),
    Case("dead-lettered", words=((110, "dead-lettered"),)),
    Case("rejected", words=((110, "rejected"),)),
    Case("purged", words=((110, "purged"),)),
    Case("lost", words=((110, "lost"),)),
    Case("disconnected", words=((110, "disconnected"),)),
    Case("pending", words=((110, "withdrawn"),), waits=True),
    Case("pending", words=((90, "delivered"),), waits=True),  # of another event of that number
    # Dead letters that are delivered again.
    Case("pending", words=((110, "dead-lettered"), (120, "redriven")), waits=True),
    Case("delivered", words=((110, "rejected"), (120, "redriven"), (130, "delivered"))),
    Case("doubled", words=((110, "dead-lettered"), (130, "delivered"))),
    Case("doubled", words=((110, "delivered"), (111, "delivered"))),
    Case(
        "doubled",
        words=((110, "expired"), (111, "expired"), (112, "redriven")),
        waits=True,
    ),
    Case("not ended", words=((120, "redriven"), (130, "delivered"))),
    Case("not ended", words=((110, "expired"), (120, "redriven"), (121, "redriven")), waits=True),
    # Consumers that end.
    Case("disconnected", durable=GONE),
    Case("delivered", durable=GONE, words=((110, "delivered"),)),
    Case("disconnected", durable=GONE, words=((110, "rejected"), (120, "redriven"))),
    Case("disconnected", durable=AGAIN, waits=True),
    Case("delivered", durable=AGAIN, words=((170, "delivered"),)),
    Case("delivered", durable=AGAIN, words=((155, "redriven"), (170, "delivered"))),
    Case("pending", durable=AGAIN, words=((110, "rejected"), (170, "redriven")), waits=True),
    # Consumers that are not durable.
    Case("best effort", listed=False, durable=NEVER),
    Case("best effort", listed=False, durable=LATER),
    Case("delivered", listed=False, durable=LATER, words=((151, "delivered"),)),
    Case("pending", listed=False, durable=LATER, words=((151, "redriven"),), waits=True),
    Case("wrong", listed=False, durable=LATER, words=((149, "delivered"),)),
    Case("wrong", listed=False, durable=NEVER, words=((110, "delivered"),)),
    # What the plan does not say.
    Case("wrong", sent=False, listed=False, words=((110, "delivered"),)),
    Case("disagrees", sent=False, words=((110, "delivered"),)),
    Case("disagrees", sent=False, waits=True),
    Case("disagrees", listed=False),
    Case(None, sent=False, listed=False),
    # Events whose plan is not known.
    Case("pending", sent=False, judged=False, waits=True),
    Case("delivered", sent=False, judged=False, words=((110, "delivered"),)),
    Case("pending", sent=False, judged=False, carried=True),
    Case("unknown", sent=False, listed=False, judged=False, words=((110, "delivered"),)),
]


def origin(number: int) -> str:
    return f"{number:032x}"


def sources(spark: SparkSession, cases: list[Case]) -> Sources:
    """Each case in a channel of its own."""
    events = [
        (origin(n), 5, 1_000, 3, AT, [P] if case.listed else [], case.judged, True, case.carried)
        for n, case in enumerate(cases)
    ]
    sent = [(origin(n), 5, P, AT) for n, case in enumerate(cases) if case.sent]
    words = [
        (origin(n), P, 5, outcome, 1_000 + position, position)
        for n, case in enumerate(cases)
        for position, outcome in case.words
    ]
    laid: list[Tile] = []
    for n, case in enumerate(cases):
        laid += tiles([ObjectRow(at, origin(n), "proxy", P, on) for at, on in case.durable], [])
    return Sources(
        spark.createDataFrame(
            events,
            "origin string, seq long, arrival_us long, plan long, position long, "
            "durable array<int>, judged boolean, chosen boolean, carried boolean",
        ),
        spark.createDataFrame(sent, "origin string, seq long, proxy int, position long"),
        spark.createDataFrame(
            words,
            "origin string, proxy int, seq long, outcome string, at_us long, position long",
        ),
        tile_frame(spark, laid),
    )


def test_what_is_said_of_a_pair_amounts_to_one_state(spark: SparkSession) -> None:
    given = sources(spark, CASES)
    rows = {row["origin"]: row for row in pairs(given).collect()}
    found = [
        (row["state"], row["waits"]) if (row := rows.get(origin(n))) else (None, False)
        for n in range(len(CASES))
    ]
    wanted = [(case.state, case.waits) for case in CASES]
    assert [*zip(CASES, found, strict=True)] == [*zip(CASES, wanted, strict=True)]


def test_a_pair_keeps_what_is_known_of_its_event(spark: SparkSession) -> None:
    words = ((120, "redriven"), (110, "rejected"), (130, "delivered"))
    [row] = pairs(sources(spark, [Case("delivered", words=words)])).collect()
    assert (row["seq"], row["proxy"], row["position"]) == (5, P, AT)
    assert (row["arrival_us"], row["plan"]) == (1_000, 3)
    assert [word["outcome"] for word in row["words"]] == ["rejected", "redriven", "delivered"]
    assert row["first_at_us"] == 1_110
    assert row["redriven"] is True


def test_outcomes_of_events_that_are_not_there_are_orphans(spark: SparkSession) -> None:
    given = sources(spark, [Case("delivered", words=((110, "delivered"),))] * 2)
    kept = given.events.where(f"origin = '{origin(0)}'")
    given = given._replace(events=kept, sent=given.sent.where(f"origin = '{origin(0)}'"))
    found = {row["origin"]: row["state"] for row in pairs(given).collect()}
    assert found == {origin(0): "delivered", origin(1): "orphan"}


def test_events_that_are_not_looked_at_have_no_pairs(spark: SparkSession) -> None:
    given = sources(spark, [Case("delivered", words=((110, "delivered"),))] * 2)
    chosen = given.events.withColumn("chosen", F.col("origin") == origin(0))
    given = given._replace(events=chosen, sent=given.sent.where(f"origin = '{origin(0)}'"))
    assert [row["origin"] for row in pairs(given).collect()] == [origin(0)]


def test_a_tile_ends_before_the_next(spark: SparkSession) -> None:
    frame = tile_frame(spark, [Tile("a", 1, 0, LAST, True, None, None, True)])
    assert [tuple(row) for row in frame.collect()] == [("a", 1, 0, LAST, True, None, None, True)]
