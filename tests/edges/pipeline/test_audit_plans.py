"""An audit: plans as archived, consumers over time, what the books tell, and plain sentences."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings.filters.plan import Plan, PlanChange, ProxyRule, Side
from tidings.filters.plan_form import change_to_plain
from tidings.pipeline.audit.comparing import plan_histories
from tidings.pipeline.audit.findings import ChannelFaults
from tidings.pipeline.audit.pairs import (
    DISCONNECTED,
    FINAL,
    NO_LONGER_TRACKED,
    ObjectRow,
    Tile,
    tiles,
)
from tidings.pipeline.audit.result import ACCOUNTED, Finding, FindingKind, PairId
from tidings.pipeline.audit.tally import (
    BadPair,
    MissingEvents,
    MissingOutcomes,
    Total,
    asked_of,
    missing_outcomes,
)
from tidings.pipeline.matching.book import PlanRow
from tidings.stores.archive.rows import OUTCOME_NAMES

A = "a" * 32


def row(change: PlanChange, position: int, origin: str = A) -> PlanRow:
    text = json.dumps(change_to_plain(change))
    return PlanRow(origin, "x", change.version, change.whole, text, 0, position)


def history(origin: str = A, versions: int = 4) -> list[PlanRow]:
    """Changes, each out of the one before."""
    plan = Plan()
    rows = []
    for number in range(1, versions + 1):
        plan, change = plan.changed(proxies={number: ProxyRule(Side.CONSUMER, number, 0)})
        rows.append(row(change, number, origin))
    return rows


def test_every_outcome_of_the_service_ends_a_copy_and_has_an_account() -> None:
    ends = {*OUTCOME_NAMES.values()} - {"withdrawn"}  # which still waits
    assert ends == {*FINAL}
    assert ends < ACCOUNTED.keys()


def test_a_row_that_cannot_be_read_is_told() -> None:
    [first] = history(versions=1)
    for change in ("{", "[]", "{}"):
        [(version, problem)] = plan_histories([first._replace(change=change)])[A].faults
        assert version == 1
        assert problem.startswith("cannot be read")


# ---------------------------------------------------------------- when a consumer was durable


def proxy(position: int, id: int, present: bool) -> ObjectRow:
    return ObjectRow(position, A, "proxy", id, present)


def plan(position: int, *connected: int, **more: object) -> tuple[int, str, str]:
    proxies = [{"side": "consumer", "proxy": id} for id in connected]
    change = {"whole": True, "proxies": proxies, "removed_proxies": [], **more}
    return position, A, json.dumps(change)


def at(found: list[Tile], id: int, position: int) -> Tile:
    [tile] = [one for one in found if one.proxy == id and one.start <= position < one.end]
    return tile


def test_a_plan_may_change_by_parts() -> None:
    rows = [proxy(10, 1, True), proxy(30, 1, False)]
    added = plan(7, 2, whole=False)
    removed = plan(25, whole=False, removed_proxies=[1])
    assert at(tiles(rows, [plan(5, 1), added]), 1, 15).how == NO_LONGER_TRACKED
    assert at(tiles(rows, [plan(5, 1), removed]), 1, 15).how == DISCONNECTED
    assert at(tiles(rows, [(5, A, "{")]), 1, 15).how == DISCONNECTED  # it says nothing


@given(st.lists(st.tuples(st.integers(1, 3), st.booleans()), max_size=12), st.integers(0, 150))
def test_every_position_is_in_one_tile_that_says_what_was_last_said(
    said: list[tuple[int, bool]], position: int
) -> None:
    rows = [proxy(10 * place, id, present) for place, (id, present) in enumerate(said)]
    found = tiles(rows, [])
    for id in {row.id for row in rows}:
        tile = at(found, id, position)
        mine = [row for row in rows if row.id == id]
        before = [row for row in mine if row.position <= position]
        ends = [row.position for row in mine if not row.present]
        assert tile.durable is (bool(before) and before[-1].present)
        assert tile.stays is mine[-1].present
        assert tile.gone == min((end for end in ends if end > position), default=None)


# ---------------------------------------------------------------- what a count and a sum can tell

numbers = st.sets(st.integers(1, 60), max_size=12)


def total(seqs: set[int]) -> Total:
    return Total(len(seqs), sum(seqs))


@given(numbers, st.integers(61, 90), st.data())
def test_one_missing_outcome_is_always_named(
    waiting: set[int], gone: int, data: st.DataObject
) -> None:
    """Law: what waits by the rows, less what waits by the books, is what is missing."""
    missing = data.draw(st.integers(1, 60).filter(lambda seq: seq not in waiting))
    by_rows = waiting | {missing}
    beyond = total(by_rows).less(total(waiting))
    assert missing in asked_of(beyond, ())
    assert missing_outcomes(beyond, sorted(by_rows), ()) == MissingOutcomes(
        1, (missing,), sum=missing
    )
    # A missing event that waits is no missing outcome.
    for lost in (set[int](), {missing}):
        beyond = total(waiting | lost).less(total(waiting | {gone}))
        assert lost <= set(asked_of(beyond, {gone}))
        found = missing_outcomes(beyond, sorted(waiting | lost), {gone})
        assert not found.odd
        assert set(found.named) == lost


@given(numbers, numbers)
def test_as_many_as_are_missing_are_told_with_suspects(
    waiting: set[int], missing: set[int]
) -> None:
    missing -= waiting
    found = missing_outcomes(total(missing), sorted(waiting | missing), ())
    assert found.outcomes == len(missing)
    assert missing <= {*found.named, *found.suspects}
    assert waiting or set(found.named) == missing


def test_two_missing_events_may_wait_for_one_consumer() -> None:
    assert missing_outcomes(Total(-2, -11), [7], {5, 6}) == MissingOutcomes()


# ---------------------------------------------------------------- findings in plain sentences

NAMES = {A: "roads"}
ROWS, BOOKS = Total(4, 40), Total(5, 57)


def bad(state: str, seq: int = 7, total: int = 1, *, sent: bool = True) -> BadPair:
    version = 3 if state == "disagrees" else None
    return BadPair(A, state, version, seq, 5, sent, 3, ["delivered"], total)


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (bad("doubled"), "roads: event 7 has more than one final outcome for proxy 5"),
        (bad("not ended"), "the outcome that made it one is missing"),
        (bad("disagrees"), "by the plan and not by the engine"),
        (bad("disagrees", sent=False), "by the engine and not by the plan"),
        (bad("wrong"), "was not durable"),
        (
            bad("wrong", sent=False),
            "to which version 3 of the plan does not send it; proxy 2, which gets it, lacks",
        ),
    ],
)
def test_pairs_in_words(pair: BadPair, words: str) -> None:
    faults = ChannelFaults(NAMES)
    faults.add_bad_pairs([pair], {(A, 7): [2]} if "proxy 2" in words else {})
    [finding] = faults.findings
    assert finding.fault
    assert finding.pairs == (PairId(7, 5),)
    assert finding.sentence.startswith("channel roads: ")
    assert words in finding.sentence


def test_pairs_of_one_kind_are_one_finding() -> None:
    pairs = [bad("doubled", seq, 12) for seq in (7, 8)]
    faults = ChannelFaults(NAMES)
    faults.add_bad_pairs(pairs, {})
    [finding] = faults.findings
    assert finding.count == 12
    assert finding.pairs == (PairId(7, 5), PairId(8, 5))
    assert finding.sentence.endswith("; and 11 more of this kind")


def test_missing_events_in_words() -> None:
    def found(lacking: MissingEvents) -> Finding:
        faults = ChannelFaults(NAMES)
        faults.add_missing_events(A, ROWS, BOOKS, lacking)
        [finding] = faults.findings
        return finding

    named = found(MissingEvents((17,)))
    assert (named.kind, named.pairs) == (FindingKind.EVENT_MISSING, (PairId(17),))
    assert "event 17 cannot be found: the archive has 4 events" in named.sentence
    unnamed = found(MissingEvents(unnamed=Total(2, 30)))
    assert unnamed.count == 2
    assert "whose numbers add up to 30" in unnamed.sentence
    extra = found(MissingEvents(extra=Total(1, 9)))
    assert (extra.kind, extra.pairs) == (FindingKind.BOOKS_DISAGREE, (PairId(9),))
    assert found(MissingEvents(changed=3)).kind is FindingKind.EVENT_CHANGED
    faults = ChannelFaults(NAMES)
    faults.add_missing_events(A, ROWS, ROWS, MissingEvents(orphans=True))
    assert faults.findings == []


def test_missing_outcomes_in_words() -> None:
    def found(lacking: MissingOutcomes) -> Finding:
        faults = ChannelFaults(NAMES)
        faults.add_missing_outcomes(A, 5, ROWS, BOOKS, lacking)
        [finding] = faults.findings
        return finding

    named = found(MissingOutcomes(1, (7,), sum=7))
    assert named.kind is FindingKind.MISSING_OUTCOME
    assert "event 7 has no outcome for proxy 5" in named.sentence
    many = found(MissingOutcomes(2, suspects=tuple(range(1, 9)), sum=11))
    assert (many.count, len(many.pairs)) == (2, 8)
    assert "add up to 11" in many.sentence
    assert many.sentence.endswith("events 1, 2, 3, 4, 5 …")
    odd = found(MissingOutcomes(odd=True))
    assert odd.kind is FindingKind.BOOKS_DISAGREE
    assert "by the rows 4 events wait for proxy 5" in odd.sentence
