"""What a run of the lake says of itself."""

from __future__ import annotations

import msgspec

from tidings.pipeline.lake_log import LakeBatch, LakeFile, LakeState
from tidings.pipeline.lake_report import LakeReport, LakeResult, batch_text
from tidings.pipeline.lake_schemas import KindConflict
from tidings.pipeline.lake_take import Taken

SECOND = 1_000_000


def taken(number: int, events: int) -> Taken:
    batch = LakeBatch(
        batch=number, kind="take", staging="s", at_us=1, upto_seal=number, gaps=(f"gap {number}",)
    )
    return Taken(
        batch,
        {"events": events, "types/A/B": events, "quarantine": 1},
        [KindConflict("A", "B", "data", "x", "string", "x__string", events)],
        ["A::B data.y (int)"],
        {"A::C": 2},
        {"rate": 1},
        10 * SECOND,
        12 * SECOND,
    )


def test_batches_are_summed_up() -> None:
    report = LakeReport(notes=["recovered"], manifest_problems=("line 3",))
    report.add(taken(1, 10), 13 * SECOND, "one")
    report.add(taken(2, 5), 14 * SECOND, "two")
    files = {"p": LakeFile("events", "p", 15, 100), "q": LakeFile("events", "q", 5, 100)}
    state = LakeState(batch=2, upto_seal=2, files=files, damaged={"d": "cut"})
    result = report.result("lake", state, 2.5)
    assert (result.batches, result.events, result.outcomes, result.quarantined) == (2, 15, 0, 2)
    assert [(one.column, one.rows) for one in result.conflicts] == [("x__string", 15)]
    assert result.types_left_out == {"A::C": 4}
    assert result.failed_checks == {"rate": 2}
    assert result.properties_left_out == ("A::B data.y (int)",)
    assert result.gaps == ("gap 1", "gap 2")
    assert result.rows_by_table == {"events": 20}
    assert result.damaged == {"d": "cut"}
    assert result.notes == ("recovered", "line 3")
    assert result.latency_us == 2 * SECOND
    assert report.last == "two"
    assert msgspec.json.decode(msgspec.json.encode(result), type=LakeResult) == result


def test_one_line_about_a_batch() -> None:
    one = taken(3, 1_500)
    one.rows["outcomes"] = 2
    assert batch_text(one, 13 * SECOND, 1.25) == (
        "batch 3: 1,500 events, 2 outcomes in 1.2 s, 1 set aside; "
        "visible 1.0 to 3.0 s after arrival"
    )
