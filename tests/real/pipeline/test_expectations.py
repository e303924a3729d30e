"""Rows that are as expected, and rows that are set aside with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.real.pipeline.archives import FIRST_US, SECOND, ArchiveMaker, Row
from tidings import event
from tidings.errors import InvalidUsage
from tidings.filters.to_spark.columns import Occurring
from tidings.pipeline.archive import Selection
from tidings.pipeline.expectations import Expectation, Severity, split
from tidings.pipeline.frames import Frame, events_frame
from tidings.pipeline.ready_checks import fresh, in_range, not_null, one_of, unique

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

pytestmark = pytest.mark.slow


def speed(seq: int, **data: Any) -> Row:
    return Row(seq, event("Traffic", "Speed", f"car-{seq}", data=data))


@pytest.fixture(scope="module")
def frame(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Frame:
    folder = tmp_path_factory.mktemp("checked")
    arrival = FIRST_US // SECOND
    maker = ArchiveMaker(folder)
    maker.seal(
        [
            speed(1, rate=50, road="A1", at=arrival + 1),
            speed(2, road="A1", at=arrival + 2),
            speed(3, rate=500, road="A7", at=arrival + 3),
            speed(4, rate=50, road="A1", at=arrival + 4 + 301),
            speed(5, rate=50, road="A1", at=(arrival + 5 - 7_200) * 1.0),
            speed(6, rate=50, road="A1", at="2026-09-21T14:13:26Z"),
            speed(7, rate=50, road="A1", at="soon", deep={"a": 1}),
            Row(8, event("Weather", "Rain", "r", data={"deep": {"a": 1}})),
        ]
    )
    maker.seal([speed(1, rate=51, road="A1", at=arrival + 1)])
    maker.close()
    return events_frame(spark, Selection(str(folder)))


def seqs(df: DataFrame) -> list[int]:
    return sorted(row["seq"] for row in df.select("seq").collect())


SPEED = ["Traffic::Speed"]


def test_rows_are_parted_and_the_reason_is_told(frame: Frame) -> None:
    checks = [
        not_null("rate", event_types=SPEED),
        in_range("rate", 0, 400, event_types=SPEED),
        one_of("road", ["A1"], event_types=SPEED, severity=Severity.WARNING),
        fresh("at", ahead="5m", behind="1h", event_types=SPEED),
        unique(),
    ]
    parted = split(frame.df, checks, frame.occurring)
    assert seqs(parted.good) == [1, 6, 8]
    assert parted.good.columns == frame.df.columns
    rows = sorted(parted.bad.collect(), key=lambda row: (row["seq"], row["name"]))
    assert [(row["seq"], row["failed"]) for row in rows] == [
        (1, ["origin, seq once"]),
        (2, ["rate is there", "rate in range"]),
        (3, ["rate in range"]),
        (4, ["at is fresh"]),
        (5, ["at is fresh"]),
        (7, ["at is fresh"]),
    ]
    assert rows[1]["reason"] == (
        "rate is there: rate is missing; rate in range: rate is not a number from 0 to 400"
    )
    assert parted.counts() == {
        "rate is there": 1,
        "rate in range": 2,
        "road is known": 1,
        "at is fresh": 3,
        "origin, seq once": 1,
    }


def test_a_warning_is_counted_and_stays(frame: Frame) -> None:
    never = Expectation("never", "FALSE", severity=Severity.WARNING)
    parted = split(frame.df, [never], frame.occurring)
    assert parted.good.count() == 9
    assert parted.bad.count() == 0
    assert parted.counts() == {"never": 9}


def test_what_no_column_holds_is_asked_of_the_event(frame: Frame) -> None:
    deep = Expectation("deep", "not exist $deep or $deep.a == 1")
    wrong = Expectation("wrong", "not exist $deep or $deep.a == 2")
    assert seqs(split(frame.df, [deep], frame.occurring).bad) == []
    assert seqs(split(frame.df, [wrong]).bad) == [7, 8]


def test_a_column_that_is_null_does_not_hold(frame: Frame) -> None:
    def rated() -> Column:
        from pyspark.sql import functions as sf

        return sf.element_at("data_int", sf.lit("rate")) > 0

    parted = split(frame.df, [Expectation("rated", rated, event_types=SPEED, reason="no rate")])
    assert seqs(parted.bad) == [2]
    assert parted.bad.first()["reason"] == "rated: no rate"  # type: ignore[index]


def test_without_checks_everything_is_good(frame: Frame) -> None:
    parted = split(frame.df, [])
    assert (parted.good.count(), parted.bad.count(), parted.counts()) == (9, 0, {})


def test_two_checks_of_one_name_are_refused(frame: Frame) -> None:
    with pytest.raises(InvalidUsage, match="two checks are called 'a'"):
        split(frame.df, [Expectation("a", "TRUE"), Expectation("a", "FALSE")])


def test_nothing_of_it_runs_in_python(frame: Frame, capsys: pytest.CaptureFixture[str]) -> None:
    checks = [in_range("rate", 0, 400), fresh("at"), unique()]
    split(frame.df, checks, Occurring(others=())).judged.explain()
    assert "Python" not in capsys.readouterr().out


def test_a_file_that_is_read_is_what_was_meant(tmp_path: Path) -> None:
    from tidings.pipeline.expectations import load_expectations

    file = tmp_path / "checks.py"
    file.write_text(
        "from tidings.pipeline.ready_checks import not_null\nEXPECTATIONS = [not_null('rate')]\n"
    )
    [one] = load_expectations(file)
    assert one == not_null("rate")
