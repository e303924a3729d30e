"""ADS-B samples of the PyPI package `traffic`: 284,505 positions of 213 aircraft around Paris.

Read from the package's wheel, which pip downloads once and never installs.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

import msgspec

from tidings.errors import InvalidUsage, Unreachable
from tidings.events.build import event
from tidings.events.structured import StructuredEvent

PACKAGE: Final = "traffic==2.13"
POSITIONS: Final = 284_505
"""Number of positions in the sample."""

_WHEEL: Final = "traffic-2.13-py3-none-any.whl"
_MEMBER: Final = "traffic/data/samples/collections/quickstart.json.gz"
_FETCHED_WITHIN: Final = 300


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
