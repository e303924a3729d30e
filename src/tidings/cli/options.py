"""Options that several commands share, each with one meaning and one text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from tidings.cli import render
from tidings.cli.reading import STDIN, moment
from tidings.clock import SystemClock

JSON_ASKED = "tidings.json"
"""Key in a context's `meta`, set if a command was asked for JSON, for error reports."""


def _remember(context: typer.Context, value: bool) -> bool:
    context.meta[JSON_ASKED] = value
    return value


Json = Annotated[
    bool,
    typer.Option("--json", callback=_remember, help="Write JSON lines instead of text."),
]
Format = Annotated[
    str,
    typer.Option("--format", metavar="NAME", help="How events are written: json or cloudevents."),
]
Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="PATTERN",
        help="Only events of this type: Domain::Type or Type, * for any characters. Repeatable.",
    ),
]
Now = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="What $curtime reads, such as 2026-11-15T08:30:00Z. [default: the clock]",
    ),
]
Files = Annotated[
    list[str] | None,
    typer.Option("-f", "--file", metavar="FILE", help="A file of constraints. Repeatable."),
]
Expressions = Annotated[
    list[str] | None,
    typer.Option("-e", "--expression", metavar="CONSTRAINT", help="A constraint. Repeatable."),
]
Events = Annotated[
    list[str] | None,
    typer.Argument(metavar="EVENTS", help="Files of events; - or none reads standard input."),
]
Against = Annotated[
    str | None,
    typer.Option(metavar="EVENTS", help="Sample events, to find misspelt names in constraints."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit 1 if there are warnings.")]
Invert = Annotated[bool, typer.Option("--invert", help="Take what does not match.")]
Count = Annotated[bool, typer.Option("--count", help="Write only how many match.")]
Most = Annotated[int | None, typer.Option("--max", min=1, metavar="N", help="End after N matches.")]


def examples(*lines: str) -> str:
    """Format examples for a help text's end; the first character keeps line breaks."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def clock(now: str | None) -> Callable[[], int]:
    """Return a clock that is fixed to a given time, or the real one."""
    if now is None:
        return SystemClock().now
    fixed = moment(now)
    return lambda: fixed


def tell_if_waiting(sources: Sequence[str], what: str) -> None:
    """Tell a user who named no file that the command reads standard input."""
    if STDIN in sources and sys.stdin is not None and sys.stdin.isatty():
        render.note(f"reading {what} from the terminal, Ctrl-D ends", "dim")
