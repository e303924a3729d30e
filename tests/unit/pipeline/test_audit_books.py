"""What a count and a sum of numbers can tell."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tidings.pipeline.audit_books import (
    Lacking,
    LackingEvents,
    Total,
    asked_of,
    differences,
    lacking_events,
    lacking_outcomes,
)

numbers = st.sets(st.integers(1, 60), max_size=12)


def total(seqs: set[int]) -> Total:
    return Total(len(seqs), sum(seqs))


def test_where_books_and_rows_agree_there_is_no_difference() -> None:
    rows = {"a": Total(2, 7), "b": Total(1, 3)}
    assert differences(rows, dict(rows)) == {}
    assert differences(rows, {"a": Total(3, 12), "c": Total(1, 9)}) == {
        "a": Total(-1, -5),
        "b": Total(1, 3),
        "c": Total(-1, -9),
    }


def test_a_missing_event_is_named_by_the_sum() -> None:
    assert lacking_events(Total(-1, -17), Total()) == LackingEvents((17,))


def test_missing_events_whose_outcomes_are_there_are_those() -> None:
    assert lacking_events(Total(-2, -30), Total(2, 30)) == LackingEvents(orphans=True)


def test_one_more_than_the_outcomes_name_is_named_by_what_is_left() -> None:
    assert lacking_events(Total(-3, -42), Total(2, 30)) == LackingEvents((12,), orphans=True)


def test_more_are_counted_and_summed() -> None:
    assert lacking_events(Total(-3, -42), Total()).unnamed == Total(3, 42)
    found = lacking_events(Total(-4, -50), Total(1, 8))
    assert (found.orphans, found.unnamed) == (True, Total(3, 42))


def test_outcomes_of_events_that_never_were_do_not_hide_the_missing_one() -> None:
    assert lacking_events(Total(-1, -17), Total(1, 99)) == LackingEvents((17,))


def test_more_events_than_in_the_books_and_other_numbers_are_told() -> None:
    assert lacking_events(Total(2, 9), Total()).extra == Total(2, 9)
    assert lacking_events(Total(0, -4), Total()).changed == -4


@given(numbers, st.data())
def test_one_missing_outcome_is_always_named(waiting: set[int], data: st.DataObject) -> None:
    """Law: what waits by the rows, less what waits by the books, is what is missing."""
    missing = data.draw(st.integers(1, 60).filter(lambda seq: seq not in waiting))
    by_rows = waiting | {missing}
    beyond = total(by_rows).less(total(waiting))
    assert missing in asked_of(beyond, ())
    assert lacking_outcomes(beyond, sorted(by_rows), ()) == Lacking(1, (missing,), sum=missing)


@given(numbers, st.integers(61, 90), st.data())
def test_a_missing_event_that_waits_is_no_missing_outcome(
    waiting: set[int], gone: int, data: st.DataObject
) -> None:
    missing = data.draw(st.sampled_from([None, *range(100, 110)]))
    by_rows = waiting | ({missing} if missing else set())
    beyond = total(by_rows).less(total(waiting | {gone}))
    assert (missing is None) or (missing in asked_of(beyond, {gone}))
    found = lacking_outcomes(beyond, sorted(by_rows), {gone})
    assert not found.odd
    assert found.named == ((missing,) if missing else ())


@given(numbers, numbers)
def test_as_many_as_are_missing_are_told_with_suspects(
    waiting: set[int], missing: set[int]
) -> None:
    missing -= waiting
    by_rows = sorted(waiting | missing)
    found = lacking_outcomes(total(missing), by_rows, ())
    assert found.outcomes == len(missing)
    assert missing <= {*found.named, *found.suspects}
    if not waiting:
        assert set(found.named) == missing


def test_what_nothing_explains_is_odd() -> None:
    assert lacking_outcomes(Total(-1, -5), [7], ()).odd
    assert lacking_outcomes(Total(0, 3), [7], ()).odd
    assert lacking_outcomes(Total(1, 5), [7], ()).odd


def test_two_missing_events_may_wait_for_one_consumer() -> None:
    assert lacking_outcomes(Total(-2, -11), [7], {5, 6}) == Lacking()


def test_behind_retention_only_more_waiting_than_in_the_books_counts() -> None:
    assert lacking_outcomes(Total(-3, -20), [7], (), exact=False) == Lacking()
    found = lacking_outcomes(Total(2, 20), [7, 9], (), exact=False)
    assert found == Lacking(2, suspects=(7, 9))
