"""The location service of a node: where it is at any time, from one of several sources.

================================ ==========================================================
`53.34, -6.25`                   a node that stays there
`file:PATH`                      the last line of a file that another program appends to: such a
                                 pair, or a sentence of a GPS receiver (NMEA 0183, GGA or RMC)
`track:PATH`                     a file with lines `seconds, latitude, longitude`: the node goes
                                 from one to the next, in time from its start
================================ ==========================================================
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from operator import xor
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from tidings.errors import InvalidUsage
from tidings.federation.proximity import Position, moved, position_of_text

Location: TypeAlias = Callable[[int], Position | None]
"""Says where a node is at a time, in microseconds of some clock; None while nobody knows."""

MOST_POINTS: Final = 100_000
"""Points of a track."""
_SECOND: Final = 1_000_000
# The end of a file that is read for its last line.
_TAIL: Final = 1_024


class Point(NamedTuple):
    """A point of a track.

    Attributes:
        time: Microseconds from its beginning.
        position: Where the node is then.
    """

    time: int
    position: Position


def location_of(text: str, start: int) -> Location:
    """Return the source that a text names; `start` is when a track begins.

    Raises:
        InvalidUsage: There is no such source, or its track cannot be read.
    """
    kind, _, path = text.partition(":")
    if kind == "file":
        return PositionFile(Path(path))
    if kind == "track":
        return track(read_track(Path(path)), start)
    position = position_of_text(text)
    return lambda _: position


def track(points: Sequence[Point], start: int) -> Location:
    """Return a source that goes along points, from `start`; it waits at the first and last."""
    times = [point.time for point in points]
    if not times or any(a >= b for a, b in pairwise(times)):
        raise InvalidUsage("a track has one point or more, each later than the one before")

    def locate(now: int) -> Position:
        time = now - start
        after = bisect_right(times, time)
        if after == 0 or after == len(points):
            return points[max(0, after - 1)].position
        (begin, here), (end, there) = points[after - 1], points[after]
        share = (time - begin) / (end - begin)
        turn = (there.longitude - here.longitude + 180) % 360 - 180  # the shorter way round
        return moved(here, (there.latitude - here.latitude) * share, turn * share)

    return locate


def read_track(path: Path) -> list[Point]:
    """Read lines `seconds, latitude, longitude`; InvalidUsage names the line that is wrong."""
    points = []
    try:
        with path.open(encoding="ascii") as file:
            for number, line in enumerate(file, 1):
                seconds, _, place = line.strip().partition(",")
                try:
                    time = round(float(seconds) * _SECOND)
                    points.append(Point(time, position_of_text(place)))
                except (ValueError, OverflowError, InvalidUsage) as error:
                    raise InvalidUsage(f"{path}, line {number}: {error}") from error
                if number > MOST_POINTS:
                    raise InvalidUsage(f"{path}: a track has at most {MOST_POINTS} points")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidUsage(f"the track {path} cannot be read: {error}") from error
    return points


class PositionFile:
    """A file whose last whole line says where the node is."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._version: tuple[int, int, int] | None = None
        self._position: Position | None = None

    def __call__(self, _: int) -> Position | None:
        """Return the position; None if the file is missing, or its last line says nothing."""
        try:
            found = self._path.stat()
            version = found.st_ino, found.st_mtime_ns, found.st_size
            if version != self._version:
                self._position = position_of_line(self._last_line())
                self._version = version
        except (OSError, InvalidUsage):
            self._position, self._version = None, None
        return self._position

    def _last_line(self) -> str:
        with self._path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            whole, _, _ = file.read(_TAIL).rpartition(b"\n")
        return whole.rpartition(b"\n")[2].decode("ascii", "replace").strip()


def position_of_line(line: str) -> Position:
    """Read `latitude, longitude`, or a sentence of a GPS receiver; InvalidUsage if it is neither.

    A sentence without a fix has no position: it is refused, too.
    """
    if not line.startswith("$"):
        return position_of_text(line)
    body, _, check = line[1:].partition("*")
    fields = body.split(",")
    if check.upper() != f"{reduce(xor, body.encode(), 0):02X}":
        raise InvalidUsage(f"{line!r:.90}: the check sum is wrong")
    kind = fields[0][2:]
    if kind == "GGA" and len(fields) >= 7 and fields[6] not in ("", "0"):
        return _of_fields(fields[2:6], line)
    if kind == "RMC" and len(fields) >= 7 and fields[2] == "A":
        return _of_fields(fields[3:7], line)
    raise InvalidUsage(f"{line!r:.90} has no position: a GGA or RMC sentence with a fix is needed")


def _of_fields(fields: Sequence[str], line: str) -> Position:
    """Read `ddmm.mmm, N or S, dddmm.mmm, E or W`."""
    latitude, north, longitude, east = fields
    try:
        return position_of_text(
            f"{_degrees(latitude, 2) * {'N': 1, 'S': -1}[north]!r}, "
            f"{_degrees(longitude, 3) * {'E': 1, 'W': -1}[east]!r}"
        )
    except (ValueError, KeyError) as error:
        raise InvalidUsage(f"{line!r:.90} has no position that can be read") from error


def _degrees(field: str, digits: int) -> float:
    return int(field[:digits]) + float(field[digits:]) / 60
