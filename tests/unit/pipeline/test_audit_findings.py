"""What an audit found, in plain sentences."""

from __future__ import annotations

from tidings.pipeline.audit_books import Lacking, LackingEvents, Total
from tidings.pipeline.audit_findings import (
    bad_pair_findings,
    doubled_event_findings,
    lacking_event_findings,
    lacking_outcome_finding,
    orphan_findings,
)
from tidings.pipeline.audit_result import FindingKind, PairId
from tidings.pipeline.audit_tally import BadPair

A = "a" * 32
NAMES = {A: "roads"}
ROWS, BOOKS = Total(4, 40), Total(5, 57)


def bad(state: str, seq: int = 7, total: int = 1, *, sent: bool = True) -> BadPair:
    version = 3 if state == "disagrees" else None
    return BadPair(A, state, version, seq, 5, sent, 3, ["delivered"], total)


def sentence(pair: BadPair, lacking: dict[tuple[str, int], list[int]] | None = None) -> str:
    [finding] = bad_pair_findings([pair], NAMES, lacking or {})
    assert finding.fault
    assert finding.pairs == (PairId(7, 5),)
    assert finding.sentence.startswith("channel roads: ")
    return finding.sentence.removeprefix("channel roads: ")


def test_pairs_in_words() -> None:
    assert sentence(bad("doubled")).startswith(
        "event 7 has more than one final outcome for proxy 5"
    )
    assert "the outcome that made it one is missing" in sentence(bad("not ended"))
    assert "by the plan and not by the engine" in sentence(bad("disagrees"))
    assert "by the engine and not by the plan" in sentence(bad("disagrees", sent=False))
    assert "was not durable" in sentence(bad("wrong"))
    text = sentence(bad("wrong", sent=False), {(A, 7): [2]})
    assert "to which version 3 of the plan does not send it; proxy 2, which gets it, lacks" in text


def test_pairs_of_one_kind_are_one_finding() -> None:
    pairs = [bad("doubled", seq, 12) for seq in (7, 8)]
    [finding] = bad_pair_findings(pairs, NAMES, {})
    assert finding.count == 12
    assert finding.pairs == (PairId(7, 5), PairId(8, 5))
    assert finding.sentence.endswith("; and 11 more of this kind")


def test_missing_events_in_words() -> None:
    [finding] = lacking_event_findings(A, "roads", ROWS, BOOKS, LackingEvents((17,)))
    assert (finding.kind, finding.pairs) == (FindingKind.EVENT_MISSING, (PairId(17),))
    assert "event 17 cannot be found: the archive has 4 events" in finding.sentence
    [finding] = lacking_event_findings(A, "roads", ROWS, BOOKS, LackingEvents(unnamed=Total(2, 30)))
    assert finding.count == 2
    assert "whose numbers add up to 30" in finding.sentence
    [finding] = lacking_event_findings(A, "roads", ROWS, BOOKS, LackingEvents(extra=Total(1, 9)))
    assert (finding.kind, finding.pairs) == (FindingKind.BOOKS_DISAGREE, (PairId(9),))
    [finding] = lacking_event_findings(A, "roads", ROWS, BOOKS, LackingEvents(changed=3))
    assert finding.kind is FindingKind.EVENT_CHANGED
    assert lacking_event_findings(A, "roads", ROWS, ROWS, LackingEvents(orphans=True)) == []


def test_orphans_in_words() -> None:
    [finding] = orphan_findings([bad("orphan"), bad("orphan", 9)], NAMES, by_books={A: True})
    assert finding.count == 2
    assert "events 7 and 9 cannot be found, and outcomes of them can" in finding.sentence
    [finding] = orphan_findings([bad("orphan")], NAMES, by_books={})
    assert finding.sentence.endswith("the books were not asked")


def test_missing_outcomes_in_words() -> None:
    named = lacking_outcome_finding(A, "roads", 5, ROWS, BOOKS, Lacking(1, (7,), sum=7))
    assert named.kind is FindingKind.MISSING_OUTCOME
    assert "event 7 has no outcome for proxy 5" in named.sentence
    many = Lacking(2, suspects=tuple(range(1, 9)), sum=11)
    found = lacking_outcome_finding(A, "roads", 5, ROWS, BOOKS, many)
    assert found.count == 2
    assert "add up to 11" in found.sentence
    assert found.sentence.endswith("events 1, 2, 3, 4, 5 …")
    assert len(found.pairs) == 8
    odd = lacking_outcome_finding(A, "roads", 5, ROWS, BOOKS, Lacking(odd=True))
    assert odd.kind is FindingKind.BOOKS_DISAGREE
    assert "by the rows 4 events wait for proxy 5" in odd.sentence


def test_doubled_events_in_words() -> None:
    [finding] = doubled_event_findings({A: [3, 4, 5]}, {A: 3}, NAMES)
    assert "events 3, 4 and 5 stand in the archive more than once" in finding.sentence
