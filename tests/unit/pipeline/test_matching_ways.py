from __future__ import annotations

from tidings.filters.parse import parse
from tidings.pipeline.matching_clauses import Clause, Literal
from tidings.pipeline.matching_ways import Door, Probe, Ways


def clause(*texts: str) -> Clause:
    return tuple(Literal(parse(text)) for text in texts)


def doors(ways: Ways, one: Clause) -> list[Door]:
    return list(ways.doors(one))


def test_few_clauses_under_a_value_are_found_by_it_alone() -> None:
    asked = [clause(f"$area == {area}", "$rate > 5") for area in range(20)]
    ways = Ways(asked)
    assert {ways.probe_of(one).beside for one in asked} == {None}
    assert [door.numbers for door in doors(ways, asked[3])] == [(3.0,)]


def test_many_clauses_under_a_value_are_parted_by_a_number_beside() -> None:
    asked = [clause(f"$area == {n % 2}", f"$rate > {n * 10}") for n in range(20)]
    ways = Ways(asked)
    (probe,) = {ways.probe_of(one) for one in asked}
    assert (probe.kind, probe.beside) == ("equal", Ways([clause("$rate > 1")]).probe_of(
        clause("$rate > 1")
    ).place)  # fmt: skip
    for one in asked:
        cells = [cell for door in doors(ways, one) for cell in door.cells or ()]
        assert cells
        assert len(cells) == len(set(cells)), "an event would find it twice"


def test_inside_its_cells_nothing_is_left_of_a_range() -> None:
    asked = [clause(f"$area == {n % 2}", f"$rate > {n * 10}") for n in range(20)]
    inside, edge = doors(Ways(asked), asked[4])[:2]
    assert inside.left == ()
    assert edge.left == asked[4][1:]


def test_where_few_have_a_number_beside_nothing_is_parted() -> None:
    plain = [clause("$area == 1", f"'n{n}' ~ $text") for n in range(20)]
    asked = [*plain, clause("$area == 1", "$rate > 5")]
    ways = Ways(asked)
    assert {ways.probe_of(one).beside for one in asked} == {None}


def test_clauses_without_the_number_stay_under_the_value() -> None:
    ranged = [clause("$area == 1", f"$rate > {n}") for n in range(20)]
    other = clause("$area == 1", "'x' ~ $text")
    ways = Ways([*ranged, other])
    assert ways.probe_of(other) == Probe("equal", ways.probe_of(other).place)
    assert ways.probe_of(ranged[0]).beside is not None
