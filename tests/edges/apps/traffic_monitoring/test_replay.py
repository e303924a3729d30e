"""The merged logs, stepped through forward and back."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tidings.apps.traffic_monitoring.replay import Line, MergedLog, State, after


def line(time: int, entity: str = "car-1", word: str = "drove", **about: Any) -> Line:
    return Line(time, time // 10, entity, word, about)


def test_lines_of_all_logs_are_in_order_of_time() -> None:
    log = MergedLog()
    lines = [line(n, f"car-{n % 3}", x=n) for n in range(30)]
    for start in (0, 10, 20):
        part = lines[start : start + 10]
        Random(start).shuffle(part)
        log.add(part)
    assert log.lines() == lines
    assert (log.first, log.last) == (0, 29)


LINES = st.lists(
    st.builds(
        lambda entity, word, x: Line(0, 0, entity, word, {"x": x}),
        st.sampled_from(("car-1", "car-2", "road-1", "control-room")),
        st.sampled_from(("drove", "shows", "heard", "fined")),
        st.integers(0, 9),
    ),
    max_size=40,
)


@given(LINES, st.integers(1, 15))
def test_a_step_back_is_what_the_step_forward_was(lines: list[Line], most: int) -> None:
    log = MergedLog(most)
    for at in range(0, len(lines), 7):
        log.add(lines[at : at + 7])
    states: list[State] = [{}]
    for one in lines:
        states.append(after(states[-1], one))
    assert log.last == len(lines) - 1
    assert len(log.lines()) == min(most, len(lines))
    for number in [*range(len(lines)), *reversed(range(len(lines)))]:
        found = log.step(number)
        assert found is not None
        assert found.number == max(number, log.first)
        assert (found.line, found.state) == (lines[found.number], states[found.number + 1])


def test_what_an_entity_was_before_stays_known() -> None:
    log = MergedLog()
    log.add([line(1, x=1), line(2, "road-1", "shows", limit=50), line(3, x=2)])
    log.add([line(4, "control-room", "fined"), line(5, "control-room", "fined")])
    log.add([line(6, "car-1", "heard", subject="Speed")])
    states = [step.state for step in log.around(0, 9)]
    assert states[0] == {"car-1": {"x": 1}}
    assert states[1] == {"car-1": {"x": 1}, "road-1": {"limit": 50}}
    assert states[5] == {
        "car-1": {"x": 2},
        "road-1": {"limit": 50},
        "control-room": {"fines": 2},
    }


def test_an_empty_log_has_no_step() -> None:
    log = MergedLog()
    assert log.step(0) is None
    assert (log.first, log.last) == (0, -1)


def test_the_lines_around_one_are_always_as_many() -> None:
    log = MergedLog(20)
    log.add([line(n) for n in range(30)])
    numbers = [[step.number for step in log.around(number, 2)] for number in (0, 15, 28, 29)]
    assert numbers == [[10, 11, 12], [*range(13, 18)], [*range(25, 30)], [*range(25, 30)]]


def test_the_latest_of_a_kind_come_first_and_none_from_later() -> None:
    log = MergedLog(20)
    log.add([line(n, word="fined" if n % 5 == 0 else "drove") for n in range(30)])
    assert [step.number for step in log.latest("fined", 24, 2)] == [20, 15]
    assert [step.number for step in log.latest("fined", 29, 9)] == [25, 20, 15, 10]
    assert log.latest("fined", 5, 9) == []
