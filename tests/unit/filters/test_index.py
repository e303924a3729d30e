"""The match index from outside; that it equals the plain loop, the laws say."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import pytest

from tidings.errors import InvalidUsage, NotFound
from tidings.events.anyvalue import Any
from tidings.events.build import event
from tidings.events.fields import Fields, fields_of
from tidings.events.typecode import LONG
from tidings.filters.constraint import Constraint, EventTypePattern, constraint
from tidings.filters.index import MatchIndex

SOON = 5.0


def index_of(texts: Iterable[str]) -> MatchIndex[str]:
    """An index with the constraints as their own keys."""
    made: MatchIndex[str] = MatchIndex()
    for text in texts:
        made.add(text, [constraint(text)])
    return made


def fields(**data: object) -> Fields:
    return fields_of(event("Telecom", "Alarm", "n", data))


def test_an_empty_index_finds_nothing() -> None:
    assert MatchIndex[str]().match(fields(a=1)) == []


def test_keys_that_match_are_found() -> None:
    index = index_of(["$a == 1", "$a == 2", "$a > 0 and $a < 5", "'x' ~ $b", "exist $c", ""])
    assert sorted(index.match(fields(a=1, b="axb"))) == [
        *("", "$a == 1", "$a > 0 and $a < 5", "'x' ~ $b"),
    ]
    assert sorted(index.match(fields(c=0))) == ["", "exist $c"]


def test_a_key_with_several_constraints_is_found_once() -> None:
    index: MatchIndex[int] = MatchIndex()
    index.add(1, [constraint("$a == 1"), constraint("$b == 1"), constraint("$a == 1 or $b == 1")])
    assert index.match(fields(a=1, b=1)) == [1]
    assert index.match(fields(a=2, b=1)) == [1]
    assert index.match(fields(a=2, b=2)) == []


def test_a_key_without_constraints_matches_everything() -> None:
    index: MatchIndex[int] = MatchIndex()
    index.add(1, [])
    assert index.match(fields()) == [1]
    assert index.match(fields_of(Any(LONG, 1))) == [1]


def test_a_constraint_that_is_never_true_is_kept_all_the_same() -> None:
    index = index_of(["FALSE", "1 == 2", "$a and FALSE"])
    assert len(index) == 3
    assert index.match(fields(a=True)) == []
    index.remove("FALSE")
    assert "FALSE" not in index


def test_what_was_removed_is_not_found() -> None:
    texts = [f"$a == {number % 5} and $b < {number}" for number in range(60)]
    index = index_of(texts)
    for text in texts[::2]:
        index.remove(text)
    found = index.match(fields(a=3, b=0))
    assert sorted(found) == sorted(
        t for t in texts[1::2] if t.startswith("$a == 3") and t[-2:] != " 0"
    )
    for text in texts[1::2]:
        index.remove(text)
    assert len(index) == 0
    assert index.match(fields(a=3, b=0)) == []


def test_keys_are_added_and_removed_once() -> None:
    index = index_of(["$a == 1"])
    with pytest.raises(InvalidUsage, match="already"):
        index.add("$a == 1", [])
    with pytest.raises(NotFound, match="not in the index"):
        index.remove("$b == 1")
    assert "$a == 1" in index
    assert len(index) == 1


def test_event_types() -> None:
    index: MatchIndex[str] = MatchIndex()
    for domain, type_ in [
        ("Telecom", "Alarm"),
        ("Tele*", "*"),
        ("Traffic", "Alarm"),
        ("*", "%ANY"),
    ]:
        index.add(f"{domain}::{type_}", [constraint("", [EventTypePattern(domain, type_)])])
    assert sorted(index.match(fields())) == ["Tele*::*", "Telecom::Alarm"]
    assert index.match(fields_of(Any(LONG, 1))) == ["*::%ANY"]
    index.remove("Tele*::*")
    assert index.match(fields()) == ["Telecom::Alarm"]


def test_patterns_added_later_count_for_types_seen_before() -> None:
    index: MatchIndex[int] = MatchIndex()
    index.add(1, [constraint("", [EventTypePattern("T*", "*")])])
    assert index.match(fields()) == [1]
    index.add(2, [constraint("", [EventTypePattern("*com", "*")])])
    assert sorted(index.match(fields())) == [1, 2]


def test_a_bad_constraint_on_the_way_adds_nothing() -> None:
    index: MatchIndex[int] = MatchIndex()

    def failing() -> Iterable[object]:
        yield constraint("$a == 1", [EventTypePattern("T*", "*")])
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError):
        index.add(1, failing())  # type: ignore[arg-type]
    assert 1 not in index
    assert index.match(fields(a=1)) == []


HOSTILE: dict[str, tuple[int, Callable[[int], str]]] = {
    "or of fields": (3_300, lambda n: " or ".join(f"$f{i} == {i}" for i in range(n))),
    "or of ands": (1_400, lambda n: " or ".join(["($a == 1 and $a < 2)"] * n)),
    "and of ors": (1_000, lambda n: " and ".join(f"($f{i} == 1 or $g == 1)" for i in range(n))),
    "or of needles": (3_300, lambda n: " or ".join(f"'n{i}' ~ $s" for i in range(n))),
    "or of intervals": (1_400, lambda n: " or ".join(f"($a > {i} and $a < 9)" for i in range(n))),
    "or of elements": (3_300, lambda n: " or ".join(f"{i} in $n" for i in range(n))),
    "and of unequals": (3_300, lambda n: " and ".join(f"$a != {i}" for i in range(n))),
    "nested": (45, lambda n: "($a == 1 or ($b == 1 and " * n + "$c" + "))" * n),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_largest_constraints_are_added_and_removed_soon(name: str) -> None:
    largest, text = HOSTILE[name]
    # One of a hundredth first: where the time grows too fast, the largest would take for ever.
    for size in (largest // 100 + 1, largest // 10 + 1, largest):
        # The slack is for the collector: it may walk all that the other tests left.
        _use_often(constraint(text(size)), SOON * size / largest + 3.0)


def _use_often(asked: Constraint, seconds: float) -> None:
    index: MatchIndex[int] = MatchIndex()
    event_fields = fields(a=1, b=2, f7=7, s="x n12 y", n=[5])
    end = time.thread_time() + seconds
    for key in range(12):
        index.add(key, [asked])
        assert time.thread_time() < end, f"{key + 1} of a length of {len(asked.text)} added"
    expected = list(range(12)) if asked.matches(event_fields) else []
    assert sorted(index.match(event_fields)) == expected
    for key in range(12):
        index.remove(key)
        assert time.thread_time() < end, f"{key + 1} of a length of {len(asked.text)} removed"


@pytest.mark.parametrize(
    "text", ["$a > -1.7e308 and $a < 1.7e308", "$a > 1 and $a < 1.0000000000000002"]
)
def test_the_widest_and_the_narrowest_interval(text: str) -> None:
    index = index_of([text, "$a == 1"])
    for value in (1, 0, 1.0000000000000002, -1.7e308, 1e308):
        found = text in index.match(fields(a=value))
        assert found is constraint(text).matches(fields(a=value))


def test_a_long_sequence_of_many_kinds_is_asked_soon() -> None:
    items = ["bb"] * 12_000 + [1] + ["aa"] * 12_000
    index = index_of([f"'{letters}' in $n" for letters in ("aa", "bb", "cc", "dd")])
    started = time.thread_time()
    found = index.match(fields(n=items))
    assert time.thread_time() - started < SOON
    assert found == ["'bb' in $n"]
