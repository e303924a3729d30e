"""Event arguments of commands: words, or files of lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final

import typer

from tidings.cli.reading import moment
from tidings.cli.showing import moment_text
from tidings.clock import SystemClock, duration_us
from tidings.errors import InvalidUsage

HEADER_AND_LINES: Final = (
    "--header, --priority, --delay, --at and --ttl go with an event on the command line, "
    "not with --json-lines"
)

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="EVENT",
        help="Domain::Type [name] field=value … field:='json' …; with --json-lines, more files.",
    ),
]
Header = Annotated[
    list[str] | None,
    typer.Option(
        "--header", metavar="NAME=VALUE", help="A header property, such as Priority=4. Repeatable."
    ),
]
Priority = Annotated[
    int | None,
    typer.Option(min=-32767, max=32767, help="Larger is more urgent. The header's Priority."),
]
Delay = Annotated[
    str | None,
    typer.Option(
        metavar="DURATION", help="Deliver so much later, such as 10m. The header's StartTime."
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", help="Deliver not before, such as 2027-01-01T08:00:00Z. Also StartTime."
    ),
]
Ttl = Annotated[
    str | None,
    typer.Option(
        metavar="DURATION", help="Deliver within so long, such as 5s, or not. The header's Timeout."
    ),
]
JsonLines = Annotated[
    list[str] | None,
    typer.Option(
        "--json-lines",
        metavar="FILE",
        help="A file of events, one a line; - reads standard input. Repeatable.",
    ),
]


# Every time within it has a valid date.
_LONGEST: Final = 1_000_000 * 86_400 * 1_000_000


def header_words(
    header: Iterable[str],
    priority: int | None,
    delay: str | None,
    at: str | None,
    ttl: str | None,
) -> list[str]:
    """Merge `--header` properties with those of the other options."""
    found = [*header]
    if priority is not None:
        found.append(f"Priority={priority}")
    if delay is not None:
        found.append(f"StartTime={moment_text(SystemClock().now() + _duration('delay', delay))}")
    if at is not None:
        found.append(f"StartTime={moment_text(moment(at))}")
    if ttl is not None:
        if not _duration("ttl", ttl):
            raise InvalidUsage("--ttl must be longer than 0; leave it out for no expiry")
        found.append(f"Timeout={ttl}")
    return found


def _duration(option: str, text: str) -> int:
    found = duration_us(text)
    if found is None:
        raise InvalidUsage(
            f"--{option}: {text!r:.40} is not a duration; write a whole number and ms, s, m, h, d "
            "or w, such as 5s"
        )
    if found > _LONGEST:
        raise InvalidUsage(f"--{option}: {text!r:.40} is too long; the longest is 1000000d")
    return found
