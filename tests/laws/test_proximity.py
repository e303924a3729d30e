"""Areas and positions: text and back, what lies inside, and what is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.laws.sphere import metres
from tidings.errors import InvalidEvent, InvalidUsage
from tidings.events.build import event
from tidings.federation.proximity import (
    EARTH_RADIUS,
    MOST_METRES,
    Area,
    Circle,
    Position,
    Rectangle,
    area_of_text,
    area_text,
    contains,
    distance,
    moved,
    position_of_text,
    position_text,
    reaches,
    square_around,
)

DUBLIN = Position(53.34, -6.25)

positions = st.builds(Position, st.floats(-90, 90), st.floats(-180, 180))
circles = st.builds(Circle, positions, st.floats(0, MOST_METRES), st.booleans())
rectangles = st.builds(Rectangle, positions, st.floats(0, 360), st.floats(0, 180), st.booleans())
areas: st.SearchStrategy[Area] = circles | rectangles
# Far from the poles, where small turns of longitude are small ways.
habitable = st.builds(Position, st.floats(-75, 75), st.floats(-180, 180))


def wrapped(longitude: float) -> float:
    return (longitude + 180) % 360 - 180


@given(areas)
def test_an_area_is_read_as_it_is_written(area: Area) -> None:
    assert area_of_text(area_text(area)) == area


@given(positions)
def test_a_position_is_read_as_it_is_written(position: Position) -> None:
    assert position_of_text(position_text(position)) == position


@given(positions, positions)
def test_distances_agree_with_vectors_and_are_symmetric(one: Position, other: Position) -> None:
    assert distance(one, other) == distance(other, one)
    assert distance(one, other) <= MOST_METRES * (1 + 1e-12)
    # Of two opposite places the haversine knows the distance to some decimetres only.
    assert distance(one, other) == pytest.approx(metres(one, other), abs=0.5)


@given(circles, positions, positions)
def test_a_circle_has_what_is_no_farther_than_its_radius(
    circle: Circle, position: Position, producer: Position
) -> None:
    middle = moved(producer, *circle.middle) if circle.relative else circle.middle
    away = metres(middle, position)
    assume(abs(away - circle.radius) > 1)
    assert contains(circle, position, producer) == (away < circle.radius)


@given(
    habitable, st.floats(0.001, 359), st.floats(0.001, 150), st.floats(-0.999, 0.999),
    st.floats(-0.999, 0.999),
)  # fmt: skip
@example(Position(0, 179.9), 1.0, 1.0, 0.9, 0.0)
@example(Position(0, -179.9), 1.0, 1.0, -0.9, 0.0)
def test_a_rectangle_has_what_lies_between_its_edges(
    middle: Position, width: float, height: float, east: float, north: float
) -> None:
    area = Rectangle(middle, width, height)
    latitude = middle.latitude + north * height / 2
    assume(abs(latitude) < 90)
    inside = Position(latitude, wrapped(middle.longitude + east * width / 2))
    assert contains(area, inside)
    beyond = math.copysign(width / 2 + min(0.5, (360 - width) / 2), east)
    assert not contains(area, Position(latitude, wrapped(middle.longitude + beyond)))
    above = middle.latitude + math.copysign(height / 2 + 0.001, north)
    assert abs(above) > 90 or not contains(area, Position(above, middle.longitude))


@given(positions, st.floats(-180, 180), st.floats(-180, 180))
def test_a_way_has_its_length_over_poles_too(start: Position, north: float, east: float) -> None:
    end = moved(start, north, 0)
    assert -90 <= end.latitude <= 90
    assert -180 <= end.longitude <= 180
    assert metres(start, end) == pytest.approx(math.radians(abs(north)) * EARTH_RADIUS, abs=1)
    assert metres(moved(start, 0, east), Position(start.latitude, start.longitude)) <= (
        math.radians(abs(east)) * EARTH_RADIUS + 1
    )


@given(habitable, st.floats(-40, 40), st.floats(-40, 40), st.floats(0, 1_000_000), positions)
def test_a_relative_area_goes_with_the_producer(
    producer: Position, north: float, east: float, radius: float, place: Position
) -> None:
    area = Circle(Position(north, east), radius, relative=True)
    fixed = Circle(moved(producer, north, east), radius)
    assert contains(area, place, producer) == contains(fixed, place)
    with pytest.raises(InvalidUsage, match="needs the position of the producer"):
        contains(area, place)


@given(habitable, st.floats(1, 100_000))
def test_a_square_around_a_place_holds_the_circle(middle: Position, radius: float) -> None:
    square = square_around(middle, radius)
    for share in (0.0, 0.25, 0.5, 0.75):
        turn = 2 * math.pi * share
        north = math.degrees(radius * math.cos(turn) / EARTH_RADIUS)
        east = math.degrees(radius * math.sin(turn) / EARTH_RADIUS)
        east /= math.cos(math.radians(middle.latitude))
        assert contains(square, moved(middle, north * 0.999, east * 0.999))


def test_poles_are_one_place_on_all_meridians() -> None:
    north = Rectangle(Position(85, 10), 4, 10)
    assert contains(north, Position(90, -120))
    assert not contains(north, Position(89.9, -120))
    assert contains(Circle(Position(90, 0), 20_000), Position(89.9, 77))
    assert contains(Circle(Position(89.9, 0), 30_000), Position(89.9, 180))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "an area is"),
        ("0, 0, 53.3, -6.2", "an area is"),
        ("1, 0, 53.3, -6.2, 200", "an area is"),
        ("0, 0, 53.3, -6.2, 200, 3", "an area is"),
        ("2, 0, 53.3, -6.2, 200", "an area is"),
        ("0, 2, 53.3, -6.2, 200", "an area is"),
        ("0, 0, nan, -6.2, 200", "latitude is a number from -90 to 90, not 'nan'"),
        ("0, 0, 90.1, -6.2, 200", "latitude"),
        ("0, 0, 53.3, -180.5, 200", "longitude is a number from -180 to 180"),
        ("0, 0, 53.3, 1_0, 200", "longitude"),
        ("0, 0, 53.3, -6.2, -1", "radius"),
        ("0, 0, 53.3, -6.2, inf", "radius"),
        ("0, 0, 53.3, -6.2, 1e999", "radius"),
        ("1, 0, 53.3, -6.2, 361, 1", "dimx"),
        ("1, 0, 53.3, -6.2, 1, 181", "dimy"),
        ("0, 0, 53.3, -6.2, ٢٠", "radius"),
        ("0, 0, 53.3, -6.2, " + "0" * 300, "at most 256 characters"),
    ],
)
def test_what_is_no_area_is_refused_with_the_part_that_is_wrong(text: str, match: str) -> None:
    with pytest.raises(InvalidUsage, match=match):
        area_of_text(text)
    wrong = event("", "", "Speed", header={"Proximity": text})
    with pytest.raises(InvalidEvent, match=match):
        reaches(wrong, DUBLIN)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (area_of_text, position_of_text):
        try:
            read(text)
        except InvalidUsage:
            continue


def test_blanks_do_not_matter() -> None:
    assert area_of_text("0,0,53.34,-6.25,200") == area_of_text(" 0 , 0, 53.34 ,-6.25,  200.0")


def test_an_event_reaches_the_places_in_its_area() -> None:
    around = area_text(Circle(DUBLIN, 500))
    cork, near = Position(51.9, -8.47), Position(53.343, -6.25)
    absolute = event("", "", "Speed", header={"Proximity": around})
    assert reaches(absolute, near)
    assert not reaches(absolute, cork)
    assert reaches(event("", "", "Speed"), cork)
    relative = {"Proximity": "0, 1, 0, 0, 500", "Position": position_text(cork)}
    assert reaches(event("", "", "Speed", header=relative), cork)
    assert not reaches(event("", "", "Speed", header=relative), near)
    # Nobody knows where the producer is: it may be wanted.
    assert reaches(event("", "", "Speed", header={"Proximity": "0, 1, 0, 0, 500"}), near)
    for header in ({"Proximity": 7}, {**relative, "Position": "somewhere"}):
        with pytest.raises(InvalidEvent, match="header"):
            reaches(event("", "", "Speed", header=header), near)
