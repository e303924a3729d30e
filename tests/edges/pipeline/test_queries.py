"""Queries and checks as files have them, the log of a query, the pace of a replay, and times.

What becomes of rows is tested with Spark.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidings import event
from tidings.clock import moment_text, moment_us
from tidings.errors import InvalidConstraint, InvalidEventType, InvalidUsage, StoreError
from tidings.events.fields import fields_of
from tidings.pipeline.derive import Batch, Query, QueryBatch, QueryLog, load_queries
from tidings.pipeline.expectations import Expectation, load_expectations
from tidings.pipeline.ready_checks import fresh, in_range, not_null, one_of, unique
from tidings.pipeline.replay import ArchivedEvent, _Pace


@pytest.mark.parametrize(
    ("name", "reads", "writes", "told"),
    [
        *((name, ("traffic",), "offences", "letters, digits") for name in ("a b", "", "../up")),
        *(("good", reads, "offences", "reads no channel") for reads in ((), ("",))),
        ("good", ("traffic",), "", "writes to no channel"),
        ("good", ("traffic", "x"), "x", "its own events for ever"),
    ],
)
def test_what_makes_no_sense_is_refused(
    name: str, reads: tuple[str, ...], writes: str, told: str
) -> None:
    with pytest.raises(InvalidUsage, match=told):
        Query(name, reads, writes, print)  # type: ignore[arg-type]


QUERY_OF_ITSELF = """
from tidings.pipeline.derive import query
q = query(reads='a', writes='a')(print)
"""
BAD_CHECK = "from tidings.pipeline.expectations import *\nExpectation('a', '$a <')"


@pytest.mark.parametrize(
    ("load", "text", "told"),
    [
        *((load_queries, None, "there is no file"), (load_queries, "x = 1\n", "has no queries")),
        (load_queries, "x = \n", "does not run: SyntaxError"),
        (load_queries, "1 / 0\n", "does not run: ZeroDivisionError"),
        (load_queries, QUERY_OF_ITSELF, "its own events"),
        (load_expectations, None, "FileNotFoundError"),
        (load_expectations, "", "has no list EXPECTATIONS"),
        (load_expectations, "EXPECTATIONS = 7", "has no list EXPECTATIONS"),
        (load_expectations, "EXPECTATIONS = ['exist $a']", "has no list EXPECTATIONS"),
        (load_expectations, "1 / 0", "ZeroDivisionError: division by zero"),
        *((load_expectations, "def", "SyntaxError"), (load_expectations, BAD_CHECK, "column 5")),
    ],
)
def test_a_file_that_has_none_is_refused(
    tmp_path: Path, load: Callable[[Path], object], text: str | None, told: str
) -> None:
    path = tmp_path / "file.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(InvalidUsage, match=told) as raised:
        load(path)
    assert load is load_queries or str(path) in str(raised.value)


def test_a_batch_reads_only_what_its_query_names() -> None:
    batch = Batch(None, "nowhere", ("traffic",), 0, 1)  # type: ignore[arg-type]
    with pytest.raises(InvalidUsage, match="name every channel in `reads`"):
        batch.new(channel="else")


# ---------------------------------------------------------------- checks


def test_an_expectation_is_checked_when_it_is_made() -> None:
    with pytest.raises(InvalidUsage, match="a check needs a name"):
        Expectation("", "TRUE")
    with pytest.raises(InvalidConstraint):
        Expectation("odd", "$price <")
    with pytest.raises(InvalidEventType):
        Expectation("odd", "TRUE", event_types=["%ODD"])
    wrong: Any = 7
    with pytest.raises(InvalidUsage, match="should be a constraint, or a function"):
        Expectation("odd", wrong)


def passes(check: Expectation, **data: Any) -> bool:
    return check.constraint().matches(fields_of(event("Traffic", "Speed", data=data)))


def test_ready_checks_are_constraints() -> None:
    check = in_range("rate", 0, 400)
    assert all(passes(check, rate=rate) for rate in (0, 400.0))
    assert not any(passes(check, rate=rate) for rate in (400.5, -1, "fast"))
    assert not passes(check, speed=1)
    assert passes(in_range("rate", low=-5), rate=-5)
    assert not passes(in_range("rate", high=-5.5), rate=-5)
    roads = ["A1", "it's", "back\\slash"]
    assert all(passes(one_of("road", roads), road=road) for road in roads)
    assert not passes(one_of("road", roads), road="A2")
    assert not passes(one_of("road", roads))
    assert [passes(one_of("lane", [1, 2]), lane=lane) for lane in (2, 3)] == [True, False]
    assert callable(fresh("measured").check)
    assert callable(unique().check)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: in_range("rate"), "needs a lowest or a highest"),
        (lambda: one_of("lane", []), "none are given"),
        (lambda: one_of("lane", [1, "2"]), "texts, or of numbers"),
        (lambda: not_null("rate + 1"), "names no property"),
        (lambda: fresh("measured", ahead="soon"), "no length of time"),
        (lambda: fresh("measured", unit="minutes"), "no unit of time; there are s, ms, us"),
    ],
)
def test_what_is_no_ready_check(make: Callable[[], Expectation], told: str) -> None:
    with pytest.raises(InvalidUsage, match=told):
        make()
    with pytest.raises(InvalidConstraint):
        not_null("two words")


# ---------------------------------------------------------------- running


def opened(path: Path) -> tuple[int, int, QueryBatch | None]:
    log = QueryLog(path)
    log.close()
    return log.seal, log.next, log.begun


def test_a_torn_line_is_as_if_never_written(tmp_path: Path) -> None:
    """What was begun is asked for again, what is done is not."""
    path = tmp_path / "deep" / "speeding.jsonl"
    log = QueryLog(path)
    log.begin(0, 3)
    log.done(2)
    log.begin(3, 4)
    log.close()
    whole = path.read_bytes()
    kept = sum(len(line) for line in whole.splitlines(keepends=True)[:2])
    for cut in range(kept, len(whole)):
        path.write_bytes(whole[:cut])
        assert opened(path) == (3, 3, None)
        assert path.stat().st_size == kept
    path.write_bytes(whole)
    assert opened(path) == (3, 3, QueryBatch(3, 4, 3))
    log = QueryLog(path)
    log.done(0)  # an empty batch takes no numbers
    log.begin(4, 5)
    log.close()
    assert opened(path) == (4, 3, QueryBatch(4, 5, 3))


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b'{"what": "else"}\n')
    with pytest.raises(StoreError, match="line 1"):
        QueryLog(tmp_path / "other")
    with pytest.raises(StoreError, match="cannot be used"):
        QueryLog(tmp_path)


DUE = list(enumerate((0, 60, 60, 61)))


def test_what_was_sent_before_is_not_waited_for() -> None:
    chunk = [
        ArchivedEvent("a" * 32, seq, due * 1_000_000, b"{}")
        for seq, due in enumerate((0, 60, 60, 61))
    ]
    pace = _Pace(1.0, lambda one: one.seq <= 1)
    assert [[one.seq for one in part] for part in pace.parts(chunk)] == [[0, 1], [2], [3]]


@given(st.integers(0, 4_000_000_000_000_000))
def test_moments_that_are_written_are_read_back(microseconds: int) -> None:
    noon = 1_795_348_800_000_000  # 2026-11-22T12:00:00Z
    assert moment_us(moment_text(microseconds), noon) == microseconds
