from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given

from tests.unit.stores.sample_payloads import JOURNAL, LETTER, LETTERS
from tidings.channel.effects import Cause
from tidings.stores import dead_letters
from tidings.stores.catalog import MOST_CAUSES, Catalog, DeadLetterRow
from tidings.stores.payloads import StoredDeadLetter


@pytest.fixture
def catalog() -> Iterator[Catalog]:
    with Catalog.open(None, JOURNAL) as made:
        yield made


def test_the_catalog_gives_the_names_of_its_rows() -> None:
    assert dead_letters.DeadLetterRow is DeadLetterRow
    assert issubclass(Catalog, dead_letters.DeadLetters)


@given(LETTERS)
def test_dead_letters_come_back(letter: StoredDeadLetter) -> None:
    with Catalog.open(None, JOURNAL) as catalog:
        id = catalog.add_dead(1, 9, letter)
        row = catalog.dead_letter(id)
        assert row is not None
        assert row == (id, 1, 9, letter._replace(number=id))
        assert id == letter.number or not letter.number
        assert catalog.dead_letters() == [row]
        assert catalog.find_dead(1, letter.proxy, 9) == row
        assert catalog.take_dead(id) == row
        assert catalog.take_dead(id) is None
        assert catalog.find_dead(1, letter.proxy, 9) is None


def test_a_second_death_keeps_the_first_cause_first(catalog: Catalog) -> None:
    later = LETTER._replace(at=90, causes=(LETTER.causes[1], Cause(80, "late")))
    first = catalog.add_dead(1, 9, LETTER)
    assert catalog.add_dead(1, 9, later) == first
    [row] = catalog.dead_letters()
    causes = (*LETTER.causes, Cause(80, "late"))
    assert row.letter == LETTER._replace(at=90, causes=causes, number=first)
    catalog.add_dead(1, 9, LETTER)  # as when the journal is read again
    assert catalog.dead_letters() == [row]
    assert catalog.add_dead(1, 10, LETTER) != catalog.add_dead(2, 9, LETTER) != first


def test_causes_do_not_grow_for_ever(catalog: Catalog) -> None:
    for at in range(100):
        id = catalog.add_dead(1, 9, LETTER._replace(causes=(Cause(at, "refused"),)))
    row = catalog.dead_letter(id)
    assert row is not None
    assert [cause.at for cause in row.letter.causes] == [0, *range(101 - MOST_CAUSES, 100)]


def test_new_numbers_are_higher_than_all_before(catalog: Catalog) -> None:
    catalog.number_dead_after(40)
    assert catalog.add_dead(1, 1, LETTER) == 41
    assert catalog.add_dead(1, 2, LETTER._replace(number=7)) == 7
    catalog.number_dead_after(20)
    assert catalog.add_dead(1, 3, LETTER) == 42
    assert catalog.add_dead(1, 4, LETTER._replace(number=60)) == 60
    assert catalog.add_dead(1, 5, LETTER) == 61


def test_dead_letters_are_listed_in_pages(catalog: Catalog) -> None:
    ids = {
        (channel, proxy, seq): catalog.add_dead(channel, seq, LETTER._replace(proxy=proxy))
        for channel in (1, 2)
        for seq in range(3)
        for proxy in (7, 8)
    }
    assert [row.id for row in catalog.dead_letters()] == sorted(ids.values())
    assert [row.id for row in catalog.dead_letters(after_id=4, limit=3)] == [5, 6, 7]
    of_one = catalog.dead_letters(channel=2, proxy=8)
    assert [row.id for row in of_one] == [ids[2, 8, seq] for seq in range(3)]
    assert len(catalog.dead_letters(channel=1)) == len(catalog.dead_letters(proxy=7)) == 6
    assert catalog.count_dead() == 12


def test_the_oldest_dead_letters_are_trimmed(catalog: Catalog) -> None:
    ids = [catalog.add_dead(1, seq, LETTER) for seq in range(250)]
    assert catalog.trim_dead(300) == []
    assert [row.id for row in catalog.trim_dead(40)] == ids[:210]
    assert [row.id for row in catalog.dead_letters()] == ids[210:]
    assert len(catalog.trim_dead(0)) == 40
    assert catalog.add_dead(1, 1, LETTER) > ids[-1]  # no id is given twice
