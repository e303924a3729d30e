"""Write options of the data source ``tidings``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from tidings.client.transports.backoff import PATIENCE
from tidings.errors import InvalidUsage

_KNOWN: Final = (
    *("url", "channel", "token", "producer", "key", "batchSize", "onRefused", "patience"),
)
# Passed by Spark itself.
_SPARKS: Final = frozenset({"checkpointlocation", "queryname", "path"})
_MOST_AT_ONCE: Final = 10_000


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
    # Whether to skip refused rows; otherwise they fail the query
    skip_refused: bool = False
    # Seconds to wait for a service that is down or a channel that is full
    patience: float = PATIENCE


def write_options(given: Mapping[str, str]) -> SinkOptions:
    """Parse the options; their names are case-insensitive."""
    lowered = {name.lower(): value for name, value in given.items()}
    known = {name.lower() for name in _KNOWN} | _SPARKS
    for name in given:
        if name.lower() not in known:
            told = ", ".join(_KNOWN)
            raise InvalidUsage(f"the sink tidings has no option {name!r}; it has {told}")
    for name, example in (("url", "http://localhost:8080"), ("channel", "alarms")):
        if not lowered.get(name):
            raise InvalidUsage(f'the sink tidings needs .option("{name}", "{example}")')
    key = tuple(part.strip() for part in lowered.get("key", "").split(",") if part.strip())
    if len(key) > 2:
        raise InvalidUsage(f"key is one column or two, not {', '.join(key)}")
    refused = lowered.get("onrefused", "fail")
    if refused not in ("skip", "fail"):
        raise InvalidUsage(f"onRefused is skip or fail, not {refused!r}")
    return SinkOptions(
        lowered["url"],
        lowered["channel"],
        lowered.get("token", ""),
        lowered.get("producer", ""),
        key,
        _batch_size(lowered.get("batchsize", "1000")),
        refused == "skip",
        _seconds(lowered.get("patience", str(PATIENCE))),
    )


def _batch_size(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_AT_ONCE:
        raise InvalidUsage(f"batchSize is a number from 1 to {_MOST_AT_ONCE}, not {text!r}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise InvalidUsage(f"patience is a number of seconds, not {text!r}")
    return found


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
