"""The immutable mapping: changed copies, and what stays as it was."""

from __future__ import annotations

import pytest

from tidings.filters.persistent_map import PersistentMap


def filled(count: int) -> PersistentMap[int, str]:
    return PersistentMap[int, str]().changed({key: str(key) for key in range(count)})


def test_an_empty_one() -> None:
    empty = PersistentMap[int, str]()
    assert len(empty) == 0
    assert list(empty) == []
    assert empty == {}
    assert 1 not in empty
    assert empty.get(1) is None
    with pytest.raises(KeyError):
        empty[1]


def test_what_was_set_is_there() -> None:
    made = filled(3)
    assert made[2] == "2"
    assert made.get(2) == "2"
    assert made.get(7) is None
    assert made.get(7, "none") == "none"
    assert 2 in made
    assert 7 not in made
    assert sorted(made.items()) == [(0, "0"), (1, "1"), (2, "2")]


def test_none_removes() -> None:
    made = filled(3).changed({1: None})
    assert made == {0: "0", 2: "2"}
    assert len(made) == 2
    assert 1 not in made


def test_removing_what_is_not_there_changes_nothing() -> None:
    made = filled(3)
    assert made.changed({9: None}) == made
    assert len(made.changed({9: None})) == 3


def test_setting_again_replaces() -> None:
    made = filled(3).changed({1: "one"})
    assert made == {0: "0", 1: "one", 2: "2"}
    assert len(made) == 3


@pytest.mark.parametrize("size", [0, 3, 64, 65, 5_000])
def test_a_change_leaves_the_one_before_as_it_was(size: int) -> None:
    before = filled(size)
    content = dict(before)
    before.changed({0: "other", 1: None, size: "new", -1: "new"})
    before.changed(dict.fromkeys(content))
    assert dict(before) == content
    assert len(before) == len(content)


@pytest.mark.parametrize("size", [63, 64, 65, 256, 257, 4_097])
def test_growing_and_shrinking_keeps_every_key(size: int) -> None:
    made = PersistentMap[int, int]()
    for key in range(size):
        made = made.changed({key: -key})
    assert made == {key: -key for key in range(size)}
    assert sorted(made) == list(range(size))
    for key in range(size - 3):
        made = made.changed({key: None})
    assert made == {key: -key for key in range(size - 3, size)}


def test_a_change_shares_what_it_does_not_touch() -> None:
    """The promise of the price, without a clock: nearly all chunks are the same objects."""
    before = filled(100_000)
    after = before.changed({7: "seven"})
    pairs = list(zip(before._chunks, after._chunks, strict=True))
    assert sum(one is not two for one, two in pairs) == 1
    assert len(pairs) < 1_000
    assert max(len(chunk) for chunk, _ in pairs) < 1_000


def test_chunks_become_fewer_again() -> None:
    made = filled(100_000).changed(dict.fromkeys(range(10, 100_000)))
    assert made == filled(10)
    assert len(made._chunks) == len(filled(10)._chunks)


def test_equal_content_is_equal_however_it_came_about() -> None:
    one = filled(300).changed(dict.fromkeys(range(5, 300)))
    assert one == filled(5)
    assert one == dict(filled(5))
    assert one != filled(6)
    assert one != filled(5).changed({1: "other"})


def test_it_is_shown_like_a_dictionary() -> None:
    assert repr(filled(1)) == "PersistentMap({0: '0'})"


def test_it_cannot_be_hashed_or_assigned_to() -> None:
    with pytest.raises(TypeError):
        hash(filled(1))
    with pytest.raises(TypeError):
        filled(1)[0] = "other"  # type: ignore[index]
