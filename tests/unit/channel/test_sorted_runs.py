from __future__ import annotations

import random
import sys

import pytest

from tidings.channel.sorted_runs import SortedRun


def shuffled(count: int, seed: int = 1) -> list[int]:
    numbers = list(range(count))
    random.Random(seed).shuffle(numbers)
    return numbers


def test_what_is_added_in_any_order_comes_in_ascending_order() -> None:
    run: SortedRun[int] = SortedRun()
    for number in shuffled(5000):
        run.add(number)
        if number % 7 == 0:
            run.first()  # sorts the new ones in, few or many
    assert list(run) == list(range(5000))


def test_it_starts_with_items_in_any_order() -> None:
    assert list(SortedRun(shuffled(3000))) == list(range(3000))


def test_a_key_ranks_the_items() -> None:
    run = SortedRun([1, 3, 2], key=lambda number: -number)
    run.add(5)
    assert (run.first(), run.last(), list(run)) == (5, 1, [5, 3, 2, 1])


def test_both_ends_are_known() -> None:
    run = SortedRun(shuffled(3000))
    assert (run.first(), run.last()) == (0, 2999)


def test_the_ends_of_nothing_are_refused() -> None:
    run: SortedRun[int] = SortedRun()
    with pytest.raises(IndexError):
        run.first()
    with pytest.raises(IndexError):
        run.last()


def test_it_is_false_when_empty_and_true_before_new_items_are_sorted_in() -> None:
    run: SortedRun[int] = SortedRun()
    assert not run
    run.add(1)
    assert run
    run.remove(1)
    assert not run


@pytest.mark.parametrize("most", [-1, 0, 1, 7, 1023, 1024, 1025, 2999, 3000, 9999])
def test_it_gives_from_both_ends(most: int) -> None:
    numbers = list(range(3000))
    cut = max(0, min(most, 3000))
    run = SortedRun(shuffled(3000))
    assert run.take(most) == numbers[:cut]
    assert list(run) == numbers[cut:]
    run = SortedRun(shuffled(3000))
    assert run.take_last(most) == numbers[3000 - cut :]
    assert list(run) == numbers[: 3000 - cut]


@pytest.mark.parametrize("rank", [-1, 0, 1, 1023, 1024, 1500, 3000])
def test_it_gives_all_below_a_rank(rank: int) -> None:
    run = SortedRun(shuffled(3000))
    assert run.take_below(rank) == list(range(rank))
    assert list(run) == list(range(max(0, rank), 3000))


def test_items_are_removed_and_added_again_anywhere() -> None:
    run = SortedRun(shuffled(4000))
    kept = set(range(4000))
    for number in shuffled(4000, seed=2)[:3500]:
        run.remove(number)
        kept.remove(number)
    assert list(run) == sorted(kept)
    for number in shuffled(4000, seed=3):
        if number not in kept:
            run.add(number)
            run.last()
    assert list(run) == list(range(4000))


def test_what_comes_above_all_others_after_the_highest_left_is_in_its_place() -> None:
    run = SortedRun([1, 5])
    run.remove(5)
    run.add(4)
    assert run.last() == 4
    run.add(3)
    run.add(6)
    assert list(run) == [1, 3, 4, 6]


def test_no_bucket_grows_beyond_bounds() -> None:
    run = SortedRun(range(0, 20_000, 2))
    run.first()
    for number in range(9001, 13_000, 2):
        run.add(number)
        run.first()
    assert max(map(len, run._buckets)) <= 1024
    assert sum(map(sys.getsizeof, run._buckets)) < 12 * 12_000
