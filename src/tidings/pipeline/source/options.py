"""Read options of the data source ``tidings``, validated before anything is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from tidings.clock import SystemClock
from tidings.errors import InvalidUsage
from tidings.filters.constraint import EventTypePattern, constraint, event_type
from tidings.pipeline.times import moment_us
from tidings.stores.archive.schema import KINDS

LATEST: Final = -1
"""Starting seal of a stream that reads only what is sealed after it has begun."""

_KNOWN: Final = (
    *("path", "kind", "columns", "channel", "type", "since", "until", "filter"),
    *("startingSeal", "maxFilesPerTrigger", "maxRowsPerTrigger", "onDamage"),
)
# Passed by Spark itself.
_SPARKS: Final = frozenset({"checkpointlocation", "queryname", "header"})


class SourceOptions(NamedTuple):
    """What to read, and how."""

    path: str  # folder of the archive
    kind: str = "events"  # events, outcomes, plans or objects
    columns: tuple[str, ...] = ()  # in this order; empty for all
    channels: tuple[str, ...] = ()  # names or origins; empty for all
    types: tuple[EventTypePattern, ...] = ()  # empty for all
    since_us: int | None = None  # inclusive, microseconds since 1970
    until_us: int | None = None  # exclusive
    filter: str = ""  # constraint that events must match; empty for none
    starting_seal: int = 1  # first seal of a stream; `LATEST` for new ones only
    most_files: int | None = None  # per batch of a stream
    most_rows: int | None = None  # per batch of a stream
    skip_damage: bool = True  # whether to skip damaged files; otherwise they fail the query


def read_options(given: Mapping[str, str]) -> SourceOptions:
    """Parse the options; their names are case-insensitive."""
    lowered = {name.lower(): value for name, value in given.items()}
    known = {name.lower() for name in _KNOWN} | _SPARKS
    for name in given:
        if name.lower() not in known:
            raise InvalidUsage(f"the source tidings has no option {name!r}; it has {_all()}")
    path = lowered.get("path", "")
    if not path:
        raise InvalidUsage("the source tidings needs the path of an archive: .load(path)")
    kind = lowered.get("kind", "events")
    if kind not in KINDS:
        raise InvalidUsage(f"{kind!r} is no kind of segments; there are {', '.join(KINDS)}")
    return _for_events_only(
        SourceOptions(
            path=path,
            kind=kind,
            columns=_listed(lowered, "columns"),
            channels=_listed(lowered, "channel"),
            types=tuple(map(event_type, _listed(lowered, "type"))),
            since_us=_moment(lowered, "since"),
            until_us=_moment(lowered, "until"),
            filter=_constraint(lowered.get("filter", "")),
            starting_seal=_starting_seal(lowered.get("startingseal", "earliest")),
            most_files=_count(lowered, "maxFilesPerTrigger"),
            most_rows=_count(lowered, "maxRowsPerTrigger"),
            skip_damage=_skips(lowered.get("ondamage", "skip")),
        )
    )


def _all() -> str:
    return ", ".join(_KNOWN)


def _for_events_only(options: SourceOptions) -> SourceOptions:
    if options.kind != "events" and (options.types or options.filter):
        raise InvalidUsage(f"type and filter are for events; {options.kind} have neither")
    return options


def _listed(given: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Split a comma-separated list, or a JSON array for texts with commas."""
    text = given.get(name, "").strip()
    if not text.startswith("["):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InvalidUsage(f"{name} begins like a JSON array and is none: {error}") from error
    if not all(isinstance(one, str) for one in found):
        raise InvalidUsage(f"{name} must be texts, not {text}")
    return tuple(found)


def _moment(given: Mapping[str, str], name: str) -> int | None:
    text = given.get(name)
    if text is None:
        return None
    # Microseconds since 1970, as in the archive, so that a program need not format a date.
    if text.strip().isdecimal() and len(text.strip()) > 8:
        return int(text)
    return moment_us(text, SystemClock().now())


def _constraint(text: str) -> str:
    if text:
        constraint(text)  # raises with the place of the error
    return text


def _starting_seal(text: str) -> int:
    if text in ("earliest", "latest"):
        return 1 if text == "earliest" else LATEST
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise InvalidUsage(f"startingSeal is a number from 1, earliest or latest, not {text!r}")


def _count(given: Mapping[str, str], name: str) -> int | None:
    text = given.get(name.lower())
    if text is None:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise InvalidUsage(f"{name} is a number from 1, not {text!r}")
    return int(text)


def _skips(text: str) -> bool:
    if text not in ("skip", "fail"):
        raise InvalidUsage(f"onDamage is skip or fail, not {text!r}")
    return text == "skip"
