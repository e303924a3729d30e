"""Options of the data source ``tidings``, validated before anything is read or published."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tidings.client.transports.backoff import PATIENCE
from tidings.clock import SystemClock, moment_us
from tidings.errors import InvalidUsage
from tidings.filters.constraint import constraint, event_type
from tidings.pipeline.archive import Selection
from tidings.stores.archive.columns import EVENTS, KINDS

LATEST: Final = -1
"""Starting seal of a stream that reads only what is sealed after it has begun."""
READ: Final = (
    *("path", "kind", "columns", "channel", "type", "since", "until", "filter"),
    *("startingSeal", "maxFilesPerTrigger", "maxRowsPerTrigger", "onDamage"),
)
"""Names of the options for reading."""
WRITE: Final = ("url", "channel", "token", "producer", "key", "batchSize", "onRefused", "patience")
"""Names of the options for publishing."""

# Passed by Spark itself.
_SPARKS: Final = {
    "source": frozenset({"checkpointlocation", "queryname", "header"}),
    "sink": frozenset({"checkpointlocation", "queryname", "path"}),
}
_MOST_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True)
class SourceOptions(Selection):
    """What to read, and how."""

    kind: str = EVENTS  # events, outcomes, plans or objects
    columns: tuple[str, ...] = ()  # in this order; empty for all
    filter: str = ""  # constraint that events must match; empty for none
    starting_seal: int = 1  # first seal of a stream; `LATEST` for new ones only
    most_files: int | None = None  # per batch of a stream
    most_rows: int | None = None  # per batch of a stream
    skip_damage: bool = True  # whether to skip damaged files; otherwise they fail the query


class SinkOptions(NamedTuple):
    """Where to publish events, and how."""

    url: str  # the service
    channel: str  # name or id
    token: str = ""  # access token
    producer: str = ""  # prefix of the producer names; empty for a generated one
    # Columns that identify a row: an integer column, or any column and an integer column; may be
    # empty
    key: tuple[str, ...] = ()
    at_once: int = 1_000  # events per push
    skip_refused: bool = False  # whether to skip refused rows; otherwise they fail the query
    patience: float = PATIENCE  # seconds to wait while the service is down or the channel full


def read_options(given: Mapping[str, str]) -> SourceOptions:
    """Parse the options for reading; their names are case-insensitive."""
    lowered = _lowered("source", given, READ)
    if not lowered.get("path"):
        raise InvalidUsage("the source tidings needs the path of an archive: .load(path)")
    kind = lowered.get("kind", EVENTS)
    if kind not in KINDS:
        raise InvalidUsage(f"{kind!r} is no kind of segments; there are {', '.join(KINDS)}")
    options = SourceOptions(
        lowered["path"],
        channels=_listed(lowered, "channel"),
        types=tuple(map(event_type, _listed(lowered, "type"))),
        since_us=_moment(lowered, "since"),
        until_us=_moment(lowered, "until"),
        kind=kind,
        columns=_listed(lowered, "columns"),
        filter=lowered.get("filter", ""),
        starting_seal=_starting_seal(lowered.get("startingseal", "earliest")),
        most_files=_count(lowered, "maxFilesPerTrigger"),
        most_rows=_count(lowered, "maxRowsPerTrigger"),
        skip_damage=_skips(lowered, "onDamage", "skip"),
    )
    if options.filter:
        constraint(options.filter)  # raises with the place of the error
    if kind != EVENTS and (options.types or options.filter):
        raise InvalidUsage(f"type and filter are for events; {kind} have neither")
    return options


def write_options(given: Mapping[str, str]) -> SinkOptions:
    """Parse the options for publishing; their names are case-insensitive."""
    lowered = _lowered("sink", given, WRITE)
    for name, example in (("url", "http://localhost:8080"), ("channel", "alarms")):
        if not lowered.get(name):
            raise InvalidUsage(f'the sink tidings needs .option("{name}", "{example}")')
    key = _listed(lowered, "key")
    if len(key) > 2:
        raise InvalidUsage(f"key is one column or two, not {', '.join(key)}")
    return SinkOptions(
        lowered["url"],
        lowered["channel"],
        lowered.get("token", ""),
        lowered.get("producer", ""),
        key,
        _count(lowered, "batchSize", _MOST_AT_ONCE) or SinkOptions._field_defaults["at_once"],
        _skips(lowered, "onRefused", "fail"),
        _seconds(lowered.get("patience", str(PATIENCE))),
    )


def check_columns(options: SinkOptions, columns: Sequence[str]) -> None:
    """Check that rows with these columns can be events."""
    if not {"raw", "event"} & set(columns) and not {"domain", "type"} <= set(columns):
        raise InvalidUsage(
            "a row to publish has a column raw (typed JSON), or event (an event as JSON), or "
            f"domain and type with header and data; these rows have {', '.join(columns)}"
        )
    for column in options.key:
        if column not in columns:
            raise InvalidUsage(f"the key names {column!r}, and the rows have {', '.join(columns)}")


def _lowered(what: str, given: Mapping[str, str], known: Sequence[str]) -> dict[str, str]:
    """Return the options by their names in small letters; refuse unknown ones."""
    for name in given:
        if name.lower() not in {one.lower() for one in known} | _SPARKS[what]:
            raise InvalidUsage(
                f"the {what} tidings has no option {name!r}; it has {', '.join(known)}"
            )
    return {name.lower(): value for name, value in given.items()}


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


def _starting_seal(text: str) -> int:
    if text in ("earliest", "latest"):
        return 1 if text == "earliest" else LATEST
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise InvalidUsage(f"startingSeal is a number from 1, earliest or latest, not {text!r}")


def _count(given: Mapping[str, str], name: str, most: int | None = None) -> int | None:
    text = given.get(name.lower())
    if text is None:
        return None
    if not text.isdecimal() or int(text) < 1 or (most is not None and int(text) > most):
        upto = "" if most is None else f" to {most}"
        raise InvalidUsage(f"{name} is a number from 1{upto}, not {text!r}")
    return int(text)


def _skips(given: Mapping[str, str], name: str, default: str) -> bool:
    text = given.get(name.lower(), default)
    if text not in ("skip", "fail"):
        raise InvalidUsage(f"{name} is skip or fail, not {text!r}")
    return text == "skip"


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise InvalidUsage(f"patience is a number of seconds, not {text!r}")
    return found
