"""ADS-B samples of the PyPI package `traffic`: 284,505 positions of 213 aircraft around Paris.

Read from the package's wheel, which pip downloads once and never installs. Losses of separation
are found by plain arithmetic, to verify the warnings of the pipeline, by the same rule as the
example query `separation`: closer than 5 nautical miles and 1,000 feet in the same second, both
airborne and at 6,000 feet or above; one loss per pair and minute.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from itertools import combinations, groupby
from math import asin, cos, radians, sin, sqrt
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import msgspec

from tidings.errors import InvalidUsage, Unreachable
from tidings.events.build import event
from tidings.events.structured import StructuredEvent

PACKAGE: Final = "traffic==2.13"
_WHEEL: Final = "traffic-2.13-py3-none-any.whl"
_MEMBER: Final = "traffic/data/samples/collections/quickstart.json.gz"
_FETCHED_WITHIN: Final = 300

_MILES: Final = 5.0
_FEET: Final = 1_000.0
_LOWEST: Final = 6_000.0
_EARTH_MILES: Final = 3_440.065
# Degrees of latitude; positions farther apart are never within 5 miles.
_FAR_NORTH: Final = 0.1

Loss: TypeAlias = tuple[str, str, int]
"""Two aircraft and the minute."""


class Position(msgspec.Struct, frozen=True):
    """An aircraft's position as in the sample; times in milliseconds since 1970."""

    icao24: str
    timestamp: int
    callsign: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    altitude: float | None = None
    groundspeed: float | None = None
    track: float | None = None
    vertical_rate: float | None = None
    onground: bool | None = None
    squawk: str | None = None


def fetched(folder: Path) -> Path:
    """Return the wheel with the samples; download it with pip unless the folder has it."""
    wheel = folder / _WHEEL
    if wheel.exists():
        return wheel
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(folder), PACKAGE]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=_FETCHED_WITHIN, check=False
    )
    if done.returncode or not wheel.exists():
        reason = done.stderr.strip().rpartition("\n")[2] or f"pip ended with {done.returncode}"
        raise Unreachable(
            f"the samples in {PACKAGE} cannot be fetched: {reason}; where there is no network, "
            "give the wheel with --samples"
        )
    return wheel


def read_positions(wheel: Path, most: int | None = None) -> list[Position]:
    """Read the first `most` positions, sorted by time."""
    try:
        with zipfile.ZipFile(wheel) as package:
            octets = gzip.decompress(package.read(_MEMBER))
        found = msgspec.json.decode(octets, type=list[Position])
    except (OSError, KeyError, zipfile.BadZipFile, msgspec.MsgspecError) as error:
        raise InvalidUsage(f"{wheel} is no wheel of {PACKAGE}: {error}") from error
    found.sort(key=lambda position: (position.timestamp, position.icao24))
    return found[:most]


def as_event(position: Position) -> StructuredEvent:
    """Convert a position to an event; unknown values are omitted."""
    known = msgspec.structs.asdict(position)
    data = {name: value for name, value in known.items() if value is not None}
    data["at"] = data.pop("timestamp") * 1_000
    return event("Surveillance", "Position", position.icao24, data)


class _Flying(NamedTuple):
    second: int
    icao24: str
    latitude: float
    longitude: float
    altitude: float


def losses(positions: Iterable[Position]) -> set[Loss]:
    """Return all losses of separation among positions sorted by time."""
    flying = [
        _Flying(one.timestamp // 1_000, one.icao24, one.latitude, one.longitude, one.altitude)
        for one in positions
        if one.latitude is not None and one.longitude is not None and one.altitude is not None
        if not one.onground and one.altitude >= _LOWEST
    ]
    found: set[Loss] = set()
    for second, group in groupby(flying, key=lambda one: one.second):
        for one, two in combinations(group, 2):
            if one.icao24 != two.icao24 and _too_close(one, two):
                first, other = sorted((one.icao24, two.icao24))
                found.add((first, other, second // 60))
    return found


def _too_close(one: _Flying, two: _Flying) -> bool:
    if abs(one.altitude - two.altitude) >= _FEET:
        return False
    if abs(one.latitude - two.latitude) > _FAR_NORTH:
        return False
    north = sin(radians(two.latitude - one.latitude) / 2)
    east = sin(radians(two.longitude - one.longitude) / 2)
    share = north * north + cos(radians(one.latitude)) * cos(radians(two.latitude)) * east * east
    return 2 * _EARTH_MILES * asin(sqrt(share)) < _MILES
